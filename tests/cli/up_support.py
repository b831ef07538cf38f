"""`tablewright up` in a process of its own, for tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "tablewright"]
PATIENCE = 90


def environment(**given: str) -> dict[str, str]:
    return {**os.environ, **given}


def run(*arguments: str, cwd: Path, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(**given),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


class Up:
    """The command while it runs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        line = process.stdout.readline()
        assert line, f"it did not start (exit status {process.wait(PATIENCE)})"
        self.facts: dict[str, Any] = json.loads(line)

    @property
    def url(self) -> str:
        return str(self.facts["url"])

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def started(*arguments: str, cwd: Path, **given: str) -> Iterator[Up]:
    process = subprocess.Popen(
        [*COMMAND, "up", "--port", "0", "--json", *arguments],
        cwd=cwd,
        env=environment(**given),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Up(process)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()
