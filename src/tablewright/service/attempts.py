"""Attempts under way, so that no more of them run at once than may still fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

#: Of one subject. Whoever has more than this in the air is not signing in.
MOST_WAITING = 256


class Attempt:
    """One attempt; it counts only if it is said to have failed."""

    def __init__(self) -> None:
        self.has_failed = False

    def failed(self) -> None:
        self.has_failed = True


class _Gate:
    def __init__(self) -> None:
        self.pending = 0
        self.waiting: set[asyncio.Future[None]] = set()


class Attempts:
    """The attempts of a process, by bucket and subject."""

    def __init__(self) -> None:
        self._gates: dict[tuple[str, str], _Gate] = {}

    def pending(self, bucket: str, subject: str) -> int:
        """How many are under way."""
        gate = self._gates.get((bucket, subject))
        return 0 if gate is None else gate.pending

    async def enter(self, bucket: str, subject: str, room: Callable[[], Awaitable[int]]) -> bool:
        """Wait until another one may run: fewer are under way than ``room()``.

        False if too many wait already; what ``room`` raises is raised.
        """
        while True:
            left = await room()
            gate = self._gates.get((bucket, subject))
            if left > (0 if gate is None else gate.pending):
                self._gates.setdefault((bucket, subject), _Gate()).pending += 1
                return True
            if gate is None:  # those under way left while we asked for room: ask again
                continue
            if len(gate.waiting) >= MOST_WAITING:
                return False
            await self._change(gate)

    def leave(self, bucket: str, subject: str) -> None:
        """One is done; those that wait look again."""
        gate = self._gates[bucket, subject]
        gate.pending -= 1
        for future in gate.waiting:
            if not future.done():
                future.set_result(None)
        if not gate.pending:
            del self._gates[bucket, subject]

    @staticmethod
    async def _change(gate: _Gate) -> None:
        future = asyncio.get_running_loop().create_future()
        gate.waiting.add(future)
        try:
            await future
        finally:
            gate.waiting.discard(future)
