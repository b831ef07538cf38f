"""What is printed into a pipe that is closed early ends quietly."""

from __future__ import annotations

import subprocess
import sys


def test_a_reader_that_has_seen_enough() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tablewright", "plan", "ladders"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as command:
        assert command.stdout is not None
        command.stdout.close()
        assert command.stderr is not None
        assert command.stderr.read() == b""
    assert command.returncode != 0
