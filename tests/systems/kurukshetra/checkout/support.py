"""Teams that are ready to pay, and what must hold of seats at any time."""

from __future__ import annotations

from collections import Counter
from uuid import uuid4

from tests.systems.kurukshetra.support import EVENT, NOW, person

from tablewright.model import put
from tablewright.service.kit.entities import OutboxEntry, pending_in
from tablewright.service.kit.patterns import messages_in
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.checkout import CheckoutIn
from tablewright.systems.kurukshetra.fields import SEATED
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.checkout import Started
from tablewright.systems.kurukshetra.service.festival import Festival

#: Teams that one transaction has room for.
_AT_ONCE = 50


async def ready(festival: Festival, count: int, size: int = 2, **said: object) -> list[m.Team]:
    """Teams that only lack a seat, straight in the table: their people have no profiles."""
    teams = [_team(number, size, said) for number in range(count)]
    for start in range(0, count, _AT_ONCE):
        some = teams[start : start + _AT_ONCE]
        await festival.db.transact(*map(put, some), *(put(_member(each)) for each in some))
    return teams


def _team(number: int, size: int, said: dict[str, object]) -> m.Team:
    wanted = {
        "event_id": EVENT,
        "team_id": str(uuid4()),
        "name": f"Team {number}",
        "track": "ai-ml",
        "leader_participant_id": str(uuid4()),
        "member_count": size,
        "created_at": NOW,
        "updated_at": NOW,
        **said,
    }
    return m.Team.model_validate(wanted)


def _member(team: m.Team) -> m.Member:
    return m.Member(
        event_id=team.event_id,
        team_id=team.team_id,
        participant_id=team.leader_participant_id,
        joined_at=NOW,
        created_at=NOW,
    )


def leader(festival: Festival, team: m.Team) -> Caller:
    """Who leads such a team."""
    who = person(f"leader-{team.leader_participant_id[:8]}")
    return Caller(
        principal=who,
        event_id=team.event_id,
        uid_hash=festival.privacy.blind.uid(who.id),
        participant_id=team.leader_participant_id,
        team_id=team.team_id,
    )


async def checkout(festival: Festival, team: m.Team, voucher: str | None = None) -> Started:
    by = leader(festival, team)
    return await festival.checkout.start(by, team.team_id, CheckoutIn(voucher=voucher))


async def stored(festival: Festival, team: m.Team) -> m.Team:
    return await festival.db.require(m.team(team.event_id, team.team_id))


async def told(festival: Festival, team: m.Team) -> list[str]:
    """The kinds of what waits to be told to who leads a team."""
    person = f"leader/{team.event_id}/{team.team_id}"
    waiting = festival.db.iterate(messages_in(pending_in(person)))
    found: list[OutboxEntry] = [each async for each in waiting]
    return [each.kind for each in found if each.subject == person]


async def check_seats(festival: Festival, event_id: str = EVENT) -> Counter[str]:
    """What is always true of an event's seats; and how many teams are in each state."""
    db = festival.db
    seats = await db.require(m.seats(event_id))
    teams = [each async for each in db.iterate(m.every_team()) if each.event_id == event_id]
    states = Counter(each.payment_status for each in teams)
    assert seats.free + sum(states[each] for each in SEATED) == seats.capacity
    waits = [(each.position, each.team_id) async for each in db.iterate(m.queue(event_id))]
    waiting = [each for each in teams if each.payment_status == "waitlisted"]
    assert waits == sorted((each.wait_position, each.team_id) for each in waiting)
    assert seats.waiting == len(waits)
    late = m.due_holds(event_id, NOW.replace(year=NOW.year + 1))
    holds = [(each.expires_at, each.team_id) async for each in db.iterate(late)]
    holding = [each for each in teams if each.payment_status in ("pending", "offered")]
    assert holds == sorted((each.hold_expires_at, each.team_id) for each in holding)
    return Counter({str(state): count for state, count in states.items()})
