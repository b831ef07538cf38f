"""What was written, told again to the planner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

from tablewright.client import AsyncDb
from tablewright.model import Op
from tablewright.model.ops import Delete, Put, Transaction, Update
from tablewright.plan.calls import units_of
from tablewright.plan.contents import Contents

_WRITES = (Put, Update, Delete, Transaction)


class Written:
    """Hears of all writes, as they are asked for, and lets the planner repeat them."""

    def __init__(self, tables: Mapping[str, Any]) -> None:
        self._tables = tables
        self._ops: list[Op[Any]] = []
        self._run = AsyncDb.run
        self._patch = mock.patch.object(AsyncDb, "run", self._hearing())

    def _hearing(self) -> Any:
        async def run(db: AsyncDb, op: Any, **more: Any) -> Any:
            if isinstance(op, _WRITES):
                self._ops.append(op)
            return await self._run(db, op, **more)

        return run

    def __enter__(self) -> Written:
        self._patch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.stop()

    def planned(self, since: str) -> float:
        """The write units of all that was written since the first call of a pattern."""
        contents = Contents(dict(self._tables))
        units, counting = 0.0, False
        for op in self._ops:
            counting = counting or op.pattern.startswith(since)
            used = units_of(op, contents)
            contents = used.after
            units += used.units.writes if counting else 0.0
        return units
