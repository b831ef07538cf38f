"""Demo data, once: only into tables that were made for it.

``DATA/demo.json`` remembers where filling has begun and where it is done, so that a process that
was killed in between goes on with it, and none does it twice.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

NAME = "demo.json"
State = Literal["begun", "done"]


class FirstStart:
    """What is to be filled."""

    def __init__(self, folder: Path | None, *, wanted: bool) -> None:
        self._path = None if folder is None else folder / NAME
        self._wanted = wanted
        self._states: dict[str, State] = _read(self._path)

    def found(self, system: str, *, fresh: bool) -> None:
        """Say whether a system's tables have just been made."""
        if fresh and self._wanted:
            self._set(system, "begun")

    def wants(self, system: str) -> bool:
        return self._wanted and self._states.get(system) == "begun"

    async def fill(self, system: str, demo: Callable[[], Awaitable[None]] | None) -> None:
        """Fill it, if it is to be."""
        if demo is not None and self.wants(system):
            await demo()
            self._set(system, "done")

    def _set(self, system: str, state: State) -> None:
        self._states[system] = state
        if self._path is not None:
            fresh = self._path.with_name(f"{NAME}.new")
            fresh.write_text(json.dumps(self._states) + "\n")
            fresh.replace(self._path)


def _read(path: Path | None) -> dict[str, State]:
    try:
        found = {} if path is None else json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
