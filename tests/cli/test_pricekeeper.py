"""`tablewright pricekeeper ...`: settings, access, prices; where commands work, how they answer."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest
from cyclopts import App
from tests.cli.pricekeeping import NOVA, SONNET, Typed, provision
from tests.cli.up_support import COMMAND, environment, run

import tablewright.systems.pricekeeper.cli.words as words
from tablewright.cli import system_place
from tablewright.cli.main import COMMANDS, build
from tablewright.cli.system_app import system_app
from tablewright.engine import Engine
from tablewright.server import ServerThread
from tablewright.service.kit.patterns import audit_of_month
from tablewright.systems import NAMES
from tablewright.systems.pricekeeper import writes
from tablewright.systems.pricekeeper.bodies.fields import Window
from tablewright.systems.pricekeeper.config import PendingPrice, RegionClass, ServiceTier

# --- help ----------------------------------------------------------------------------------------


def leaves(app: App, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """All commands below."""
    names = [name for name in app if not name.startswith("-")]
    if not names:
        yield path, app
    for name in names:
        yield from leaves(app[name], (*path, name))


def test_every_command_has_help_and_an_example_that_can_be_typed() -> None:
    found = dict(leaves(system_app("pricekeeper")))
    assert len(found) >= 28
    for path, leaf in found.items():
        assert leaf.default_command is not None
        assert leaf.default_command.__doc__
        example = (leaf.help_epilogue or "").partition("Example: tablewright ")[2]
        typed = example.partition("  (")[0]
        assert typed.startswith(" ".join(("pricekeeper", *path))), path
        build().parse_args(typed, exit_on_error=False, print_error=False)


def test_help_comes_without_the_services() -> None:
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        "try:\n    run(['pricekeeper', 'org', 'put', '--help'])\n"
        "except SystemExit as ended:\n    assert not ended.code\n"
        "heavy = {'fastapi', 'starlette', 'uvicorn', 'pydantic', 'cryptography', 'apsw'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--quota-month" in done.stdout
    assert "--endpoint" in done.stdout


def test_the_systems_with_commands_are_commands() -> None:
    named = {each.name: each for each in COMMANDS}
    assert named["pricekeeper"].help
    assert set(NAMES) <= named.keys()


def test_the_words_are_those_of_the_model() -> None:
    assert get_args(words.RegionClass) == get_args(RegionClass)
    assert get_args(words.ServiceTier) == get_args(ServiceTier)
    assert get_args(words.Window) == get_args(Window)


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "$0.00"),
        (1_500_000, "$1.50"),
        (1, "$0.000001"),
        (-2_000_000, "-$2.00"),
        (1_234_567_890_000, "$1,234,567.89"),
        (None, "unlimited"),
    ],
)
def test_money(micros: int | None, text: str) -> None:
    assert words.usd(micros) == text


# --- settings ------------------------------------------------------------------------------------


def test_an_organisation_from_creation_to_its_end(typed: Typed) -> None:
    typed.json("label", "put", "premium", "--model", SONNET, "--tier", "best")
    typed.json("label", "put", "economy", "--model", NOVA)
    labels = typed.json("label", "list")
    assert [(each["label"], each["bedrock_model_id"]) for each in labels] == [
        ("economy", NOVA),
        ("premium", SONNET),
    ]
    more = ("--ordering", "premium,economy", "--quota", "premium=2.50", "--quota", "economy=none")
    made = typed.json("org", "put", "--name", "Acme", "--timezone", "Europe/Oslo", *more)
    assert made["quotas"] == {"premium": 2_500_000, "economy": None}
    assert made["client_id"] == f"org-{made['org_id']}"
    changed = typed.json(
        "org", "put", "Acme", "--quota", "premium=3", "--quota-month", "_all=$99.999999"
    )
    assert changed["quotas"] == {"premium": 3_000_000, "economy": None}
    assert changed["quotas_month"] == {"_all": 99_999_999}
    assert (changed["version"], changed["timezone"]) == (made["version"] + 1, "Europe/Oslo")
    assert "retrieval_token" not in changed
    same = typed("org", "put", made["org_id"].upper(), "--quota", "premium=3")
    assert "is as it was" in same.out
    removed = typed.json("org", "put", "Acme", "--quota-month", "_all=", "--set", "fail-mode=open")
    assert (removed["quotas_month"], removed["fail_mode"]) == ({}, "open")
    assert {"org_id": made["org_id"], "org_name": "Acme", "status": "ACTIVE"} in typed.json(
        "org", "list"
    )
    shown = typed("org", "show", "Acme")
    assert "Europe/Oslo" in shown.out
    assert "$3.00" in shown.out
    assert typed.json("org", "disable", "Acme")["status"] == "DISABLED"
    assert typed.json("org", "enable", "Acme")["status"] == "ACTIVE"
    assert _audited(typed, f"org/{made['org_id']}") == {"org.create", "org.change"}


def _audited(typed: Typed, subject: str) -> set[str]:
    """What the audit says was done, by whoever types."""
    month = f"{datetime.now(UTC):%Y%m}"
    with typed.database() as (_, db):
        entries = [
            each
            for shard in range(4)
            for each in db.iterate(audit_of_month(month, shard))
            if each.subject == subject
        ]
    assert {each.actor.partition(":")[0] for each in entries} == {"cli"}
    assert {each.actor_kind for each in entries} == {"system"}
    return {each.action for each in entries}


def test_settings_from_a_file(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provision(typed, "Files")
    body = {"org_name": "Filed", "timezone": "UTC", "model_ordering": ["economy"], "quotas": {}}
    (tmp_path / "org.json").write_text(json.dumps(body))
    refused = typed.fails("org", "put", "--file", "org.json")
    assert "economy" in refused, "every ordered label needs a limit"
    made = typed.json("org", "put", "--file", "org.json", "--quota", "economy=1")
    assert (made["org_name"], made["quotas"]) == ("Filed", {"economy": 1_000_000})
    standard = io.TextIOWrapper(io.BytesIO(json.dumps(body).encode()))
    monkeypatch.setattr(sys, "stdin", standard)
    again = typed.json("org", "put", "Filed", "--file", "-", "--quota", "economy=2")
    assert again["quotas"] == {"economy": 2_000_000}
    (tmp_path / "org.json").write_text("[1]")
    assert "no JSON object" in typed.fails("org", "put", "--file", "org.json")
    (tmp_path / "org.json").write_text("{")
    assert "no JSON document" in typed.fails("org", "put", "--file", "org.json")
    assert "nothing.json: No such file" in typed.fails("org", "put", "--file", "nothing.json")


def test_an_app(typed: Typed) -> None:
    provision(typed, "Apps")
    made = typed.json("app", "put", "Apps", "batch", "--name", "Night", "--quota", "economy=0.5")
    assert (made["app_name"], made["quotas"]) == ("Night", {"economy": 500_000})
    assert made["client_id"].endswith("-app-batch")
    changed = typed.json("app", "put", "Apps", "batch", "--set", "tight_mode_threshold_pct=60")
    assert (changed["tight_mode_threshold_pct"], changed["app_name"]) == (60, "Night")
    undone = typed.json("app", "put", "Apps", "batch", "--set", "tight_mode_threshold_pct=null")
    assert undone["tight_mode_threshold_pct"] is None
    listed = typed.json("app", "list", "Apps")
    assert [each["app_id"] for each in listed] == ["batch", "web"]
    assert "$0.50" in typed("app", "show", "Apps", "batch").out
    assert typed.json("app", "disable", "Apps", "batch")["status"] == "DISABLED"
    assert "disabled" in typed.fails("select", "Apps", "batch")
    assert typed.json("app", "enable", "Apps", "batch")["status"] == "ACTIVE"
    assert typed.json("select", "Apps", "batch")["recommended_label"] == "economy"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("org show Nobody", "no organisation with the id or the name 'Nobody'"),
        ("org put --name X", "timezone: Field required"),
        ("org put Wrong --quota premium", "is not LABEL=DOLLARS"),
        ("org put Wrong --quota economy=much", "Enter the amount in USD"),
        ("org put Wrong --quota economy=0.0000001", "at most 6 decimal places"),
        ("org put Wrong --quota economy=1,500", "could mean 1.5 or 1500"),
        ("org put Wrong --quota nosuch=1", "no label 'nosuch'"),
        ("org put Wrong --set late_window_hours=1", "late_window_hours: "),
        ("org put Wrong --set colour=red", "colour: Extra inputs are not permitted"),
        ("org put Wrong --set colour", "is not NAME=VALUE"),
        ("org put Wrong --timezone Mars/Olympus", "no zone"),
        ("app put Wrong a#b", "An app's id is"),
        ("app show Wrong nosuch", "no such app"),
        ("label put x#y --model m", "A label is"),
        ("label put xy --model a#b", "not a model's id"),
        ("select Wrong nosuch", "no such app"),
        ("totals Wrong --period soon", "--period: 'soon' is no day"),
        ("totals Wrong --from 2026-13-01", "--from: "),
        ("totals Wrong --from 2026-11-02 --to 2026-11-01", "lies after"),
        ("export Wrong --from yesterday", "--from: "),
        ("export Wrong nosuch", "no such app"),
        ("keys create x --role boss", "roles: must be"),
        ("keys revoke nosuch", "no such API key"),
        ("rotate Wrong --grace-hours 999", "grace_hours: "),
        ("rotate Wrong nosuch", "no such app"),
        ("prices list a#b", "A model's id is"),
        ("prices approve nosuch", "waits for approval"),
        ("secret nonsense", "no such retrieval token"),
    ],
)
def test_what_is_wrong_is_told_in_words(typed: Typed, line: str, told: str) -> None:
    if not any(each["org_name"] == "Wrong" for each in typed.json("org", "list")):
        provision(typed, "Wrong")
    assert told in typed.fails(*line.split())


def test_several_values_that_are_wrong_are_all_told(typed: Typed) -> None:
    said = typed.fails("org", "put", "--name", "x" * 200)
    assert "3 values are not valid" in said
    for field in ("org_name", "timezone", "model_ordering"):
        assert f"\n       {field}: " in said


def test_a_name_that_two_have(typed: Typed) -> None:
    first, second = provision(typed, "Twins"), provision(typed, "Twin")
    typed.json("org", "put", second, "--name", "Twins")
    said = typed.fails("org", "show", "Twins")
    assert first in said
    assert second in said
    assert "Give the id" in said


def test_programs_get_the_problem(typed: Typed) -> None:
    told = typed.json("org", "put", "--name", "X", code=2)
    assert (told["code"], told["status"]) == ("INVALID", 422)
    assert {each["field"] for each in told["errors"]} == {"timezone", "model_ordering"}


@pytest.mark.parametrize("line", ["nosuch", "org put --nosuch 1", "record", "bench --seconds no"])
def test_what_is_typed_wrongly_is_a_failure(typed: Typed, line: str) -> None:
    """1 would mean that something is amiss with the data."""
    assert typed.bare("pricekeeper", *line.split()).code == 2


# --- access --------------------------------------------------------------------------------------


def test_a_secret_reaches_its_owner_once(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    org_id = provision(typed, "Secrets")
    first = typed.json("rotate", "Secrets", "web", "--grace-hours", "0")
    assert first["client_id"] == f"org-{org_id}-app-web"
    assert first["grace_expires_at"] is None
    found = typed.json("secret", first["retrieval_token"])
    assert found["client_id"] == first["client_id"]
    assert len(found["client_secret"]) == 43
    assert "no such retrieval token" in typed.fails("secret", first["retrieval_token"])
    second = typed.json("rotate", "Secrets", "web")
    said = typed.fails("rotate", "Secrets", "web")
    assert "still good" in said
    assert "--force" in said
    third = typed.json("rotate", "Secrets", "web", "--force")
    assert third["cred_version"] == second["cred_version"] + 1
    standard = io.TextIOWrapper(io.BytesIO(f"{third['retrieval_token']}\n".encode()))
    monkeypatch.setattr(sys, "stdin", standard)
    assert third["client_id"] in typed("secret", "-").out


def test_api_keys(typed: Typed) -> None:
    made = typed.json("keys", "create", "Export", "--role", "auditor", "--days", "3")
    assert made["api_key"].startswith(f"twk_{made['key_id']}_")
    assert (made["roles"], made["created_by"].partition(":")[0]) == (["auditor"], "cli")
    listed = {each["key_id"]: each for each in typed.json("keys", "list")}
    assert listed[made["key_id"]]["revoked_at"] is None
    assert "api_key" not in listed[made["key_id"]]
    assert "secret_hash" not in json.dumps(typed.json("keys", "list"))
    assert typed.json("keys", "revoke", made["key_id"])["revoked_at"] is not None
    assert "revoked" in typed("keys", "list").out


# --- prices --------------------------------------------------------------------------------------


def test_prices(typed: Typed, tmp_path: Path) -> None:
    assert typed.json("prices", "refresh")["unchanged"] > 30
    listed = typed.json("prices", "list")["prices"]
    assert NOVA in {each["bedrock_model_id"] for each in listed}
    head = "bedrock_model_id,region_class,effective_from,"
    head += "input_price_usd_micros_per_1m,output_price_usd_micros_per_1m"
    (tmp_path / "own.csv").write_text(f"{head}\nown.model,region,2026-01-01T00:00:00Z,100,200\n")
    assert typed.json("prices", "import", "own.csv")["saved"] == 1
    assert typed.json("prices", "import", "own.csv") == {
        "saved": 0,
        "unchanged": 1,
        "pending": 0,
        "skipped": [],
    }
    row = {
        "bedrock_model_id": "own.model",
        "effective_from": "2026-02-01T00:00:00Z",
        "input_price_usd_micros_per_1m": 150,
        "output_price_usd_micros_per_1m": 300,
    }
    other = {**row, "bedrock_model_id": "other.model"}
    (tmp_path / "more.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(other)}\n")
    assert typed.json("prices", "import", "more.jsonl")["saved"] == 2
    timeline = typed.json("prices", "list", "own.model")["prices"]
    assert [each["input_price_usd_micros_per_1m"] for each in timeline] == [150, 100]
    changed = {"prices": [{**row, "input_price_usd_micros_per_1m": 1}]}
    (tmp_path / "changed.json").write_text(json.dumps(changed))
    refused = typed.json("prices", "import", "changed.json", code=1)
    assert refused["saved"] == 0
    assert "own.model" in refused["skipped"][0]


def test_prices_that_cannot_be_read(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("bedrock_model_id,input_price_usd_micros_per_1m\nx,many\n")
    said = typed.fails("prices", "import", "bad.csv")
    assert "row 1, input_price_usd_micros_per_1m: " in said
    assert "row 1, output_price_usd_micros_per_1m: Field required" in said
    (tmp_path / "bad.csv").write_text("")
    assert "has no price in it" in typed.fails("prices", "import", "bad.csv")
    (tmp_path / "bad.csv").write_text('{"a": 1}\n{"b"')
    assert "neither JSON nor JSON lines" in typed.fails("prices", "import", "bad.csv")


def test_a_price_that_waits(typed: Typed) -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    with typed.database() as (_, db):
        for model, tier in (("w.one", "standard"), ("w.two", "standard"), ("w.two", "batch")):
            db.run(writes.hold_price(_pending(model, tier, moment)))
    waiting = typed.json("prices", "list")["pending"]
    assert {each["bedrock_model_id"] for each in waiting} == {"w.one", "w.two"}
    approved = typed.json("prices", "approve", "w.one")
    assert approved["input_price_usd_micros_per_1m"] == 700
    assert typed.json("prices", "list", "w.one")["prices"][0] == approved
    said = typed.fails("prices", "approve", "w.two")
    assert "2 prices of w.two wait" in said
    assert "--service-tier" in said
    assert typed("prices", "reject", "w.two", "--service-tier", "batch").code == 0
    left = typed.json("prices", "list", "w.two")["pending"]
    assert [each["service_tier"] for each in left] == ["standard"]


def _pending(model: str, tier: Any, moment: datetime) -> PendingPrice:
    return PendingPrice(
        bedrock_model_id=model,
        region_class="region",
        service_tier=tier,
        effective_from=moment,
        input_price_usd_micros_per_1m=700,
        output_price_usd_micros_per_1m=800,
        family="waiting",
        fetched_at_epoch=moment,
        previous_price_id=f"region#{tier}#2026-01-01T00:00:00Z",
        change_pct=90,
    )


# --- where ---------------------------------------------------------------------------------------


def test_the_usual_folder_is_found(typed: Typed, tmp_path: Path) -> None:
    said = typed.bare("pricekeeper", "org", "list")
    assert said.code == 2
    assert "neither ./tablewright-data nor ./data" in said.err
    (tmp_path / "data").symlink_to(typed.folder)
    assert typed.bare("pricekeeper", "org", "list", "--json").code == 0
    said = typed.bare("pricekeeper", "org", "list", "--data", "elsewhere")
    assert (said.code, "no database in elsewhere" in said.err) == (2, True)
    assert not (tmp_path / "elsewhere").exists()


def test_the_folder_of_the_settings(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "up.toml").write_text(f'[service]\ndata = "{typed.folder}"\n')
    assert typed.bare("pricekeeper", "org", "list", "--config", "up.toml").code == 0
    monkeypatch.setenv("TABLEWRIGHT_DATA", str(typed.folder))
    assert typed.bare("pricekeeper", "org", "list").code == 0
    monkeypatch.setenv("TABLEWRIGHT_PORT", "many")
    said = typed.bare("pricekeeper", "org", "list")
    assert (said.code, "TABLEWRIGHT_PORT" in said.err) == (2, True)


def test_tables_that_are_not_there(typed: Typed, tmp_path: Path) -> None:
    Engine(tmp_path / "empty").close()
    said = typed.bare("pricekeeper", "org", "list", "--data", "empty")
    assert said.code == 2
    assert "The tables of pricekeeper are not there (empty)" in said.err
    assert "tablewright tables setup pricekeeper" in said.err
    said = typed("org", "list", "--prefix", "other")
    assert (said.code, "are not there" in said.err) == (2, True)


def test_a_database_elsewhere(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.memory() as engine, ServerThread(engine) as server:
        place = ("--endpoint", server.url, "--region", "us-east-1", "--env", "dev")
        typed.bare("tables", "setup", "pricekeeper", *place, "--quiet")
        there = ("pricekeeper", "label", "put", "economy", "--model", NOVA, *place)
        assert typed.bare(*there).code == 0
        new = ("--name", "Far", "--timezone", "UTC", "--ordering", "economy", "--quota")
        create = ("pricekeeper", "org", "put", *new, "economy=1", *place)
        said = typed.bare(*create)
        assert said.code == 2
        assert "TABLEWRIGHT_KEY_PRICEKEEPER_SECRETS" in said.err, "its secret would be lost"
        assert typed.bare(*create, "--data", "keys-are-here").code == 0
        assert Path("keys-are-here/keys/pricekeeper-secrets").exists()
        monkeypatch.setenv("TABLEWRIGHT_KEY_PRICEKEEPER_SECRETS", "ab" * 32)
        assert typed.bare(*create).code == 0
        assert '"Far"' in typed.bare("pricekeeper", "org", "list", *place, "--json").out
        tables = engine.call("ListTables", {})["TableNames"]
        assert "dev-Config" in tables
        assert "dev-pricekeeper-kit" in tables
    said = typed.bare("pricekeeper", "org", "list", "--aws", "--endpoint", server.url)
    assert (said.code, "exclude each other" in said.err) == (2, True)


def test_a_folder_that_another_program_has(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system_place, "PATIENCE_SECS", 0.3)
    held = subprocess.Popen(
        [*COMMAND, "engine", "--data", str(tmp_path / "held"), "--port", "0", "--json"],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert held.stdout is not None
    try:
        assert held.stdout.readline()
        said = typed.bare("pricekeeper", "org", "list", "--data", "held")
    finally:
        held.kill()
        held.wait()
        held.stdout.close()
    assert said.code == 2
    assert str(held.pid) in said.err
    assert "--endpoint" in said.err


def test_a_folder_that_another_command_has_for_a_moment(typed: Typed, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as others, typed.database():
        waiting = others.submit(run, "pricekeeper", "org", "list", cwd=tmp_path, **_data(typed))
        time.sleep(2)
    assert waiting.result().returncode == 0, waiting.result()


def _data(typed: Typed) -> dict[str, str]:
    return {"TABLEWRIGHT_DATA": str(typed.folder)}


def test_labels_are_closed_and_opened_and_both_are_in_the_audit_log(typed: Typed) -> None:
    org = provision(typed, "Controls")
    closed = typed.json("override", "Controls", "--close", "economy", "--reason", "Provider down")
    assert closed["exhausted_labels"] == ["economy"]
    assert typed("select", "Controls", "web").code == 1
    opened = typed.json("override", "Controls", "--reopen", "economy", "--reason", "It is back")
    assert opened["exhausted_labels"] == []
    entries = typed.json("audit", "--subject", f"org/{org}")
    assert len([entry for entry in entries if entry["action"].startswith("label.")]) == 2
    assert typed.json("alerts", "Controls") == typed.json("alerts") == []
    assert typed.json("revoke", "Controls", "web") == {"org_id": org, "app_id": "web"}
    assert "amount" in typed.fails(
        "correct", "Controls", "web", org, "--cost", "much", "--reason", "wrong"
    )
