"""The command line on a place with tables, and without settings from outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.systems.kurukshetra.cli.placed import Placed

OUTSIDE = ("AWS_", "TABLEWRIGHT_", "KURUKSHETRA_", "RAZORPAY_")


@pytest.fixture
def placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Placed:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(OUTSIDE)]:
        monkeypatch.delenv(name)
    made = Placed(tmp_path / "data", capsys)
    done = made.bare("tables", "setup", "kurukshetra", "--data", str(made.folder), "--quiet")
    assert done.code == 0, done
    return made
