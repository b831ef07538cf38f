"""The items of the demo: a hackathon in full swing, and a small one that is sold out.

People and texts are made up. What stands in sealed fields only looks encrypted.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import TypeVar

from tablewright.model import Entity
from tablewright.systems.kurukshetra.base import Changing
from tablewright.systems.kurukshetra.events import Config, Event, Question, Seats, Statistics
from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus, folded
from tablewright.systems.kurukshetra.forgetting import Erasure
from tablewright.systems.kurukshetra.jobs import Job, JobState, JobTurn
from tablewright.systems.kurukshetra.mails import MailDay
from tablewright.systems.kurukshetra.payments import (
    Finding,
    GatewayEvent,
    OrderLink,
    Payment,
    PaymentLock,
    Refund,
    RefundDue,
    Voucher,
    VoucherLink,
    VoucherUse,
)
from tablewright.systems.kurukshetra.people import (
    Answer,
    Certificate,
    CheckIn,
    Draft,
    EmailLock,
    Participant,
    PeopleLink,
    PhoneLink,
    Role,
    RoleHolder,
    Scan,
    UidLink,
)
from tablewright.systems.kurukshetra.teams import (
    Hold,
    Invited,
    InviteLock,
    Member,
    RepositoryLock,
    Submission,
    Team,
    TeamNameLock,
    Wait,
)

C = TypeVar("C", bound=Changing)

MAIN, SMALL = "kurukshetra-2026", "kurukshetra-mini"
NOW = datetime(2026, 11, 15, 6, 30, tzinfo=UTC)
TODAY = date(2026, 11, 15)
OPENED = datetime(2026, 11, 1, 4, 30, tzinfo=UTC)
FEE = 99900

#: Leader, name, track and state of each team of the large event; one more member each.
TEAMS: dict[str, tuple[int, str, TeamStatus]] = {
    "Code Warriors": (1, "ai-ml", "paid"),
    "Null Pointers": (3, "web-mobile", "pending"),
    "Slow Payers": (5, "blockchain", "pending"),
    "Byte Brigade": (7, "ai-ml", "unpaid"),
    "Free Riders": (9, "open-innovation", "unpaid"),
    "Second Thoughts": (11, "iot-hardware", "paid"),
    "Late Comers": (13, "social-impact", "unpaid"),
    "Loose Ends": (15, "web-mobile", "unpaid"),
}
#: And of the small one.
WAITING_TEAMS: dict[str, tuple[int, str, TeamStatus]] = {
    "First In": (31, "ai-ml", "paid"),
    "Lucky Ones": (33, "ai-ml", "offered"),
    "Next Up": (35, "ai-ml", "waitlisted"),
    "Patient People": (37, "blockchain", "waitlisted"),
    "Just Arrived": (39, "ai-ml", "unpaid"),
}


def uuid(kind: int, number: int) -> str:
    """An id that is the same every time: 1 a person, 2 a team, 3 a payment, 4 a refund."""
    return f"{kind:08x}-0000-4000-8000-{number:012x}"


def blind(text: str) -> str:
    """What stands for a blind index here."""
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def sealed(text: str) -> str:
    """What stands for an encrypted text here: as long as one, and not secret at all."""
    salt = hashlib.blake2b(text.encode(), digest_size=12 + 16).digest()
    return "v1.k1." + base64.urlsafe_b64encode(salt + text.encode()).decode().rstrip("=")


def stored(entity: C) -> C:
    """An item as it is after it was stored once."""
    return entity.model_copy(update={"version": 1})


# --- people --------------------------------------------------------------------------------------

_FIRST = ("Asha", "Ravi", "Meera", "Arjun", "Divya", "Kabir", "Leela", "Nikhil", "Priya", "Rohan")
_LAST = ("Sharma", "Iyer", "Khan", "Das", "Patel", "Reddy", "Nair")


def person(number: int, event_id: str = MAIN, team_id: str | None = None) -> Participant:
    first, last = _FIRST[number % len(_FIRST)], _LAST[number % len(_LAST)]
    email = f"{first}.{last}.{number}@example.com".lower()
    return Participant(
        event_id=event_id,
        participant_id=uuid(1, number),
        first_name=sealed(first),
        last_name=sealed(last),
        email=sealed(email),
        phone=sealed(f"+9198765{number:05d}"),
        github_username=sealed(f"{first.lower()}{number}"),
        linkedin=sealed(f"https://example.com/in/{first.lower()}{number}"),
        email_hash=blind(email),
        phone_hash=blind(f"+9198765{number:05d}"),
        college="Example University" if number % 2 else "Institute of Examples",
        year="3rd Year",
        registration_type="individual" if team_id is None else "team_member",
        team_id=team_id,
        firebase_uid=blind(f"user-{number}"),
        created_at=OPENED + timedelta(minutes=number),
        updated_at=OPENED + timedelta(minutes=number),
    )


def registered(who: Participant) -> Iterator[Entity]:
    """A participant with locks and links, as registration writes them."""
    event_id, me, at = who.event_id, who.participant_id, who.created_at
    assert who.email_hash is not None
    assert who.phone_hash is not None
    assert who.firebase_uid is not None
    yield who
    yield EmailLock(event_id=event_id, email_hash=who.email_hash, owner=me, created_at=at)
    yield UidLink(event_id=event_id, uid_hash=who.firebase_uid, target=me, created_at=at)
    yield PhoneLink(event_id=event_id, phone_hash=who.phone_hash, participant_id=me, created_at=at)
    yield PeopleLink(event_id=event_id, participant_id=me, created_at=at)


def answer(number: int, event_id: str = MAIN) -> Answer:
    return Answer(
        event_id=event_id,
        participant_id=uuid(1, number),
        question_id="diet",
        value=sealed("vegetarian"),
        created_at=OPENED,
        updated_at=OPENED,
    )


def draft(number: int) -> Draft:
    return Draft(
        uid_hash=blind(f"user-{number}"),
        event_id=MAIN,
        data=sealed('{"first_name": "Tara", "college": "Example University"}'),
        ttl=NOW + timedelta(days=30),
        created_at=NOW,
        updated_at=NOW,
    )


def scan(nonce: str, number: int, minutes: int = 0) -> Scan:
    at = NOW + timedelta(minutes=minutes)
    return Scan(
        event_id=MAIN,
        nonce=nonce,
        list_id="entry",
        participant_id=uuid(1, number),
        result="ok",
        at=at,
        by=blind("user-90"),
        ttl=at + timedelta(days=7),
        created_at=at,
    )


def checkin(number: int, nonce: str = "nonce-0001", minutes: int = 0) -> CheckIn:
    return CheckIn(
        event_id=MAIN,
        participant_id=uuid(1, number),
        list_id="entry",
        at=NOW + timedelta(minutes=minutes),
        by=blind("user-90"),
        nonce=nonce,
        created_at=NOW,
    )


def certificate(code: str, number: int) -> Certificate:
    return Certificate(
        code=code,
        event_id=MAIN,
        participant_id=uuid(1, number),
        kind="participation",
        name=sealed(_FIRST[number % len(_FIRST)]),
        created_at=NOW,
        updated_at=NOW,
    )


def mail_day(day: date = TODAY) -> MailDay:
    return MailDay(day=day, sent=412, created_at=NOW, ttl=NOW + timedelta(days=30))


def job(number: int, state: JobState = "queued") -> Job:
    return Job(
        event_id=MAIN,
        job_id=f"01KJ{number:022d}",
        kind="certificates",
        state=state,
        detail={"kind": "participation", "list_id": "entry"},
        fence=0 if state == "queued" else 3,
        by=blind("user-90"),
        created_at=NOW,
        updated_at=NOW,
        ttl=NOW + timedelta(days=90),
    )


def turn(of: Job, minutes: int = 0) -> JobTurn:
    return JobTurn(
        kind=of.kind,
        due_at=NOW + timedelta(minutes=minutes),
        job_id=of.job_id,
        event_id=of.event_id,
        created_at=NOW,
    )


# --- teams and money -----------------------------------------------------------------------------


def team(name: str) -> Team:
    """A team, by its name, as it is stored."""
    event_id = MAIN if name in TEAMS else SMALL
    leader, track, status = (TEAMS | WAITING_TEAMS)[name]
    paying = status in ("paid", "pending")
    return Team(
        event_id=event_id,
        team_id=uuid(2, leader),
        name=name,
        track=track,
        leader_participant_id=uuid(1, leader),
        payment_status=status,
        payment_id=uuid(3, leader) if paying else None,
        payment_order_id=f"order_{leader:04d}" if status == "paid" else None,
        amount=FEE if paying else 0,
        member_count=2,
        registration_complete=status == "paid",
        hold_expires_at=_held_until(name) if status in ("pending", "offered") else None,
        wait_position=list(WAITING_TEAMS).index(name) if status == "waitlisted" else None,
        invite_code=sealed(f"JOIN{leader:04d}"),
        invite_hash=blind(f"JOIN{leader:04d}"),
        created_at=OPENED + timedelta(hours=leader),
        updated_at=OPENED + timedelta(hours=leader),
    )


def _held_until(name: str) -> datetime:
    # One hold ran out an hour ago.
    return NOW + (timedelta(hours=-1) if name == "Slow Payers" else timedelta(minutes=15))


def payment(number: int, status: PaymentStatus, event_id: str = MAIN) -> Payment:
    """What the team of this leader pays."""
    at = OPENED + timedelta(hours=number)
    paid = status == "paid"
    return Payment(
        event_id=event_id,
        payment_id=uuid(3, number),
        team_id=uuid(2, number),
        razorpay_order_id=f"order_{number:04d}",
        razorpay_payment_id=f"pay_{number:04d}" if paid else None,
        payer_ref=blind(f"payer-{number}"),
        amount=FEE,
        refundable=FEE if paid else 0,
        status=status,
        payment_method="upi" if paid else None,
        webhook_verified=paid,
        day=(at + timedelta(hours=5, minutes=30)).date(),
        paid_at=at if paid else None,
        created_at=at,
        updated_at=at,
    )


def hold(of: Team) -> Hold:
    assert of.hold_expires_at is not None
    return Hold(
        event_id=of.event_id,
        expires_at=of.hold_expires_at,
        team_id=of.team_id,
        created_at=of.updated_at,
    )


def founded(of: Team) -> Iterator[Entity]:
    """A team with its people and locks."""
    leader = int(of.leader_participant_id[-12:], 16)
    at = of.created_at
    yield of
    yield TeamNameLock(
        event_id=of.event_id, folded_name=folded(of.name), owner=of.team_id, created_at=at
    )
    assert of.invite_hash is not None
    yield InviteLock(
        event_id=of.event_id, invite_hash=of.invite_hash, owner=of.team_id, created_at=at
    )
    for number in (leader, leader + 1):
        yield from registered(person(number, of.event_id, of.team_id))
        yield Member(
            event_id=of.event_id,
            team_id=of.team_id,
            participant_id=uuid(1, number),
            joined_at=at + timedelta(minutes=number),
            created_at=at,
        )


def ordered(of: Payment) -> Iterator[Entity]:
    """A payment with the way back from its order, and the lock of its capture."""
    assert of.razorpay_order_id is not None
    yield of
    yield _link(of)
    if of.razorpay_payment_id is not None:
        yield PaymentLock(
            razorpay_payment_id=of.razorpay_payment_id,
            owner=of.payment_id,
            created_at=of.created_at,
        )


def _link(of: Payment) -> OrderLink:
    assert of.razorpay_order_id is not None
    return OrderLink(
        order_id=of.razorpay_order_id,
        event_id=of.event_id,
        team_id=of.team_id,
        payment_id=of.payment_id,
        created_at=of.created_at,
    )


def order_link(number: int) -> OrderLink:
    """Whose the order of this leader's team is."""
    return _link(payment(number, "created"))


def refund(payment_number: int, number: int, amount: int) -> Refund:
    return Refund(
        event_id=MAIN,
        payment_id=uuid(3, payment_number),
        refund_id=uuid(4, number),
        amount=amount,
        reason="the team cannot come",
        created_at=NOW,
        updated_at=NOW,
    )


def refund_due(payment_number: int, number: int) -> RefundDue:
    of = refund(payment_number, number, FEE)
    return RefundDue(
        due_at=of.created_at,
        refund_id=of.refund_id,
        event_id=of.event_id,
        payment_id=of.payment_id,
        created_at=of.created_at,
    )


def notice(number: int, kind: str) -> GatewayEvent:
    return GatewayEvent(
        gateway_event_id=f"evt_{number:04d}",
        type=kind,
        order_id=f"order_{number:04d}",
        razorpay_payment_id=f"pay_{number:04d}",
        result="applied",
        ttl=NOW + timedelta(days=90),
        created_at=NOW,
    )


def voucher(code: str, percent: int, remaining: int) -> Voucher:
    return Voucher(
        event_id=MAIN,
        code=code,
        percent=percent,
        remaining=remaining,
        valid_from=OPENED,
        valid_until=OPENED + timedelta(days=60),
        created_at=OPENED,
        updated_at=OPENED,
    )


def submission(leader: int) -> Submission:
    return Submission(
        event_id=MAIN,
        team_id=uuid(2, leader),
        repo_url=f"https://github.com/demo/team-{leader}",
        repository=f"github.com/demo/team-{leader}",
        created_at=NOW,
        updated_at=NOW,
    )


def invited(number: int) -> Invited:
    return Invited(
        event_id=MAIN,
        team_id=uuid(2, 7),
        email_hash=blind(f"friend-{number}"),
        email=sealed(f"friend{number}@example.com"),
        ttl=NOW + timedelta(days=14),
        created_at=NOW,
        updated_at=NOW,
    )


# --- events --------------------------------------------------------------------------------------


def config(event_id: str, teams: int) -> Config:
    return Config(
        event_id=event_id,
        event_name="CodeKurukshetra" if event_id == MAIN else "CodeKurukshetra Mini",
        registration_open=True,
        registration_start=OPENED,
        registration_end=OPENED + timedelta(days=30),
        event_start=datetime(2026, 12, 11, 4, 30, tzinfo=UTC),
        event_end=datetime(2026, 12, 13, 12, 30, tzinfo=UTC),
        max_teams=teams,
        roster_lock_at=datetime(2026, 12, 10, 4, 30, tzinfo=UTC),
        checkin_lists=["entry", "lunch-1"],
        created_at=OPENED,
        updated_at=OPENED,
    )


def seats(event_id: str, capacity: int, free: int, waiting: int = 0, position: int = 0) -> Seats:
    return Seats(
        event_id=event_id,
        capacity=capacity,
        free=free,
        waiting=waiting,
        next_position=position,
        registration_open=True,
        registration_start=OPENED,
        registration_end=OPENED + timedelta(days=30),
        created_at=OPENED,
        updated_at=OPENED,
    )


def event(event_id: str, name: str) -> Event:
    return Event(
        event_id=event_id,
        event_name=name,
        event_start=datetime(2026, 12, 11, 4, 30, tzinfo=UTC),
        event_end=datetime(2026, 12, 13, 12, 30, tzinfo=UTC),
        created_at=OPENED,
        updated_at=OPENED,
    )


def question(number: int, question_id: str, label: str) -> Question:
    return Question(
        event_id=MAIN,
        number=number,
        question_id=question_id,
        label=label,
        pii=True,
        created_at=OPENED,
        updated_at=OPENED,
    )


def role(number: int, *roles: str) -> Role:
    return Role.model_validate(
        {
            "uid_hash": blind(f"user-{number}"),
            "event_id": MAIN,
            "roles": set(roles),
            "created_at": OPENED,
            "updated_at": OPENED,
        }
    )


def role_holder(number: int, *roles: str) -> RoleHolder:
    return RoleHolder.model_validate(
        {**role(number, *roles).model_dump(), "who": sealed(f"user-{number}@example.org")}
    )


def erasure(number: int) -> Erasure:
    return Erasure(
        event_id=MAIN,
        participant_id=uuid(1, number),
        email_hash=person(number).email_hash,
        uid_hash=blind(f"user-{number}"),
        resume_at=NOW,
        created_at=NOW,
        updated_at=NOW,
    )


def finding(number: int) -> Finding:
    return Finding(
        event_id=MAIN,
        day=TODAY,
        finding_id=uuid(5, number),
        kind="missing_capture",
        payment_id=uuid(3, 1),
        razorpay_payment_id="pay_0001",
        outcome="applied",
        created_at=NOW,
    )


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
