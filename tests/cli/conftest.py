"""Fixtures of the tests of commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.pricekeeping import Typed


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder for all tests of a module."""
    return tmp_path_factory.mktemp("place") / "data"


@pytest.fixture
def typed(
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Typed:
    """The command line on the module's place, with the tables of pricekeeper in it."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("AWS_", "TABLEWRIGHT_"))]:
        monkeypatch.delenv(name)
    found = Typed(place, capsys)
    if not place.exists():
        made = found.bare("tables", "setup", "pricekeeper", "--data", str(place), "--quiet")
        assert made.code == 0, made
    return found
