"""The examples pass the type checker in its strictest mode, as the README of a library should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow  # `make check` does it as well
def test_mypy(tmp_path: Path) -> None:
    # Silent imports: the package itself is checked elsewhere.
    options = ("--strict", "--follow-imports=silent", "--no-error-summary")
    command = (sys.executable, "-m", "mypy", *options, "--cache-dir", str(tmp_path), "examples")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
