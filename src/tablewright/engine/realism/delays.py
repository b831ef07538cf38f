"""Tables that stay CREATING and DELETING for a while, as the service's do.

The table itself is there, or gone, at once: only what is said of it, and whether it takes requests,
waits for the time to pass. Nothing of it is stored, so that an engine that opens a folder finds
every table settled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.clock import Clock


class TableDelays:
    """What is being created or deleted, by name."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        self._clock = clock
        self.seconds = seconds
        self._creating: dict[str, float] = {}
        self._deleting: dict[str, tuple[float, Callable[[], dict[str, Any]]]] = {}

    def start_creation(self, name: str) -> None:
        """Have the new table be CREATING for a while."""
        self._creating[name] = self._clock.now() + self.seconds

    def start_deletion(self, name: str, describe: Callable[[], dict[str, Any]]) -> None:
        """Have the deleted table be DELETING for a while; ``describe`` returns its description."""
        self._creating.pop(name, None)
        self._deleting[name] = self._clock.now() + self.seconds, describe

    def is_creating(self, name: str) -> bool:
        """Whether the table is still being created."""
        due = self._creating.get(name)
        if due is None:
            return False
        if self._clock.now() < due:
            return True
        self._creating.pop(name, None)
        return False

    def deleted_table(self, name: str) -> dict[str, Any] | None:
        """The description of a table that is still being deleted, else None."""
        found = self._deleting.get(name)
        if found is None:
            return None
        due, describe = found
        if self._clock.now() < due:
            return describe()
        self._deleting.pop(name, None)
        return None

    def deleting(self) -> list[str]:
        """The names of the tables that are still being deleted."""
        return [name for name in list(self._deleting) if self.deleted_table(name) is not None]
