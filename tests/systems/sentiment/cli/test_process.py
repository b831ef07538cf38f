"""`tablewright sentiment` in processes: joining a running place, running the demo, interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.up_support import COMMAND, PATIENCE, environment, run, started
from tests.systems.sentiment.cli.typing_support import BAD, news, write

pytestmark = pytest.mark.e2e


def told(cwd: Path, *words: str, code: int = 0) -> Any:
    """What a command in a process of its own gives, on the usual folder."""
    done = run("sentiment", *words, "--json", cwd=cwd)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def eventually(look: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not look():
        assert time.monotonic() < until
        time.sleep(0.3)


@pytest.mark.slow
def test_joining_a_place_that_runs(tmp_path: Path) -> None:
    """What is typed while `tablewright up` owns the folder is analysed there."""
    with started("sentiment", "--data", "data", cwd=tmp_path) as up:
        told(tmp_path, "watch", "add", "AI")
        write(tmp_path / "some.jsonl", news("joined", 20, BAD))
        taken = told(tmp_path, "replay", "some.jsonl")
        assert (taken["new"], taken["analysis"]["elsewhere"]) == (20, True)
        eventually(lambda: len(told(tmp_path, "tail", "--lines", "100")) == 20)
        refused = run("sentiment", "demo", "--with-newsapi", cwd=tmp_path)
        assert refused.returncode == 2
        assert "Stop it first" in refused.stderr
        there = ("--articles", "50", "--seconds", "0.5", "--data", "data")
        burst = told(tmp_path, "bench", "burst", *there)
        assert (burst["lost"], burst["doubled"], burst["drift"]) == (0, 0, 0)
        assert up.stop() == 0
    assert len(told(tmp_path, "tail", "--lines", "100", "--tag", "ai")) == 20
    assert [each["tag"] for each in told(tmp_path, "watch", "list")] == ["AI"]


@pytest.mark.slow
def test_the_demo_with_a_newsapi_of_its_own(tmp_path: Path) -> None:
    """Articles arrive over HTTP; the key is nowhere to be seen; Ctrl-C ends all of it."""
    words = ["sentiment", "demo", "--with-newsapi", "--port", "0", "--data", "data"]
    with subprocess.Popen(
        [*COMMAND, *words],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            while "is running at" not in (line := process.stdout.readline()):
                assert line, "it ended"
            eventually(lambda: _from_newsapi(tmp_path) > 10)
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode in (0, 130), err
    assert "Traceback" not in out + err
    # Without the stand-in, its source is left alone.
    told(tmp_path, "demo")
    done = run("sentiment", "ingest", "stand-in", cwd=tmp_path)
    assert done.returncode == 2
    assert "switched off" in done.stderr


def _from_newsapi(folder: Path) -> int:
    done = run("sentiment", "tail", "--lines", "100", "--json", cwd=folder)
    return sum(each["id"].startswith("newsapi:") for each in json.loads(done.stdout))


def test_following_ends_with_ctrl_c(tmp_path: Path) -> None:
    assert run("tables", "setup", "sentiment", "--data", "data", cwd=tmp_path).returncode == 0
    told(tmp_path, "watch", "add", "AI")
    write(tmp_path / "some.jsonl", news("followed", 3))
    told(tmp_path, "replay", "some.jsonl")
    with subprocess.Popen(
        [*COMMAND, "sentiment", "tail", "--follow"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert all("positive" in line for line in lines)
    assert (process.returncode, err) == (130, "")
