"""What is to be erased is erased here, where nobody else does it."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.service.commands import Answer, Desk
from tablewright.systems.vibejudge.cli.given import Courtroom


async def erased(courtroom: Courtroom, desk: Desk, line: str, told: Mapping[str, object]) -> Answer:
    """The rest of it, too, unless a process runs that goes on with it."""
    from tablewright.systems.vibejudge.cli.working import is_worked_on

    elsewhere = desk.joined or await is_worked_on(courtroom)
    if elsewhere:
        rest = "What belongs to it is erased by the process that runs here."
        return Answer([line, rest], {**told, "erased": False})
    desk.tick("erasing what belongs to it")
    async with courtroom.lifespan():
        await courtroom.erasing.work()
    left = await _left(courtroom, told)
    later = "Work on it had not ended: the rest goes in two minutes, with tablewright up."
    rest = later if left else "So is everything that belongs to it."
    return Answer([line, rest], {**told, "erased": not left})


async def _left(courtroom: Courtroom, told: Mapping[str, object]) -> bool:
    from tablewright.systems.vibejudge import erasing_reads

    ids = set(told.values())
    return any(
        [
            each.hack_id in ids or each.org_id in ids
            async for each in courtroom.db.iterate(erasing_reads.erasures())
        ]
    )
