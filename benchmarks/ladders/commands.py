"""The command line: how soon it starts, and how long it takes to set up and to verify the tables.

Each is a process of its own. The tables are those of an engine on this machine, over HTTP: what AWS
itself takes to make them is not in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson

from benchmarks.findings import Finding, at_most, exactly
from tablewright.engine import Engine
from tablewright.server import ServerThread

ROUNDS = 5
_KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    rounds = 2 if quick else ROUNDS
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        Engine(Path(place)) as engine,
        ServerThread(engine) as server,
    ):
        started = [_run("--help")[0] for _ in range(rounds)]
        on = ("--env", "dev", "--region", "eu-west-1", "--endpoint", server.url, "--json")
        setup, made = _run("tables", "setup", *on)
        verified = [_run("tables", "verify", *on) for _ in range(rounds)]
    good = orjson.loads(made)["success"] and all(
        orjson.loads(out)["success"] for _, out in verified
    )
    # What else the machine does only ever adds.
    note = f"the quickest of {rounds}"
    return [
        at_most("help", min(started), 2.0, "s", note),
        at_most("tables setup", setup, 60.0, "s", "six tables, and the kit's"),
        at_most("tables verify", min(secs for secs, _ in verified), 10.0, "s", note),
        exactly("that succeeded", float(good), 1),
    ]


def _run(*words: str) -> tuple[float, bytes]:
    """How long it took, and what it said."""
    command = [sys.executable, "-m", "tablewright", "ladders", *words]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, env={**os.environ, **_KEYS})
    secs = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.decode()} {done.stdout.decode()}")
    return secs, done.stdout
