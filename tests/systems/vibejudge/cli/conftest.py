"""The command line, and a repository to look at."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing
from tests.systems.vibejudge.cli.placed import Placed
from tests.systems.vibejudge.repos.support import HOUR, START, Repo

NAME = "<b>evil[red] & co"
CODE = """import sqlite3

def load(ids):
    for each in ids:
        sqlite3.connect("x").execute(f"SELECT a FROM t WHERE i = {each}")
    return eval(ids)  # \x1b[31m<script>alert(1)</script>
"""


class Typed(Typing):
    """`tablewright vibejudge ...` in this process; no place is needed."""

    def __call__(self, *words: str) -> Said:
        return self.bare("vibejudge", *words)


@pytest.fixture
def typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(tmp_path, capsys)


@pytest.fixture(scope="session")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """Its names and its code speak to terminals and browsers."""
    repo = Repo(tmp_path_factory.mktemp("evil") / NAME)
    for number in range(6):
        code = CODE + f"\nX = {number}\n"
        repo.commit({"app/<i>main</i>.py": code, "README.md": "# A\n"}, at=START + number * HOUR)
    return repo


@pytest.fixture
def placed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Placed:
    """The command line on a place with tables, and without settings from outside."""
    monkeypatch.chdir(tmp_path)
    outside = ("AWS_", "TABLEWRIGHT_", "VIBEJUDGE_")
    for name in [name for name in os.environ if name.startswith(outside)]:
        monkeypatch.delenv(name)
    made = Placed(tmp_path, capsys)
    done = made.bare("tables", "setup", "vibejudge", "--data", str(made.folder), "--quiet")
    assert done.code == 0, done
    return made
