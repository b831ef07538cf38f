"""All items of the demo."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from tablewright.model import Entity
from tablewright.systems.kurukshetra.demo_items.door import certificate, checkin, scan
from tablewright.systems.kurukshetra.demo_items.events import config, event, question, seats
from tablewright.systems.kurukshetra.demo_items.made_up import FEE, MAIN, NOW, OPENED, SMALL, uuid
from tablewright.systems.kurukshetra.demo_items.money import (
    finding,
    notice,
    ordered,
    payment,
    refund_due,
    voucher,
)
from tablewright.systems.kurukshetra.demo_items.people import (
    answer,
    draft,
    erasure,
    person,
    registered,
    role,
    role_holder,
)
from tablewright.systems.kurukshetra.demo_items.teams import (
    TEAMS,
    WAITING_TEAMS,
    founded,
    hold,
    invited,
    submission,
    team,
)
from tablewright.systems.kurukshetra.demo_items.work import job, mail_day, turn
from tablewright.systems.kurukshetra.events import Statistics, TrackStatistics
from tablewright.systems.kurukshetra.payments import VoucherLink, VoucherUse
from tablewright.systems.kurukshetra.teams import RepositoryLock, Wait


def _events() -> Iterable[Entity]:
    yield event(MAIN, "CodeKurukshetra")
    yield config(MAIN, 500)
    # Two teams have paid, two hold a seat.
    yield seats(MAIN, 500, 496)
    yield question(1, "diet", "What do you eat?")
    yield question(2, "shirt", "Which size do you wear?")
    yield event(SMALL, "CodeKurukshetra Mini")
    yield config(SMALL, 3)
    yield seats(SMALL, 3, 1, waiting=2, position=4)
    yield Statistics(
        event_id=MAIN,
        day=date(2026, 11, 14),
        shard=3,
        registrations=4,
        teams=2,
        paid=1,
        revenue=FEE,
        paid_ai_ml=1,
        created_at=NOW - timedelta(days=1),
    )
    yield TrackStatistics(
        event_id=SMALL,
        day=date(2026, 11, 14),
        track="robotics",
        shard=2,
        paid=1,
        created_at=NOW - timedelta(days=1),
    )


def _extras() -> Iterable[Entity]:
    """What hangs on people and teams beside what every one of them has."""
    yield answer(1)
    yield checkin(1)
    yield scan("nonce-0001", 1)
    yield certificate("7ZKX3M9QH2C4W8TN", 1)
    yield role(90, "volunteer")
    yield role(91, "organizer", "finance")
    yield role_holder(90, "volunteer")
    yield role_holder(91, "organizer", "finance")
    yield draft(60)
    yield invited(1)
    yield submission(1)
    yield RepositoryLock(
        event_id=MAIN, repository="github.com/demo/team-1", owner=uuid(2, 1), created_at=NOW
    )
    yield voucher("EARLYBIRD", 10, 50)
    yield voucher("SPONSORED", 100, 5)
    yield VoucherLink(event_id=MAIN, code="EARLYBIRD", created_at=OPENED)
    yield VoucherLink(event_id=MAIN, code="SPONSORED", created_at=OPENED)
    yield VoucherUse(
        event_id=MAIN,
        code="EARLYBIRD",
        team_id=uuid(2, 1),
        payment_id=uuid(3, 1),
        created_at=OPENED,
    )
    yield notice(1, "payment.captured")
    # Of a refund that ended long ago: whoever looks at it next takes it off the list.
    yield refund_due(31, 31)
    yield finding(1)
    yield erasure(21)
    yield job(1)
    yield turn(job(1))
    yield from registered(person(20))
    yield from registered(person(21))


def items() -> tuple[Entity, ...]:
    found = [*_events()]
    for name in (*TEAMS, *WAITING_TEAMS):
        of = team(name)
        found += founded(of)
        if of.hold_expires_at is not None:
            found.append(hold(of))
        if of.wait_position is not None:
            found.append(
                Wait(
                    event_id=of.event_id,
                    position=of.wait_position,
                    team_id=of.team_id,
                    created_at=of.updated_at,
                )
            )
    for number, status in ((1, "paid"), (3, "created"), (5, "created"), (11, "paid")):
        found += ordered(payment(number, status))  # type: ignore[arg-type]
    found += ordered(payment(13, "expired"))
    found += ordered(payment(31, "paid", SMALL))
    return (*found, mail_day(), *_extras())
