"""Takes away what models answered, after 90 days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Worker

if TYPE_CHECKING:
    from tablewright.service.workers import Held
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

NAME = "blobs"
EVERY_SECS = 6 * 3600.0


def worker(courtroom: Courtroom) -> Worker:
    async def run(held: Held) -> None:
        await courtroom.blobs.sweep()

    return Worker(NAME, EVERY_SECS, run)
