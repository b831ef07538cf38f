"""Several queries as one list, the latest first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from tablewright.systems.sentiment.rules.filters import ArticleRow
from tablewright.systems.sentiment.service.articles.lanes import Lane, Place


class Merging:
    """Reads as far as it has to, and never more than ``most`` rows."""

    def __init__(
        self, lanes: Sequence[Lane[Any]], places: Sequence[Place], *, chunk: int, most: int
    ) -> None:
        self._lanes = lanes
        self._chunk = chunk
        self._left = most
        for lane, place in zip(lanes, places, strict=True):
            lane.begin(place)

    async def next(self) -> ArticleRow | None:
        """The next row; None at the end, and when enough was read."""
        if not await self._filled():
            return None
        waiting = [lane for lane in self._lanes if lane.entries]
        if not waiting:
            return None
        return max(waiting, key=lambda lane: lane.entries[0].row.timestamp).take()

    async def _filled(self) -> bool:
        """Whether the next row of every lane is known."""
        while dry := [lane for lane in self._lanes if lane.dry]:
            count = min(self._chunk, self._left // len(dry))
            if count < 1:
                return False
            self._left -= sum(await asyncio.gather(*(lane.fill(count) for lane in dry)))
        return True

    @property
    def ended(self) -> bool:
        return all(lane.ended for lane in self._lanes)

    @property
    def places(self) -> list[Place]:
        return [lane.place for lane in self._lanes]
