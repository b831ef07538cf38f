"""`tablewright up` as a user starts it: a process of its own, on the embedded engine."""

from __future__ import annotations

import json
import re
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import boto3
import httpx2
import pytest
from tests.cli.up_support import COMMAND, PATIENCE, Up, environment, run, started

from tablewright.cli.terminal import Failure
from tablewright.cli.up_process import Options, settings_of
from tablewright.cli.up_process import run as run_here
from tablewright.service.keys import COMMON, variable_of
from tablewright.service.kit.outbox.sinks.addressed import KEY as WEBHOOKS
from tablewright.service.settings import SettingsError
from tablewright.systems import available, load
from tablewright.systems.kurukshetra.certificates.codes import KEY as CERTIFICATES
from tablewright.systems.kurukshetra.privacy.opening import FIELDS, INDEX, MASKS
from tablewright.systems.kurukshetra.tickets.token import KEYS as TICKETS
from tablewright.systems.pricekeeper.service.credentials import PEPPER
from tablewright.systems.pricekeeper.service.tokens.tokens import SIGNING
from tablewright.systems.vibejudge.service.organizers import PEOPLE

pytestmark = pytest.mark.e2e


def test_one_life(tmp_path: Path) -> None:
    """Start, use from browser, program and other commands, stop, start again."""
    folder = tmp_path / "data"
    with started("--data", str(folder), "--demo", cwd=tmp_path) as up:
        assert up.facts["systems"] == list(available())
        assert up.facts["local"] is True
        announced = json.loads((folder / "run.json").read_text())
        assert announced == {
            "url": up.facts["wire"],
            "console": up.url,
            "pid": up.process.pid,
        }
        _check_doors(up, folder)
        _check_joining(folder, tmp_path)
        assert up.stop() == 0
    assert not (folder / "run.json").exists()
    key = (folder / "keys" / "admin.key").read_text().strip()
    with started("--data", str(folder), "--demo", cwd=tmp_path) as again:
        answer = _orgs(again, key)
        assert answer.status_code == 200, "the key of the first start is still good"
        assert again.stop(signal.SIGINT) == 0


def _check_doors(up: Up, folder: Path) -> None:
    """Health, sign-in, and the first admin's key, which nobody else can read."""
    assert httpx2.get(f"{up.url}/health").json()["status"] == "ok"
    page = httpx2.get(f"{up.url}/sign-in", headers={"Accept": "text/html"})
    assert page.status_code in (200, 503), "503 where the assets are missing"
    file = Path(up.facts["admin_key_file"])
    assert file == folder / "keys" / "admin.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = file.read_text().strip()
    assert _orgs(up, key).status_code == 200
    assert _orgs(up, key[:-1] + "x").status_code == 401


def _orgs(up: Up, key: str) -> httpx2.Response:
    url = f"{up.url}/pricekeeper/api/v1/orgs"
    return httpx2.get(url, headers={"Authorization": f"Bearer {key}"})


def _check_joining(folder: Path, cwd: Path) -> None:
    """Other commands work on the folder while it is in use."""
    found = run("tables", "verify", "pricekeeper", "--data", str(folder), "--json", cwd=cwd)
    assert found.returncode == 0, found.stdout + found.stderr
    assert json.loads(found.stdout)["success"] is True


def test_a_second_start_on_the_same_folder_says_where_the_first_is(tmp_path: Path) -> None:
    with started("pricekeeper", "--data", "data", cwd=tmp_path) as up:
        for port in ("0", up.url.rpartition(":")[2]):
            second = run("up", "pricekeeper", "--port", port, "--data", "data", cwd=tmp_path)
            assert second.returncode == 2
            assert f"running at {up.url} (process {up.process.pid})" in second.stderr
            assert "Ctrl-C" in second.stderr
            assert "Traceback" not in second.stderr
        assert json.loads((tmp_path / "data" / "run.json").read_text())["pid"] == up.process.pid


def test_a_port_that_is_taken_is_told_before_anything_is_made(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        found = run("up", "--port", port, "--data", "data", cwd=tmp_path)
    assert found.returncode == 2
    assert port in found.stderr
    assert "--port" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"systems": ("nosuch",)}, "no system 'nosuch'"),
        ({"memory": True, "data": Path("x")}, "exclude each other"),
        ({"memory": True, "aws": True}, "exclude each other"),
        ({"host": "0.0.0.0", "memory": True}, "issuer"),
        ({"host": "0.0.0.0", "endpoint": "http://db.example.org:8000"}, "issuer"),
        ({"host": "0.0.0.0", "aws": True}, "issuer"),
        ({"endpoint": "http://db.example.org:8000"}, "and the keys would not"),
        ({"aws": True}, "and the keys would not"),
        ({"config": Path("missing.toml")}, "missing.toml"),
    ],
)
def test_what_cannot_work_is_refused_in_words(given: dict[str, Any], told: str) -> None:
    with pytest.raises(Failure, match=told):
        run_here(Options(port=0, **given))


@pytest.mark.parametrize(
    ("given", "local"),
    [
        ({"memory": True}, True),
        ({"endpoint": "http://127.0.0.1:8000"}, True),
        ({"endpoint": "http://localhost:8000"}, True),
        ({"endpoint": "http://[::1]:8000"}, True),
        ({"endpoint": "http://192.0.2.7:8000"}, False),
        ({"endpoint": "https://dynamodb.eu-central-1.amazonaws.com"}, False),
        ({"endpoint": "127.0.0.1:8000"}, False),
        ({"aws": True}, False),
    ],
)
def test_local_mode_needs_a_database_on_this_machine(given: dict[str, Any], local: bool) -> None:
    assert settings_of(Options(port=0, **given)).local is local


def test_keys_have_to_outlive_a_process_whose_database_does(tmp_path: Path) -> None:
    issuer = '[service.issuer]\nurl = "https://id.example.org"\naudience = "us"\n'
    (tmp_path / "up.toml").write_text(issuer)
    given = ("up", "--port", "0", "--endpoint", "http://127.0.0.1:1", "--config", "up.toml")
    refused = run(*given, cwd=tmp_path)
    assert refused.returncode == 2
    assert "--data" in refused.stderr
    assert "TABLEWRIGHT_KEY_API_KEYS" in refused.stderr
    assert "TABLEWRIGHT_KEY_KURUKSHETRA_FIELDS" in refused.stderr
    kept = run(*given, "--data", "here", cwd=tmp_path, AWS_REGION="us-east-1")
    assert "--data" not in kept.stderr, "it goes on to the database, which is not there"
    assert kept.returncode == 2


def test_of_keys_from_variables_none_may_be_missing(tmp_path: Path) -> None:
    issuer = '[service.issuer]\nurl = "https://id.example.org"\naudience = "us"\n'
    (tmp_path / "up.toml").write_text(issuer)
    given = ("up", "pricekeeper", "--port", "0", "--endpoint", "http://127.0.0.1:1")
    given = (*given, "--config", "up.toml")
    names = [variable_of(name) for name in (*COMMON, *load("pricekeeper").keys)]
    some = dict.fromkeys(names, "ab" * 32) | {"AWS_REGION": "us-east-1"}
    del some["TABLEWRIGHT_KEY_PRICEKEEPER_SECRETS"]
    refused = run(*given, cwd=tmp_path, **some)
    assert refused.returncode == 2
    assert "Missing: TABLEWRIGHT_KEY_PRICEKEEPER_SECRETS." in " ".join(refused.stderr.split())
    kept = run(*given, cwd=tmp_path, **some, TABLEWRIGHT_KEY_PRICEKEEPER_SECRETS="cd" * 32)
    assert "--data" not in kept.stderr, "it goes on to the database, which is not there"
    assert kept.returncode == 2


def test_systems_name_their_keys() -> None:
    named = {name: set(load(name).keys) for name in available() if load(name).keys}
    assert named == {
        "kurukshetra": {FIELDS, INDEX, MASKS, TICKETS, CERTIFICATES, "kurukshetra-sandbox"},
        "pricekeeper": {PEPPER, SIGNING},
        "vibejudge": {PEOPLE},
    }
    assert WEBHOOKS in COMMON


def test_a_key_that_cannot_be_used_is_refused_in_words(tmp_path: Path) -> None:
    refused = run(
        "up",
        "pricekeeper",
        "--memory",
        "--port",
        "0",
        cwd=tmp_path,
        TABLEWRIGHT_KEY_CURSORS="short",
    )
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: TABLEWRIGHT_KEY_CURSORS")


def test_settings_come_from_file_and_environment(tmp_path: Path) -> None:
    service = '[service]\ntable_prefix = "shop"\n'
    (tmp_path / "up.toml").write_text(f"{service}[pricekeeper]\nprice = 1\n")
    wrong = run("up", "pricekeeper", "--memory", "--config", "up.toml", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "up.toml, line 4" in wrong.stderr
    (tmp_path / "up.toml").write_text(service)
    wrong = run(
        "up",
        "pricekeeper",
        "--memory",
        "--config",
        "up.toml",
        cwd=tmp_path,
        TABLEWRIGHT_PORT="many",
    )
    assert wrong.returncode == 2
    assert "TABLEWRIGHT_PORT" in wrong.stderr
    with started(
        "pricekeeper", "--memory", "--config", "up.toml", "--env", "test", cwd=tmp_path
    ) as up:
        tables = table_names(up.facts["wire"])
        assert "shop-test-Config" in tables
        assert "shop-test-pricekeeper-kit" in tables
        assert up.stop() == 0


def table_names(url: str) -> list[str]:
    client = boto3.client(
        "dynamodb",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    return list(client.list_tables()["TableNames"])


def test_people_are_told_where_to_go(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "up", "pricekeeper", "--port", "0", "--memory"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if "Ctrl-C" in line:
                break
        text = "".join(lines)
        assert re.search(r"running at http://127\.0\.0\.1:\d+", text)
        for word in ("Pricekeeper", "sign in", "API key", "twk_", "memory"):
            assert word in text
        process.send_signal(signal.SIGINT)
        assert "Stopping" in process.stdout.read()
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_on_a_terminal_the_address_stays_in_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    def level(terminal: bool, **given: Any) -> str:
        monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
        return settings_of(Options(memory=True, **given)).log_level

    assert (level(True), level(False)) == ("warning", "info")
    assert level(True, host="0.0.0.0") == "info", "others look at it, too"
    monkeypatch.setenv("TABLEWRIGHT_LOG_LEVEL", "info")
    assert level(True) == "info", "who asks for it gets it"


def test_variables_of_a_system_count_where_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LADDERS_OIDC_ISSUER", "https://id.example.org")
    monkeypatch.setenv("LADDERS_OIDC_AUDIENCE", "ladders")
    issuer = settings_of(Options(memory=True, systems=("ladders", "sentiment"))).issuer
    assert issuer is not None
    assert (issuer.url, issuer.audience) == ("https://id.example.org", "ladders")
    assert settings_of(Options(memory=True, systems=("sentiment",))).issuer is None
    monkeypatch.setenv("TABLEWRIGHT_ISSUER_URL", "https://other.example.org")
    with pytest.raises(SettingsError, match="LADDERS_OIDC_ISSUER and TABLEWRIGHT_ISSUER_URL"):
        settings_of(Options(memory=True))


@pytest.mark.slow
def test_killed_and_started_again_it_has_everything(tmp_path: Path) -> None:
    with started("pricekeeper", "--data", "data", cwd=tmp_path) as up:
        key = (tmp_path / "data" / "keys" / "admin.key").read_text().strip()
        up.stop(signal.SIGKILL)
    assert (tmp_path / "data" / "run.json").exists(), "nobody was there to remove it"
    begun = time.monotonic()
    with started("pricekeeper", "--data", "data", cwd=tmp_path) as again:
        assert time.monotonic() - begun < PATIENCE
        assert _orgs(again, key).status_code == 200
        announced = json.loads((tmp_path / "data" / "run.json").read_text())
        assert announced["pid"] == again.process.pid
        assert again.stop() == 0
