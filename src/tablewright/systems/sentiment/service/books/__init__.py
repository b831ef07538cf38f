"""Checks of the whole: counting again, and rows that have lost their article."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.systems.sentiment.service.books.checking import Checking, Findings
from tablewright.systems.sentiment.service.books.drift import Drift, Recount
from tablewright.systems.sentiment.service.books.recounting import Recounting

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

__all__ = ["Books", "Drift", "Findings", "Recount"]


class Books:
    """What the counts say, held against what there is."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def recount(
        self,
        since: datetime,
        until: datetime,
        *,
        fix: bool = False,
        closed_only: bool = True,
    ) -> Recount:
        """Count the articles of these hours again, and compare; ``fix`` puts counts right.

        Only hours that are over, unless ``closed_only`` is False, and whose articles have not
        ended. It may be stopped and started again at any time, and others may write meanwhile.
        """
        return await Recounting(self._newsroom, fix=fix).run(since, until, closed_only)

    async def fsck(self) -> Findings:
        """Read the whole table for rows that have lost what they belong to."""
        return await Checking(self._newsroom).run()
