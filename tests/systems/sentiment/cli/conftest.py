"""Fixtures of the tests of sentiment's commands."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import Typed


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder for all tests of a module."""
    return tmp_path_factory.mktemp("place") / "data"


@pytest.fixture
def empty(
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Typed:
    """The command line, in an empty folder and without settings from outside."""
    monkeypatch.chdir(tmp_path)
    outside = ("AWS_", "TABLEWRIGHT_", "SENTIMENT_")
    for name in [name for name in os.environ if name.startswith(outside)]:
        monkeypatch.delenv(name)
    return Typed(place, capsys)


@pytest.fixture
def typed(empty: Typed) -> Typed:
    """The same on the module's place, with tables and the topic AI in it."""
    if not empty.folder.exists():
        made = empty.bare("tables", "setup", "sentiment", "--data", str(empty.folder), "--quiet")
        assert made.code == 0, made
        empty.json("watch", "add", "AI", "--any", "AI", "--any", "artificial intelligence")
    return empty
