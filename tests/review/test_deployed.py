"""`tablewright review` with what is deployed: definitions and items, beside the model."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import StringConstraints

import tablewright.cli.main as main
from tablewright.client import Db, Embedded
from tablewright.client.transports import Request
from tablewright.deploy.naming import Naming
from tablewright.deploy.setup import set_up
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Number,
    Put,
    Table,
    Ttl,
    Ulid,
    Unique,
    get,
    put,
    query,
    write,
)
from tablewright.model.types import Personal
from tablewright.review.looks import kind_of_key, looks

NAME = f"{__name__}:model"
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
PERSON = "Ada Lovelace"

app = Table(
    "App",
    pk="PK",
    sk="SK",
    ttl="ends",
    discriminator="type",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("code",)),
        Index("BySize", sk=Number("size"), local=True),
    ],
)


class Parcel(
    Entity,
    table=app,
    keys={
        "primary": Key("PARCEL#{parcel_id}", "PARCEL"),
        "by_state": Key("STATE#{state}", "PARCEL#{parcel_id}", on="GSI1"),
        "by_size": Key("{size}", on="BySize"),
    },
):
    parcel_id: Ulid
    state: Literal["new", "sent"]
    size: int
    code: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}-\d{4}$")]
    label: Annotated[str, Unique("label")]
    receiver: Annotated[str, Personal(), StringConstraints(pattern=r"^[a-z]+$")]
    ends: Ttl | None = None


@get(Parcel)
def parcel(parcel_id: Ulid) -> None:
    """One parcel."""


@query(Parcel, key="by_state", limit=10, hydrate=True)
def parcels_in(state: Literal["new", "sent"]) -> None:
    """Parcels of a state."""


@write()
def send_parcel(parcel: Parcel) -> Put[Parcel]:
    """A new parcel."""
    return put(parcel).new()


model = Model("parcels", __name__)


class Folder:
    """A data folder with the deployed table, and what happens behind the model's back."""

    def __init__(self, path: Path, naming: Naming) -> None:
        self.path, self.naming = path, naming

    def send(self, operation: str, **body: Any) -> dict[str, Any]:
        with Engine(self.path, region="us-east-1") as engine:
            body = {"TableName": self.naming("App"), **body}
            return Embedded(engine).send(Request(operation, body)).body

    def deploy(self, *parcels: Parcel) -> None:
        with Engine(self.path, region="us-east-1") as engine:
            db = Db(Embedded(engine), names=self.naming)
            db.drive(set_up(db.context, self.naming.tables(model)))
            for each in parcels:
                db.run(send_parcel(each))

    def put(self, **changes: Any) -> None:
        """An item like the good one, with these attributes; None leaves one out."""
        item = {
            "PK": {"S": f"PARCEL#{ULID}"},
            "SK": {"S": "PARCEL"},
            "GSI1PK": {"S": "STATE#new"},
            "GSI1SK": {"S": f"PARCEL#{ULID}"},
            "type": {"S": "Parcel"},
            "parcel_id": {"S": ULID},
            "state": {"S": "new"},
            "size": {"N": "3"},
            "code": {"S": "ABC-1234"},
            "label": {"S": "l1"},
            "receiver": {"S": "ada"},
            **changes,
        }
        kept = {name: value for name, value in item.items() if value is not None}
        self.send("PutItem", Item=kept)


def good(number: int = 0) -> Parcel:
    return Parcel(
        parcel_id=f"{ULID[:-1]}{number}",
        state="new",
        size=3,
        code="ABC-1234",
        label=f"l{number}",
        receiver="ada",
    )


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "data", Naming("shop", "test"))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        code: object = 0
        try:
            main.run(["review", *words])
        except SystemExit as ended:
            code = ended.code
        shown = capsys.readouterr()
        return subprocess.CompletedProcess(words, int(str(code or 0)), shown.out, shown.err)

    return call


@pytest.fixture
def findings(run: Any, folder: Folder) -> Any:
    """What is found beyond what the model alone has, as (code, place, message)."""

    def call(*words: str) -> list[tuple[str, str, str]]:
        alone = json.loads(run(NAME, "--json").stdout)["findings"]
        where = ("--data", str(folder.path), "--prefix", "shop", "--env", "test")
        done = run(NAME, "--json", *where, *words)
        assert done.stdout, done.stderr
        both = json.loads(done.stdout)["findings"]
        return [
            (each["code"], each["place"]["name"], each["message"])
            for each in both
            if each not in alone
        ]

    return call


def test_a_clean_table_adds_nothing(folder: Folder, findings: Any) -> None:
    folder.deploy(good(0), good(1))
    folder.put()
    assert findings() == []


def test_it_says_what_was_read(folder: Folder, run: Any) -> None:
    folder.deploy(good(0), good(1))
    where = ("--data", str(folder.path), "--prefix", "shop", "--env", "test")
    done = run(NAME, *where)
    # Two parcels, and a lock for the label of each.
    assert "read 4 items (2 read units) of 1 tables" in done.stderr
    assert "read 1 items" in run(NAME, *where, "--sample", "1").stderr
    assert "read 0 items (0 read units)" in run(NAME, *where, "--sample", "0").stderr
    (deployed,) = json.loads(run(NAME, *where, "--json").stdout)["deployed"]
    assert deployed["physical"] == "shop-test-App"
    assert deployed["items_read"] == 4
    assert run(NAME, *where, "--sample", "-1").returncode == 2


class TestDrift:
    def test_a_dropped_index(self, folder: Folder, findings: Any) -> None:
        folder.deploy()
        folder.send("UpdateTable", GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "GSI1"}}])
        ((code, place, message),) = findings()
        assert (code, place) == ("C12", "App")
        assert message == (
            "the list of indexes is BySize, GSI1 in the description, but BySize in the deployed "
            "table shop-test-App."
        )

    def test_another_time_to_live(self, folder: Folder, findings: Any) -> None:
        folder.deploy()
        for name, on in (("ends", False), ("size", True)):
            setting = {"AttributeName": name, "Enabled": on}
            folder.send("UpdateTimeToLive", TimeToLiveSpecification=setting)
        ((code, _, message),) = findings()
        assert code == "C12"
        assert "ends in the description, but size in the deployed table" in message

    def test_no_time_to_live(self, folder: Folder, findings: Any) -> None:
        folder.deploy()
        setting = {"AttributeName": "ends", "Enabled": False}
        folder.send("UpdateTimeToLive", TimeToLiveSpecification=setting)
        ((code, _, message),) = findings()
        assert code == "C12"
        assert "but none in the deployed table" in message

    def test_more_protection_than_asked_for_is_no_drift(
        self, folder: Folder, findings: Any
    ) -> None:
        folder.deploy()
        setting = {"PointInTimeRecoveryEnabled": True}
        folder.send("UpdateContinuousBackups", PointInTimeRecoverySpecification=setting)
        folder.send("UpdateTable", DeletionProtectionEnabled=True)
        assert findings() == []


class TestItems:
    @pytest.mark.parametrize(
        ("changes", "code", "text"),
        [
            ({"label": {"N": "5"}}, "S02", "label is N in the item, and S in the entity."),
            ({"label": None}, "S02", "The item has no label, which is required."),
            ({"state": {"S": "lost"}}, "S02", "state is like 'xxxx', which is none of new, sent."),
            ({"code": {"S": "abc 12"}}, "S03", "code is like 'xxx 99', which "),
            ({"GSI1PK": None}, "S01", "The item has no GSI1PK"),
            ({"ends": {"N": "1800000000000"}}, "T02", "ends is like '9999999999999' in an item in"),
        ],
        ids=["type", "absent", "value", "pattern", "index key", "unit"],
    )
    def test_a_bad_item(
        self, folder: Folder, findings: Any, changes: dict[str, Any], code: str, text: str
    ) -> None:
        folder.deploy(good())
        folder.put(**changes)
        found = [each for each in findings() if each[0] == code]
        ((_, place, message),) = found
        assert text in message
        assert "shop-test-App" in place + message
        # A ULID is nobody's name, so the item can be found again.
        assert f"(Item PK PARCEL#{ULID}, SK PARCEL.)" in message

    def test_the_same_of_many_items_is_said_once(self, folder: Folder, findings: Any) -> None:
        folder.deploy()
        for number in range(3):
            name = f"{ULID[:-1]}{number}"
            folder.put(PK={"S": f"PARCEL#{name}"}, parcel_id={"S": name}, label={"N": "5"})
        ((code, _, message),) = findings()
        assert code == "S02"
        assert message.endswith("and 2 more.)")

    def test_what_no_entity_owns(self, folder: Folder, findings: Any) -> None:
        folder.deploy(good())
        folder.put(PK={"S": "GHOST#ada@example.com"}, type={"S": "Ghost"})
        folder.put(PK={"S": "GHOST#bob@example.com"}, type={"S": "Ghost"})
        folder.put(PK={"S": "ada@example.com"}, type=None)
        found = findings()
        assert {(code, place) for code, place, _ in found} == {("S10", "App")}
        assert {message for _, _, message in found} == {
            "No entity owns 2 items of shop-test-App with PK GHOST#xxx@xxxxxxx.xxx, SK XXXXXX, "
            "type 'Ghost'.",
            "No entity owns 1 item of shop-test-App with PK xxx@xxxxxxx.xxx, SK XXXXXX, no type.",
        }

    def test_values_are_not_told(self, folder: Folder, run: Any) -> None:
        folder.deploy()
        folder.put(
            receiver={"S": PERSON},
            code={"S": PERSON},
            state={"S": PERSON},
            parcel_id={"S": PERSON},
            PK={"S": f"PARCEL#{PERSON}"},
            GSI1SK={"S": f"PARCEL#{PERSON}"},
            ends={"S": PERSON},
        )
        where = ("--data", str(folder.path), "--prefix", "shop", "--env", "test")
        for more in ((), ("--json",), ("--sarif",)):
            done = run(NAME, *where, *more)
            assert done.returncode == 1
            assert "receiver is like 'Xxx Xxxxxxxx'" in done.stdout
            assert "Ada" not in done.stdout
            assert "Lovelace" not in done.stdout


def test_looks() -> None:
    assert looks("Zoë-17 at +49") == "Xxx-99 xx +99"
    assert looks("a" * 100) == "x" * 40 + "..."
    assert kind_of_key("USER#ada") == "USER#xxx"
    assert kind_of_key("ADA") == "XXX"


class TestFailures:
    def test_nobody_answers(self, run: Any) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # and nobody listens
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            done = run(NAME, "--endpoint", url, "--region", "eu-west-1")
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("error:")
        assert url in done.stderr
        assert "can be reached" in done.stderr

    def test_nothing_is_deployed(self, run: Any, folder: Folder) -> None:
        folder.deploy()
        done = run(NAME, "--data", str(folder.path), "--env", "other")
        assert done.returncode == 2
        assert "not deployed: other-App" in done.stderr

    @pytest.mark.parametrize("words", [("--env", "test"), ("--aws", "--data", "data")])
    def test_where_is_said_once(self, run: Any, words: tuple[str, ...]) -> None:
        done = run(NAME, *words)
        assert done.returncode == 2
        assert "--endpoint URL" in done.stderr
