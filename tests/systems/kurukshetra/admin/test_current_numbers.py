"""Statistics of own tracks, and current numbers beside those of all time."""

from __future__ import annotations

from tests.systems.kurukshetra.erasing.support import paying
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    ORGANIZER,
    api_on,
    event_made,
    festival_on,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra import model as m
from tablewright.testing import Backend

STATISTICS = f"/events/{EVENT}/admin/statistics"
DAY = 24 * 3600


def test_statistics_count_own_tracks_by_name(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival, tracks=["robotics", "ai-ml", "space"])
            for track in ("robotics", "robotics", "ai-ml"):
                await paying(api.festival, await team_made(api.festival, track=track))
            found = await api.as_(ORGANIZER).get(STATISTICS)
            expected = {"robotics": 2, "ai-ml": 1}
            assert found["sums"]["paid_by_track"] == expected
            assert found["days"][-1]["paid_by_track"] == expected
            assert found["now"]["paid_teams_by_track"] == expected

    run(main())


def test_statistics_when_a_free_seat_is_taken_count_the_own_track(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival, tracks=["robotics"], team_fee=0)
            made = await team_made(api.festival, track="robotics")
            leader = api.as_(made.leader.principal)
            await leader.done("POST", f"/events/{EVENT}/team/{made.team_id}/checkout", {})
            found = await api.as_(ORGANIZER).get(STATISTICS)
            assert found["sums"]["paid_by_track"] == {"robotics": 1}

    run(main())


def test_paid_teams_after_a_released_seat_are_those_paid_now(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            teams = [await team_made(api.festival, track="ai-ml") for _ in range(3)]
            for each in teams:
                await paying(api.festival, each)
            path = f"/events/{EVENT}/admin/release/{teams[0].team_id}"
            assert (await api.as_(FINANCE)("POST", path)).is_success
            clock.advance(3)
            found = await api.as_(ORGANIZER).get(STATISTICS)
            assert found["now"] == {"paid_teams": 2, "paid_teams_by_track": {"ai-ml": 2}}
            assert found["sums"]["paid"] == 3

    run(main())


def test_audit_moves_teams_counted_as_other_to_their_own_track(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival, tracks=["robotics"])
            await paying(festival, await team_made(festival, track="robotics"))
            # As an earlier release has counted it.
            now = festival.events.moment(config)
            await festival.db.run(m.correct_track_statistics(EVENT, now, "x", "robotics", -1))
            await festival.db.run(m.correct_statistics(EVENT, now, "x", {"paid_other": 1}))
            before = (await festival.statistics.of(EVENT)).sums.paid_by_track
            assert before == (("other", 1),)
            clock.advance(DAY)
            await festival.statistics.audit()
            after = (await festival.statistics.of(EVENT)).sums.paid_by_track
            assert after == (("robotics", 1),)
            assert (await festival.statistics.audit()).differences == ()

    run(main())
