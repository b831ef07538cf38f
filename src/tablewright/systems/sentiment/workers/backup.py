"""Each day at 02:00 UTC: a backup of what is stored, kept for seven days.

No longer, for what has to be erased would outlive its 30 days.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service import backups
from tablewright.service.kit import kit
from tablewright.service.workers import Worker
from tablewright.systems.sentiment.articles import items

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

KEPT_DAYS = 7


def worker(newsroom: Newsroom) -> Worker:
    """The table, and the kit's: they refer to each other."""
    return backups.worker(newsroom.runtime, (items, kit), keep_days=KEPT_DAYS)
