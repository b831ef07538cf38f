"""Registrations, payments, statistics and the audit log, for who runs an event."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from tablewright.systems.kurukshetra.fields import PaymentStatus, TeamStatus
from tablewright.systems.kurukshetra.plain import text_of

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.payments import Payment
    from tablewright.systems.kurukshetra.rules.figures import Figures
    from tablewright.systems.kurukshetra.service.lists import Row
    from tablewright.systems.kurukshetra.service.statistics import Stats


class RegisteredOut(BaseModel):
    """Somebody who registered."""

    participant_id: str
    masked: bool = Field(description="Whether names, addresses and numbers only stand for them.")
    first_name: str
    last_name: str
    email: str
    phone: str
    college: str
    year: str
    student_status: bool
    registered_at: datetime
    team_id: str | None
    team_name: str | None
    track: str | None
    team_status: TeamStatus | None
    leads: bool


def registered_out(row: Row, *, masked: bool) -> RegisteredOut:
    person, team = row.participant, row.team
    return RegisteredOut(
        participant_id=person.participant_id,
        masked=masked,
        first_name=text_of(person.first_name),
        last_name=text_of(person.last_name),
        email=text_of(person.email),
        phone=text_of(person.phone),
        college=person.college,
        year=person.year,
        student_status=person.student_status,
        registered_at=person.created_at,
        team_id=person.team_id,
        team_name=None if team is None else team.name,
        track=None if team is None else team.track,
        team_status=None if team is None else team.payment_status,
        leads=team is not None and team.leader_participant_id == person.participant_id,
    )


class PaymentLineOut(BaseModel):
    """A payment. Amounts are in minor units."""

    payment_id: str
    team_id: str
    status: PaymentStatus
    amount: int
    refundable: int = Field(description="What can still be paid back.")
    currency: str
    payment_method: str | None
    voucher: str | None
    razorpay_order_id: str | None
    razorpay_payment_id: str | None
    webhook_verified: bool
    day: date = Field(description="On which it was begun, at the event's place.")
    created_at: datetime
    paid_at: datetime | None


def payment_line_out(payment: Payment) -> PaymentLineOut:
    return PaymentLineOut.model_validate(
        payment.model_dump(include=set(PaymentLineOut.model_fields))
    )


class FiguresOut(BaseModel):
    """What happened in some time. Money is in minor units."""

    registrations: int
    teams: int
    joins: int
    checkouts: int
    expired: int
    paid: int = Field(description="Payments that came, also those that were refunded later.")
    revenue: int
    refunded: int
    checkins: int
    paid_by_track: dict[str, int] = Field(description="The same, by track of the team.")


class DayOut(FiguresOut):
    """What happened on a day."""

    day: date


class SeatCountsOut(BaseModel):
    """What is left now."""

    capacity: int
    free: int
    waiting: int


class CurrentTeamsOut(BaseModel):
    """Teams whose seat is paid now."""

    paid_teams: int
    paid_teams_by_track: dict[str, int]


class StatisticsOut(BaseModel):
    """What happened at an event, day by day at its place."""

    since: date
    until: date
    sums: FiguresOut
    seats: SeatCountsOut
    now: CurrentTeamsOut
    days: list[DayOut]


def statistics_out(stats: Stats) -> StatisticsOut:
    seats = stats.seats
    return StatisticsOut(
        since=stats.since,
        until=stats.until,
        sums=FiguresOut.model_validate(_figures(stats.sums)),
        seats=SeatCountsOut(capacity=seats.capacity, free=seats.free, waiting=seats.waiting),
        now=CurrentTeamsOut(
            paid_teams=stats.now.paid, paid_teams_by_track=dict(stats.now.paid_by_track)
        ),
        days=[DayOut.model_validate({"day": e.day, **_figures(e.figures)}) for e in stats.days],
    )


def _figures(figures: Figures) -> dict[str, object]:
    return {**vars(figures), "paid_by_track": dict(figures.paid_by_track)}
