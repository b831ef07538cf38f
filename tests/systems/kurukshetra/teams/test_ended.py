"""Teams that have ended: nobody is kept in them."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    Made,
    caller,
    event_made,
    festival_on,
    moment,
    refused,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.model.errors import TransactionCancelled
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.demo_items import NOW
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.verifying import Verifying
from tablewright.testing.backends import Backend


async def released(festival: Festival) -> Made:
    """A team that had a seat, and has given it up."""
    made = await team_made(festival)
    await festival.checkout.start(made.leader, made.team_id, CheckoutIn())
    await festival.refunds.release(await caller(festival, FINANCE), made.team_id)
    return made


async def kind_of(festival: Festival, who: Caller) -> str:
    person = await festival.db.require(m.participant(EVENT, who.participant()))
    return person.registration_type


async def again(festival: Festival, who: Caller) -> Caller:
    return await caller(festival, who.principal)


def test_who_was_in_a_team_that_gave_up_its_seat_finds_another(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            # Nobody can come or go any more, but this is no team any more.
            await event_made(festival, team_fee=0, roster_lock_at=moment(NOW))
            made = await released(festival)
            leader, member = made.members
            assert await kind_of(festival, leader) == "team_member"
            same = TeamIn(name=made.team.name, track=made.team.track)
            assert (await refused(festival.teams.found(leader, same))).code == "ALREADY_IN_TEAM"
            await festival.teams.leave(leader, made.team_id)
            await festival.teams.leave(member, made.team_id)
            found = TeamIn(name="Second Try", track=made.team.track)
            second = await festival.teams.found(await again(festival, leader), found)
            assert second.leader_participant_id == leader.participant_id
            assert (await again(festival, member)).team_id is None
            assert await kind_of(festival, member) == "individual"
            left = await festival.db.require(m.team(EVENT, made.team_id))
            assert (left.payment_status, left.member_count) == ("refunded", 0)
            assert (await refused(festival.teams.leave(leader, made.team_id))).status == 404
            assert (await Verifying(festival).run()).findings == ()

    run(work())


def test_a_leader_who_is_gone_from_an_ended_team_is_no_fault(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival, team_fee=0)
            made = await released(festival)
            await festival.teams.leave(made.leader, made.team_id)
            assert (await Verifying(festival).run()).findings == ()

    run(work())


def test_nobody_joins_a_team_while_it_gives_up_its_seat(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """What was read before says that there is room."""

    async def work() -> None:
        async with festival_on(engine_backend, clock) as festival:
            config = await event_made(festival, team_fee=0)
            made, other = await released(festival), await team_made(festival, size=2)
            await festival.teams.leave(other.members[1], other.team_id)
            late = other.members[1].participant()
            assert made.team.invite_hash is not None
            now = festival.events.moment(config)
            op = m.join_team(EVENT, made.team_id, made.team.invite_hash, late, now)
            try:
                await festival.db.run(op)
            except TransactionCancelled:
                pass
            else:
                raise AssertionError("joined")

    run(work())
