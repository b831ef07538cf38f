"""The eraser: goes on with what is to be erased, every half a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

EVERY_SECS = 30.0


def worker(courtroom: Courtroom) -> Worker:
    """No fence is needed: to delete what is gone changes nothing."""

    async def run(held: Held) -> None:
        await courtroom.erasing.work()

    return Worker("erase", EVERY_SECS, run, lease_secs=120)
