"""The command line on a place with tables, and without settings from outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.systems.ladders.cli.placed import OUTSIDE, Placed


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, with nothing set and no credentials to be found."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(OUTSIDE)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")


@pytest.fixture
def placed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Placed:
    made = Placed(tmp_path / "data", capsys)
    done = made.bare("tables", "setup", "ladders", "--data", str(made.folder), "--quiet")
    assert done.code == 0, done
    return made
