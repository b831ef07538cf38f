"""The blender: final scores, soon after a round is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Mostly there is nothing to do, which it finds out without asking the store.
EVERY_SECS = 2.0


def worker(courtroom: Courtroom) -> Worker:
    """No fence is needed: what two processes compute is the same, and each write has the version
    that it rests on."""

    async def run(held: Held) -> None:
        await courtroom.judging.blending.work()

    return Worker("blend", EVERY_SECS, run)
