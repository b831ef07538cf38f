"""`tablewright vibejudge ...` on a data folder, and repositories that may be handed in there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing
from tests.systems.vibejudge.repos.support import Repo

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system

T = TypeVar("T")

JAM = "Winter Code Jam"
#: It runs whenever the test does.
DATES = ("--start", "2020-01-01", "--end", "2090-01-01")
#: It is over.
OVER = ("--start", "2020-01-01", "--end", "2020-01-02")
CODE = "def main():\n    return 1\n"


class Placed(Typing):
    """With settings that allow the repositories below one folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        super().__init__(folder / "data", capsys)
        self.repos = folder / "repos"
        self.config = folder / "try.toml"
        self.set()

    def set(self, **options: object) -> None:
        """Other settings of vibejudge's."""
        said = {"allow_local_paths": True, "local_root": self.repos, "processes": 2, **options}
        lines = [f"{name} = {_toml(value)}\n" for name, value in said.items()]
        self.config.write_text("[vibejudge]\n" + "".join(lines))

    def __call__(self, *words: str) -> Said:
        place = ("--data", str(self.folder), "--config", str(self.config))
        return self.bare("vibejudge", *words, *place)

    def repo(self, name: str) -> str:
        repo = Repo(self.repos / name)
        repo.commit({"app.py": f"{CODE}# {name}\n", "README.md": f"# {name}\n"})
        return str(repo.folder)

    def courtroom(self, work: Callable[[Courtroom], Awaitable[T]]) -> T:
        """The same data without the command."""

        async def done() -> T:
            with Engine(self.folder) as engine:
                transport = AsyncEmbedded(engine)
                try:
                    runtime = runtime_of(system, transport, Settings(data=self.folder), environ={})
                    return await work(Courtroom(runtime))
                finally:
                    await transport.close()

        return asyncio.run(done())


def _toml(value: object) -> str:
    if isinstance(value, bool | int):
        return str(value).lower()
    return f'"{value}"'


def open_jam(placed: Placed, *more: str, dates: tuple[str, ...] = DATES) -> Any:
    """An organiser with a hackathon that takes submissions."""
    placed.json("organizer", "add", "Ada", "--email", "ada@example.org", "--tier", "premium")
    placed.json("hackathon", "create", JAM, *dates, *more)
    return placed.json("hackathon", "activate", JAM)
