"""The nightly comparison of statistics: what differs is put right, what is under way is let be."""

from __future__ import annotations

from tests.systems.kurukshetra.erasing.support import paying
from tests.systems.kurukshetra.support import (
    EVENT,
    audited,
    event_made,
    festival_on,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend

DAY = 24 * 3600


async def miscount(festival: Festival, **amounts: int) -> None:
    now = festival.events.moment(await festival.events.config(EVENT))
    await festival.db.run(m.correct_statistics(EVENT, now, "a mistake", amounts))


def test_figures_are_put_right(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=2, track="ai-ml")
            await paying(festival, made)
            # Who is erased stays counted.
            await festival.erasing.erase(made.members[1], made.members[1].participant())
            right = (await festival.statistics.of(EVENT)).sums
            await miscount(festival, registrations=5, revenue=-100, paid_ai_ml=1, joins=1)
            assert (await festival.statistics.audit()).differences == (), "today goes on"
            clock.advance(DAY)
            await registered(festival, EVENT, "asha")
            only_told = await festival.statistics.audit(fix=False)
            done = await festival.statistics.audit()
            assert done.differences == only_told.differences
            assert {(e.name, e.stored, e.counted) for e in done.differences} == {
                ("registrations", 7, 2),
                ("revenue", 99800, 99900),
                ("paid_ai_ml", 2, 1),
            }
            assert (await festival.statistics.audit()).differences == ()
            after = (await festival.statistics.of(EVENT)).sums
            assert (after.registrations, after.revenue) == (3, right.revenue)
            assert after.paid_by_track == right.paid_by_track
            assert after.joins == right.joins + 1, "what leaves no trace is not judged"
            assert ("statistics.correct", f"event/{EVENT}") in await audited(festival)

    run(main())
