"""The freezer: pins the commits of hackathons that have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

EVERY_SECS = 30.0


def worker(courtroom: Courtroom) -> Worker:
    """No fence is needed: a commit is pinned once, whoever comes first."""

    async def run(held: Held) -> None:
        await courtroom.freezing.ring()

    return Worker("freeze", EVERY_SECS, run)
