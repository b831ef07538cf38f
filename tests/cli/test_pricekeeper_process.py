"""`tablewright pricekeeper` in processes: joining a running place, interrupted, killed."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.cli.pricekeeping import NOVA, Typed, provision, usage, write
from tests.cli.up_support import COMMAND, PATIENCE, Up, environment, run, started

pytestmark = pytest.mark.e2e


@pytest.mark.slow
def test_joining_a_place_that_runs(tmp_path: Path) -> None:
    """What is typed while `tablewright up` owns the folder is good there at once."""
    with started("pricekeeper", "--data", "data", cwd=tmp_path) as up:
        told(tmp_path, "label", "put", "economy", "--model", NOVA)
        limits = ("--ordering", "economy", "--quota", "economy=1000")
        org = told(tmp_path, "org", "put", "--name", "Joined", "--timezone", "UTC", *limits)
        app = told(tmp_path, "app", "put", "Joined", "web")
        secret = told(tmp_path, "secret", app["retrieval_token"])
        token = logged_in(up, secret)
        rows = usage(50, seed=30)
        write(tmp_path / "rows.jsonl", rows)
        there = ("--org", "Joined", "--app", "web")
        assert told(tmp_path, "record", "rows.jsonl", *there)["recorded"] == 50
        record = httpx2.post(
            f"{up.url}/pricekeeper/api/v1/orgs/{org['org_id']}/apps/web/costs",
            headers={"Authorization": f"Bearer {token}"},
            json=rows[0],
        )
        assert (record.status_code, record.json()["result"]) == (200, "duplicate")
        key = told(tmp_path, "keys", "create", "Programs")["api_key"]
        seen = httpx2.get(
            f"{up.url}/pricekeeper/api/v1/orgs/{org['org_id']}/aggregates/today",
            headers={"X-API-Key": key},
        )
        assert seen.json()["totals"]["requests"] == 50
        assert up.stop() == 0
    assert told(tmp_path, "totals", "Joined")["totals"]["requests"] == 50, "and when it is over"


def told(cwd: Path, *words: str) -> Any:
    """What a command in a process of its own gives, on the usual folder."""
    done = run("pricekeeper", *words, "--json", cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def logged_in(up: Up, secret: dict[str, str]) -> str:
    grant = {"grant_type": "client_credentials", **secret}
    answer = httpx2.post(f"{up.url}/pricekeeper/auth/token", json=grant)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


def recording(folder: Path, *, stdin: int | None = None) -> subprocess.Popen[bytes]:
    there = ["--org", "Ended", "--app", "web", "--data", str(folder)]
    name = "-" if stdin is not None else "rows.jsonl"
    return subprocess.Popen(
        [*COMMAND, "pricekeeper", "record", name, *there],
        env=environment(),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_whoever_waits_for_a_pipe_can_be_interrupted(typed: Typed) -> None:
    provision(typed, "Ended")
    rows, before = usage(600, seed=31), size_of(typed.folder)
    with recording(typed.folder, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write("".join(json.dumps(row) + "\n" for row in rows).encode())
        process.stdin.flush()
        # The first 500 of them are a batch; the pipe stays open, and nothing more comes.
        wait_for_rows(typed.folder, before)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert typed.json("totals", "Ended", "--now")["totals"]["requests"] == 500


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "engine").rglob("*") if path.is_file())


def wait_for_rows(folder: Path, before: int) -> None:
    """Until the database has grown, and grows no more: the process waits for others."""
    size, until = before, time.monotonic() + PATIENCE
    while time.monotonic() < until:
        time.sleep(0.7)
        now = size_of(folder)
        if now == size and now > before + 100_000:
            return
        size = now
    raise AssertionError("nothing was recorded")


def test_killed_and_run_again_everything_counts_once(typed: Typed, tmp_path: Path) -> None:
    rows = usage(4000, seed=32)
    write(tmp_path / "rows.jsonl", rows)
    if "Ended" not in typed("org", "list").out:
        provision(typed, "Ended")
    before = typed.json("totals", "Ended")["totals"]["requests"]
    with recording(typed.folder) as process:
        time.sleep(2.5)
        process.kill()
    again = typed.json("record", "rows.jsonl", "--org", "Ended", "--app", "web")
    assert (again["recorded"] + again["duplicate"], again["rejected"]) == (4000, 0)
    assert typed.json("totals", "Ended", "--now")["totals"]["requests"] == before + 4000
    assert typed.json("reconcile", "Ended")["clean"] is True
