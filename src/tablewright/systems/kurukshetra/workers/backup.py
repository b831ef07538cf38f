"""Each day at 02:00 UTC: a backup of what is stored, kept for seven days.

No longer: who was erased is in there, and would be again after a restore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service import backups
from tablewright.service.kit import kit
from tablewright.systems.kurukshetra.base import table

if TYPE_CHECKING:
    from tablewright.service.workers import Worker
    from tablewright.systems.kurukshetra.service.festival import Festival

KEPT_DAYS = 7


def worker(festival: Festival) -> Worker:
    """The table, and the kit's: they refer to each other."""
    return backups.worker(festival.runtime, (table, kit), keep_days=KEPT_DAYS)
