"""`tables`: set up, verified, listed and deleted under the names of an account."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from tests.backends import ENGINE, LOCAL

import tablewright.cli.main as main
from tablewright.client import Credentials, HttpTransport
from tablewright.client.transports import Request
from tablewright.client.transports.wire import Failure
from tablewright.engine import Engine, Fault, Realism
from tablewright.server import ServerThread
from tablewright.systems.ladders.model import model

EXISTS = "already exists (schema verified)"
KIT = "ladders-kit"


@dataclass(frozen=True)
class Account:
    """Where tables are, under an environment that nobody else uses."""

    url: str
    env: str
    name: str
    typed: Callable[..., Any]

    def __call__(self, *words: str, env: str | None = None) -> tuple[int, dict[str, Any]]:
        """The exit code, and the envelope."""
        place = ("--endpoint", self.url, "--env", env or self.env, "--region", "eu-west-1")
        code, out, err = self.typed("ladders", "tables", *words, *place, "--json")
        assert err == ""
        return code, json.loads(out)

    def send(self, operation: str, table: str | None = None, **body: Any) -> dict[str, Any]:
        """One request, behind the model's back."""
        if table is not None:
            body["TableName"] = f"osem-{self.env}-{table}"
        keys = Credentials("testing", "testing")
        transport = HttpTransport(self.url, region="eu-west-1", credentials=keys)
        try:
            return transport.send(Request(operation, body)).body
        finally:
            transport.close()

    def tables(self) -> list[str]:
        found = self.send("ListTables")["TableNames"]
        return [each for each in found if each.startswith(f"osem-{self.env}-")]

    def update(self, table: str, **change: Any) -> None:
        """A change, once it has taken place."""
        self.send("UpdateTable", table, **change)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            # DynamoDB Local fails at times while it makes an index.
            with suppress(Failure):
                if self._states(table) == {"ACTIVE"}:
                    return
            time.sleep(0.02)
        if self.name == LOCAL:  # with many tables in it, it never ends at times
            pytest.skip("DynamoDB Local does not finish with an index")
        raise AssertionError(f"{table} is still changing")

    def _states(self, table: str) -> set[str]:
        told = self.send("DescribeTable", table)["Table"]
        indexes = told.get("GlobalSecondaryIndexes", [])
        return {told["TableStatus"], *(each["IndexStatus"] for each in indexes)}


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def call(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main.run(words)
        shown = capsys.readouterr()
        return int(ended.value.code or 0), shown.out, shown.err

    return call


@contextmanager
def engine_at(realism: Realism | None = None) -> Iterator[str]:
    with Engine.memory(region="eu-west-1", realism=realism) as engine, ServerThread(engine) as one:
        yield one.url


@pytest.fixture(
    params=[ENGINE, pytest.param(LOCAL, marks=[pytest.mark.peer, pytest.mark.java])],
)
def account(
    request: pytest.FixtureRequest, typed: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Account]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    env = f"t{uuid4().hex[:8]}"
    if request.param == LOCAL:
        yield Account(request.getfixturevalue("dynamodb_local_url"), env, LOCAL, typed)
        return
    with engine_at() as url:
        yield Account(url, env, ENGINE, typed)


def messages(told: dict[str, Any]) -> dict[str, str]:
    return {each["physical"]: each["message"] for each in told["data"]["tables"]}


def test_scenario_01_six_tables_with_eight_indexes(account: Account) -> None:
    """Setup: 6 tables, 8 indexes, exit 0; rerun verified; dry-run creates nothing."""
    own = [f"osem-{account.env}-{name}" for name in model.tables]
    kit = f"osem-{account.env}-{KIT}"
    code, told = account("setup", "--dry-run")
    assert (code, set(messages(told).values())) == (0, {"would be created"})
    assert account.tables() == []
    code, told = account("setup")
    assert (code, told["success"], told["environment"]) == (0, True, account.env)
    # In their order; the platform's own table, which audit and outbox are in, comes last.
    assert list(messages(told)) == [*own, kit]
    assert [each["part"] for each in told["data"]["tables"]] == ["model"] * 6 + ["kit"]
    assert set(messages(told).values()) == {"created"}
    code, told = account("setup")
    assert (code, set(messages(told).values())) == (0, {EXISTS})
    code, told = account("list")
    rows = [each for each in told["data"]["tables"] if each["part"] == "model"]
    assert {each["status"] for each in rows} == {"ACTIVE"}
    assert sum(len(each["indexes"]) for each in rows) == 8
    code, told = account("verify")
    assert code == 0
    assert [each["part"] for each in told["data"]["tables"]] == ["model"] * 6 + ["kit"]


def test_scenario_02_everything_that_differs_is_found(account: Account) -> None:
    """Drop an index, change a projection, add an index, remove a tag: verify exits 1 with four
    issues.
    """
    assert account("setup")[0] == 0
    account.update("Teams", GlobalSecondaryIndexUpdates=[_dropped("managerId-index")])
    account.update("AssessmentReports", GlobalSecondaryIndexUpdates=[_dropped("planId-index")])
    account.update("AssessmentReports", **_created("planId-index", "planId"))
    account.update("Users", **_created("email-index", "email"))
    wanted = {
        "Teams": ["index managerId-index"],
        "AssessmentReports": ["index planId-index projection"],
        "Users": ["index email-index"],
        "AssessmentPlans": ["tag Application"],
    }
    if account.name == LOCAL:  # it has no tags; that is told as unchecked
        del wanted["AssessmentPlans"]
    else:
        arn = account.send("DescribeTable", "AssessmentPlans")["Table"]["TableArn"]
        account.send("UntagResource", ResourceArn=arn, TagKeys=["Application"])
    code, told = account("verify")
    error = told["error"]
    assert (code, told["success"], error["code"]) == (1, False, "SCHEMA_VALIDATION_FAILED")
    found = {
        each["table"]: [one["place"] for one in each["differences"]]
        for each in error["details"]["tables"]
        if each["differences"]
    }
    assert found == wanted
    assert [each[:2] for each in error["remediation"]] == [
        f"{number}." for number in range(1, len(error["remediation"]) + 1)
    ]
    code, told = account("setup")
    assert (code, told["error"]["code"]) == (1, "SCHEMA_VALIDATION_FAILED")


def _dropped(name: str) -> dict[str, Any]:
    return {"Delete": {"IndexName": name}}


def _created(name: str, attribute: str) -> dict[str, Any]:
    index = {
        "IndexName": name,
        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    return {
        "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "S"}],
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    }


def test_scenario_03_a_part_that_fails_and_no_credentials(
    typed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One create fails: exit 2; no credentials: exit 1, remediation."""
    where = ("--region", "eu-west-1", "--env", "dev", "--json")
    code, out, _ = typed("ladders", "tables", "setup", *where)
    error = json.loads(out)["error"]
    assert (code, error["code"]) == (1, "AWS_CREDENTIALS_INVALID")
    assert error["remediation"][0].startswith("1. Check who you are")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    once = Fault({"CreateTable"}, times=1, error="AccessDeniedException", message="not allowed")
    with engine_at(Realism(faults=(once,))) as url:
        account = Account(url, "dev", ENGINE, typed)
        code, told = account("setup")
        outcomes = [each["outcome"] for each in told["error"]["details"]["tables"]]
        assert (code, told["error"]["code"]) == (2, "AWS_PERMISSIONS_DENIED")
        assert outcomes == ["failed", *["created"] * 6]
        # The next one makes what is missing.
        code, told = account("setup")
        assert (code, messages(told)["osem-dev-Users"]) == (0, "created")


# DynamoDB Local knows neither recovery nor protection.
@pytest.mark.parametrize("account", [ENGINE], indirect=True)
def test_production_is_guarded(account: Account) -> None:
    assert account("setup", env="prod")[0] == 0
    assert account("verify", env="prod")[0] == 0
    prod = Account(account.url, "prod", account.name, account.typed)
    off = {"PointInTimeRecoveryEnabled": False}
    prod.send("UpdateContinuousBackups", "Users", PointInTimeRecoverySpecification=off)
    prod.send("UpdateTable", "Teams", DeletionProtectionEnabled=False)
    prod.update("Assessments", StreamSpecification={"StreamEnabled": False})
    code, told = prod("verify")
    found = {
        (each["table"], one["place"])
        for each in told["error"]["details"]["tables"]
        for one in each["differences"]
    }
    assert code == 1
    assert found == {
        ("Users", "point-in-time recovery"),
        ("Teams", "deletion protection"),
        ("Assessments", "stream"),
    }
    for words in ((), ("--yes",), ("--confirm", "osem-prod"), ("--yes", "--confirm", "osem")):
        code, told = prod("delete", *words)
        assert (code, len(prod.tables())) == (1, 7), words
        assert "--confirm osem-prod" in told["error"]["remediation"][-1]
    assert prod("delete", "--dry-run")[0] == 0
    assert prod("delete", "--yes", "--confirm", "osem-prod")[0] == 0
    assert prod.tables() == []


def test_elsewhere_a_yes_is_enough(account: Account) -> None:
    assert account("setup")[0] == 0
    code, told = account("delete")
    assert (code, told["error"]["remediation"][-1]) == (1, "2. Say that you mean it: --yes.")
    assert account("delete", "--yes")[0] == 0
    assert account.tables() == []
    code, told = account("verify")
    assert (code, told["error"]["code"]) == (1, "TABLE_NOT_FOUND")


def test_what_is_typed_wrongly(typed: Any) -> None:
    for words in (("--env", "Prod"), ("--colour", "red"), ("surplus",)):
        code, _, err = typed("ladders", "tables", "verify", *words)
        assert (code, "Traceback" in err) == (1, False), words
    code, out, err = typed("ladders", "tables", "list", "--env", "dev", "--region", "eu-west-1")
    assert (code, out) == (1, "")
    assert "  1. " in err


def test_verify_says_what_was_not_checked(typed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a database without some features, people are told the same as programs."""
    from tablewright.deploy import looking

    look = looking.look

    def without(context: Any, table: Any) -> Any:
        found = yield from look(context, table)
        return found and replace(found, unseen=frozenset(("pitr", "tags")))

    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr("tablewright.deploy.verify.look", without)
    with engine_at() as url:
        place = ("--endpoint", url, "--region", "eu-west-1", "--env", "here")
        assert typed("ladders", "tables", "setup", *place)[0] == 0
        code, out, _ = typed("ladders", "tables", "verify", *place)
    assert code == 0
    assert out.splitlines()[-1] == (
        "7 of 7 tables match the model. Not checked: point-in-time recovery, tags."
    )
    assert out.count("not checked, because this database does not offer it") == 7


def test_remediation_is_the_exact_command(typed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    with engine_at() as url:
        place = ("--endpoint", url, "--region", "eu-west-1", "--env", "here")
        code, _, err = typed("ladders", "tables", "verify", *place)
    assert code == 1
    command = (
        f"tablewright tables setup ladders --endpoint {url} --region eu-west-1 --prefix osem"
        " --env here"
    )
    assert command in err
    assert "MODEL" not in err
