"""`tablewright tables` and `tablewright demo` as they are typed: texts, envelopes, exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.deploy import shop_v1, things

import tablewright.cli.main as main
from tablewright.client import Db, Embedded, Retries
from tablewright.client.transports import Request, Response, Unreachable
from tablewright.deploy.setup import set_up
from tablewright.engine import Engine
from tablewright.model import definition
from tablewright.testing.process import EngineProcess

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
V1, V2 = "tests.deploy.shop_v1:model", "tests.deploy.shop_v2:model"
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
ITEMS = 900


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    quiet = {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nonexistent"}
    return {**kept, **quiet, "PYTHONPATH": str(ROOT), **more}


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "tablewright", *words]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """The command in this process, which is quicker."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in environment().items():
        monkeypatch.setenv(name, value)

    def call(*words: str) -> subprocess.CompletedProcess[str]:
        with pytest.raises(SystemExit) as ended:
            main.run(words)
        shown = capsys.readouterr()
        code = ended.value.code
        return subprocess.CompletedProcess(words, int(code or 0), shown.out, shown.err)

    return call


@pytest.fixture
def spawn(tmp_path: Path) -> Any:
    """The command in a process of its own."""

    def call(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(*words),
            cwd=tmp_path,
            env=environment(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def tables(run: Any) -> Any:
    """`tables ... --data d --json`: the exit code and the envelope."""

    def call(*words: str, where: tuple[str, ...] = ("--data", "d")) -> tuple[int, dict[str, Any]]:
        done = run("tables", *words, *where, "--json")
        assert done.stderr == ""
        return done.returncode, json.loads(done.stdout)

    return call


# --- one way through everything ----------------------------------------------------------


def test_from_set_up_to_deletion(tables: Any, tmp_path: Path) -> None:
    code, told = tables("setup", V1, "--dry-run")
    assert (code, [each["outcome"] for each in told["data"]["tables"]]) == (0, ["would create"] * 2)
    assert list(tmp_path.iterdir()) == []
    code, told = tables("setup", V1)
    assert (code, told["success"]) == (0, True)
    assert {"command", "duration", "region", "environment", "timestamp"} <= told.keys()
    assert (told["region"], told["environment"]) == ("us-east-1", "default")
    code, told = tables("setup", V1)
    assert {each["message"] for each in told["data"]["tables"]} == {
        "already exists (schema verified)"
    }
    assert tables("verify", V1)[0] == 0
    code, told = tables("verify", V2)
    assert (code, told["success"], told["error"]["code"]) == (1, False, "SCHEMA_VALIDATION_FAILED")
    assert told["error"]["remediation"][0].startswith("1. ")
    assert told["error"]["details"]["tables"][0]["differences"][0]["place"] == "index Open"
    code, told = tables("diff", V2)
    assert (code, "+index Open:" in told["error"]["details"]["diff"]) == (1, True)
    code, told = tables("migrate", V2, "--dry-run")
    assert (code, [each["kind"] for each in told["data"]["steps"]]) == (
        0,
        ["backfill", "create index"],
    )
    code, told = tables("migrate", V2)
    assert (code, "not confirmed" in told["error"]["message"]) == (1, True)
    assert tables("verify", V2)[0] == 1
    assert tables("migrate", V2, "--yes")[0] == 0
    assert tables("verify", V2)[0] == 0
    code, told = tables("migrate", V1, "--yes", "--keep")
    assert (code, [each["outcome"] for each in told["data"]["steps"]]) == (2, ["skipped"])
    assert tables("migrate", V1, "--yes")[0] == 0
    code, told = tables("list", V1)
    assert [each["status"] for each in told["data"]["tables"]] == ["ACTIVE", "ACTIVE"]
    assert tables("delete", V1)[0] == 1
    assert tables("delete", V1, "--dry-run")[0] == 0
    assert tables("verify", V1)[0] == 0
    assert tables("delete", V1, "--yes")[0] == 0
    code, told = tables("verify", V1)
    assert (code, told["error"]["code"]) == (1, "TABLE_NOT_FOUND")


def test_it_says_so_to_people(spawn: Any, run: Any) -> None:
    where = ("--data", "d")
    done = spawn("tables", "setup", V1, *where)
    assert "Orders    created" in done.stdout
    assert "2 tables: 2 created." in done.stdout
    assert "Orders: creating" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    quiet = run("tables", "setup", V1, *where, "--quiet")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    done = spawn("tables", "verify", V2, *where)
    assert done.returncode == 1
    assert "error    index Open is missing" in done.stdout
    assert f"  1. Run `tablewright tables migrate {V2} --data d`" in done.stderr
    assert "MODEL" not in done.stdout + done.stderr
    assert "of 2 tables match the model." in done.stdout
    done = run("tables", "diff", V2, *where)
    assert "--- deployed: Orders\n+++ model: Orders\n" in done.stdout
    done = run("tables", "list", V1, *where)
    assert done.stdout.splitlines()[1].split() == ["Orders", "ACTIVE", "0", "0", "B"]


def test_production_needs_its_name(tables: Any) -> None:
    where = ("--data", "d", "--prefix", "osem", "--env", "prod")
    code, told = tables("setup", V1, where=where)
    assert (code, told["environment"]) == (0, "prod")
    assert told["data"]["tables"][0]["physical"] == "osem-prod-Orders"
    assert tables("verify", V1, where=where)[0] == 0
    code, told = tables("delete", V1, "--yes", where=where)
    assert (code, told["error"]["remediation"][-1]) == (
        1,
        "2. Say that you mean it: --confirm osem-prod.",
    )
    assert tables("delete", V1, "--yes", "--confirm", "osem", where=where)[0] == 1
    assert tables("delete", V1, "--confirm", "osem-prod", where=where)[0] == 0
    assert tables("verify", V1, where=where)[0] == 1


def test_protected_tables_need_a_name_too(tables: Any) -> None:
    model = "tests.deploy.things:model"
    assert tables("setup", model)[0] == 0
    assert tables("delete", model, "--yes")[0] == 1
    assert tables("delete", model, "--confirm", "things")[0] == 0


def test_a_part_that_fails(spawn: Any) -> None:
    done = spawn("tables", "setup", "tests.deploy.half_broken:model", "--data", "d", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["success"]) == (2, False)
    outcomes = {each["table"]: each["outcome"] for each in told["error"]["details"]["tables"]}
    assert outcomes == {"Good": "created", "Bad": "failed"}
    assert "Tag Value" in told["error"]["message"]


def test_what_needs_a_new_table_is_refused(tables: Any, tmp_path: Path) -> None:
    with Engine(tmp_path / "d") as engine:
        engine.call(
            "CreateTable",
            {
                "TableName": "Good",
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
    code, told = tables("migrate", "tests.deploy.half_broken:model", "--yes")
    assert code in (1, 2)
    assert "keeps its key" in json.dumps(told["error"]["details"]["refused"])


# --- what can go wrong -------------------------------------------------------------------


def test_it_must_be_said_where(tables: Any) -> None:
    code, told = tables("verify", V1, where=())
    assert (code, "--endpoint" in told["error"]["remediation"][0]) == (1, True)
    assert tables("verify", V1, where=("--data", "d", "--aws"))[0] == 1


def test_nothing_is_made_by_looking(tables: Any, tmp_path: Path) -> None:
    assert tables("verify", V1)[0] == 1
    assert list(tmp_path.iterdir()) == []


def test_no_such_model(tables: Any, spawn: Any) -> None:
    code, told = tables("verify", "no.such:model", where=("--endpoint", "http://127.0.0.1:1"))
    assert (code, "no.such" in told["error"]["message"]) == (1, True)
    assert spawn("tables", "verify").returncode == 1


def test_nobody_answers(tables: Any) -> None:
    code, told = tables("verify", V1, where=("--endpoint", "http://127.0.0.1:1"))
    assert (code, told["error"]["code"]) == (1, "NETWORK_ERROR")


def test_no_region_and_no_credentials(tables: Any, spawn: Any) -> None:
    code, told = tables("verify", V1, where=("--aws",))
    assert (code, told["error"]["code"]) == (1, "AWS_REGION_MISMATCH")
    code, told = tables("verify", V1, where=("--aws", "--region", "eu-west-1"))
    assert (code, told["error"]["code"]) == (1, "AWS_CREDENTIALS_INVALID")
    assert "Traceback" not in spawn("tables", "verify", V1, "--aws").stderr


def test_wrong_credentials(tables: Any) -> None:
    with EngineProcess(arguments=["--credentials", "right:secret"]) as engine:
        code, told = tables("setup", V1, where=("--endpoint", engine.url))
    assert (code, told["error"]["code"]) == (1, "AWS_CREDENTIALS_INVALID")


def test_a_folder_in_use_is_joined_or_explained(tables: Any, tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "d") as engine:
        code, told = tables("setup", V1)
        assert (code, "--endpoint" in told["error"]["remediation"][0]) == (1, True)
        (tmp_path / "d" / "run.json").write_text(json.dumps({"url": engine.url}))
        assert tables("setup", V1)[0] == 0


class Cut:
    """An engine whose connection ends after some requests; its writes are not repeated."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._patch = monkeypatch

    def after(self, wanted: int, operation: str) -> None:
        """Answer so many requests of an operation, and everything before them; then no more."""
        send, left = Embedded.send, wanted

        def cut(transport: Embedded, request: Request) -> Response:
            nonlocal left
            if request.operation == operation:
                left -= 1
            if left < 0:
                raise Unreachable("the connection was closed", sent=True)
            return send(transport, request)

        self._patch.setattr(Embedded, "send", cut)
        self._patch.setattr("tablewright.client.db.Retries", lambda: Retries(attempts=1))


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cut]:
    with monkeypatch.context() as patch:
        yield Cut(patch)


def outcomes(told: dict[str, Any]) -> list[str]:
    return [each["outcome"] for each in told["error"]["details"]["tables"]]


def test_the_connection_ends_in_a_set_up(tables: Any, cut: Cut) -> None:
    cut.after(1, "CreateTable")
    code, told = tables("setup", V1)
    assert (code, told["error"]["code"]) == (2, "NETWORK_ERROR")
    rows = told["error"]["details"]["tables"]
    assert [each["message"] for each in rows] == ["created, then failed", "failed"]


def test_the_connection_ends_in_a_deletion(tables: Any, cut: Cut) -> None:
    assert tables("setup", V1)[0] == 0
    cut.after(1, "DeleteTable")
    code, told = tables("delete", V1, "--yes")
    assert (code, told["error"]["code"], outcomes(told)) == (2, "NETWORK_ERROR", ["failed"] * 2)
    assert "item" not in told["error"]["message"]


def test_the_connection_ends_in_a_comparison(tables: Any, cut: Cut) -> None:
    assert tables("setup", V1)[0] == 0
    cut.after(1, "DescribeTable")
    code, told = tables("verify", V1)
    assert (code, told["error"]["code"]) == (2, "NETWORK_ERROR")
    assert [each["status"] for each in told["error"]["details"]["tables"]] == ["ACTIVE", "unknown"]


# --- a backfill that fails ---------------------------------------------------------------


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A shop of the first version with some items."""
    with Engine(tmp_path / "d", durability="relaxed") as engine:
        _load(Db(Embedded(engine)), 50)
    return tmp_path / "d"


def test_the_connection_ends_in_a_backfill(tables: Any, few: Path, cut: Cut) -> None:
    cut.after(5, "UpdateItem")
    code, told = tables("migrate", V2, "--yes", "--segments", "1")
    assert (code, told["error"]["code"]) == (2, "NETWORK_ERROR")
    (fill, create) = told["error"]["details"]["steps"]
    assert (fill["outcome"], fill["counts"]["changed"], create["outcome"]) == (
        "failed",
        5,
        "skipped",
    )


def test_a_backfill_that_met_an_unreadable_item(tables: Any, few: Path) -> None:
    with Engine(few) as engine:
        bad = engine.call("Scan", {"TableName": "Orders", "Limit": 1})["Items"][0]
        bad["placed_at"] = {"S": "never"}
        engine.call("PutItem", {"TableName": "Orders", "Item": bad})
    code, told = tables("migrate", V2, "--yes")
    (fill, _) = told["error"]["details"]["steps"]
    assert (code, fill["outcome"], fill["counts"]["unreadable"]) == (2, "failed", 1)
    code, told = tables("migrate", V2, "--yes")
    (fill, _) = told["error"]["details"]["steps"]
    assert (code, fill["counts"]["changed"]) == (1, 0)


def test_a_checkpoint_that_cannot_be_written(tables: Any, few: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, told = tables("migrate", V2, "--yes", "--checkpoint", "file/x")
    assert (code, "file/x cannot be written" in told["error"]["message"]) == (1, True)
    assert "--checkpoint" in told["error"]["remediation"][0]
    code, told = tables("migrate", V2, "--dry-run")
    assert told["data"]["steps"][0]["counts"]["changed"] == 50


# --- killed in the middle ----------------------------------------------------------------


def _load(db: Db, number: int = ITEMS) -> None:
    db.drive(set_up(db.context, list(shop_v1.model.tables.values())))
    encode = definition(shop_v1.Order).encode
    for start in range(0, number, 25):
        orders = [
            shop_v1.Order(
                customer=f"c{number % 40}",
                order_id=f"{number:05d}",
                placed_at=NOON + timedelta(seconds=number),
            )
            for number in range(start, start + 25)
        ]
        puts = [{"PutRequest": {"Item": encode(order)}} for order in orders]
        db.drive(_batch(puts))


def _batch(puts: list[dict[str, Any]]) -> Any:
    yield Request("BatchWriteItem", {"RequestItems": {"Orders": puts}})


@pytest.fixture(params=["data", "endpoint"])
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    """A shop of the first version with items; where it is, as options."""
    with Engine(tmp_path / "d", durability="relaxed") as engine:
        _load(Db(Embedded(engine)))
    if request.param == "data":
        yield ("--data", "d")
        return
    with EngineProcess(tmp_path / "d") as process:
        yield ("--endpoint", process.url)


def test_a_killed_backfill_goes_on(
    loaded: tuple[str, ...], tables: Any, run: Any, tmp_path: Path
) -> None:
    slowly = ["--rate", "150", "--segments", "2", "--yes"]
    kept = tmp_path / "tablewright-migrate-Orders.json"
    process = subprocess.Popen(
        command("tables", "migrate", V2, *loaded, *slowly),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 60
    while not kept.exists() or json.loads(kept.read_text())["counts"]["scanned"] < 200:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = json.loads(kept.read_text())["counts"]
    assert 200 <= before["scanned"] < ITEMS
    code, told = tables("verify", V2, where=loaded)
    assert (code, told["error"]["details"]["tables"][0]["differences"][0]["place"]) == (
        1,
        "index Open",
    )
    done = run("tables", "migrate", V2, *loaded, "--yes", "--segments", "2")
    assert done.returncode == 0, done.stderr
    assert f"going on after {before['scanned']} items" in done.stderr
    assert not kept.exists()
    assert tables("verify", V2, where=loaded)[0] == 0
    code, told = tables("migrate", V2, "--backfill", "Open", "--dry-run", where=loaded)
    counts = told["data"]["steps"][0]["counts"]
    assert (code, counts["scanned"], counts["changed"]) == (0, ITEMS, 0)
    code, told = tables("list", V2, where=loaded)
    indexes = {each["index"]: each["items"] for each in told["data"]["tables"][0]["indexes"]}
    assert indexes["Open"] == ITEMS


# --- demo --------------------------------------------------------------------------------


def test_demo_items_are_loaded_once(run: Any, tmp_path: Path) -> None:
    first = run("demo", "tests.deploy.things:model", "--data", "d", "--json")
    assert (first.returncode, json.loads(first.stdout)["data"]["written"]) == (0, 2)
    with Engine(tmp_path / "d") as engine:
        db = Db(Embedded(engine))
        assert db.require(things.thing("two")).tag == "b"
    again = run("demo", "tests.deploy.things:model", "--data", "d")
    assert "0 items written, 2 were there already" in again.stdout
    nothing = run("demo", V1, "--data", "d")
    assert (nothing.returncode, "no demo items" in nothing.stderr) == (1, True)


# --- on a terminal -----------------------------------------------------------------------


def _type(words: tuple[str, ...], answers: str, cwd: Path) -> tuple[int, str]:
    """Run a command on a terminal and type into it; its exit code and all it showed."""
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        command(*words), cwd=cwd, env=environment(), stdin=follower, stdout=follower,
        stderr=follower, close_fds=True,
    )  # fmt: skip
    os.close(follower)
    os.write(leader, answers.encode())
    shown = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:  # Linux says so when the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return process.wait(60), shown.decode()


def test_questions_are_asked_on_a_terminal(tables: Any, tmp_path: Path) -> None:
    where = ("--data", "d")
    assert tables("setup", V1)[0] == 0
    code, shown = _type(("tables", "migrate", V2, *where), "n\n", tmp_path)
    assert (code, "Run 2 steps? Type y" in shown) == (1, True)
    assert tables("verify", V2)[0] == 1
    assert _type(("tables", "migrate", V2, *where), "y\n", tmp_path)[0] == 0
    code, shown = _type(("tables", "migrate", V1, *where), "y\nn\n", tmp_path)
    assert (code, "drop index Open? It loses" in shown) == (2, True)
    assert tables("verify", V2)[0] == 0
    code, shown = _type(("tables", "delete", V1, *where), "no\n", tmp_path)
    assert (code, "Delete 2 tables" in shown) == (1, True)
    assert _type(("tables", "delete", V1, *where), "y\n", tmp_path)[0] == 0
    assert tables("verify", V1)[0] == 1
