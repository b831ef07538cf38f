"""The event that is over: who came, and what they got for it."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from tablewright.service.workers import Leases
from tablewright.systems.kurukshetra.certificates.press import Kind
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.live_demo import past
from tablewright.systems.kurukshetra.live_demo.cast import ORGANIZER, VOLUNTEER, principal_of
from tablewright.systems.kurukshetra.live_demo.plans import Plan
from tablewright.systems.kurukshetra.service.certificates.certificates import JOB
from tablewright.systems.kurukshetra.service.jobs import LEASE_SECS, WORKER
from tablewright.systems.kurukshetra.tickets.door import Scanned

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Of those with a ticket: who comes, and who eats there.
_COME, _EAT = 0.93, 0.85
_LIST: Final = "entry"


async def opened(festival: Festival, config: Config, teams: Sequence[Plan]) -> None:
    """Let them in, on the first morning and at lunch; what was scanned is not scanned again."""
    then = past.at(festival, config.event_end)
    volunteer = await then.access.caller(VOLUNTEER, config.event_id)
    scans = [each async for each in _scans(then, config, teams)]
    await then.door.batch(volunteer, scans)


async def _scans(
    festival: Festival, config: Config, teams: Sequence[Plan]
) -> AsyncIterator[Scanned]:
    chance = random.Random(config.event_id)
    for number, plan in enumerate(teams):
        for place, someone in enumerate(plan.people):
            come, eat = chance.random() < _COME or number == 0, chance.random() < _EAT
            passed, later = chance.random(), chance.random()
            if plan.goal != "paid" or not come:
                continue
            by = await festival.access.now(principal_of(someone), config.event_id)
            text = (await festival.tickets.ticket(by)).text
            name = f"demo-{number:03d}-{place}"
            at = config.event_start + timedelta(minutes=int(110 * passed * passed))
            yield Scanned(f"{name}-{_LIST}", text, _LIST, at)
            if eat:
                noon = config.event_start + timedelta(hours=4, minutes=int(75 * later))
                yield Scanned(f"{name}-lunch", text, "lunch", noon)


async def honoured(festival: Festival, config: Config, winners: Plan) -> None:
    """Certificates, two days later: for who was there, and for who won."""
    leases = Leases(festival.db, festival.runtime.clock)
    held = await leases.acquire(f"{WORKER}/{JOB}", LEASE_SECS)
    then = past.at(festival, config.event_end + timedelta(days=2))
    if held is None:
        # The workers of this process are quicker: they do it.
        await _ordered(then, config, winners)
        return
    async with leases.keeping(held):
        await _ordered(then, config, winners)
        await then.jobs.work(held)


async def _ordered(festival: Festival, config: Config, winners: Plan) -> None:
    """One job for each kind; those that were begun before are left alone."""
    organizer = await festival.access.caller(ORGANIZER, config.event_id)
    there = await festival.jobs.all(organizer, 50, None)
    asked = {str(each.detail.get("kind")) for each in there}
    callers = [
        await festival.access.now(principal_of(each), config.event_id) for each in winners.people
    ]
    won = [each.participant() for each in callers]
    orders: dict[Kind, list[str] | None] = {"participation": None, "winner": won}
    for kind, people in orders.items():
        if kind not in asked:
            await festival.certificates.issue(organizer, kind, _LIST, people)
