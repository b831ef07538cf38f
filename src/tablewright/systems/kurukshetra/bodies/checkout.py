"""Seats, checkout and the queue, in requests, answers and events."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from tablewright.service.bodies import shown
from tablewright.systems.kurukshetra.events import Seats
from tablewright.systems.kurukshetra.fields import TeamStatus
from tablewright.systems.kurukshetra.rules.windows import Phase, phase

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.checkout import Started
    from tablewright.systems.kurukshetra.service.seats import Place, Queued


class CheckoutIn(BaseModel):
    """What a team checks out with."""

    model_config = shown(voucher="EARLYBIRD")

    voucher: Annotated[
        str | None, Field(max_length=60, description="A code that takes something off the fee.")
    ] = None


class CheckoutOut(BaseModel):
    """A checkout: pay `amount` for `order_id` until `expires_at`. `paid`: nothing is left to do."""

    team_id: str
    payment_id: str
    paid: bool
    amount: int = Field(description="In minor units: paise, cents.")
    currency: str
    voucher: str | None
    order_id: str | None = Field(description="The gateway's order; null if nothing is to pay.")
    key_id: str | None = Field(description="The gateway's public key, for its checkout.")
    expires_at: datetime | None = Field(description="Until when the seat is held.")


class WaitOut(BaseModel):
    """A place in the queue."""

    team_id: str
    payment_status: TeamStatus
    ahead: int | None = Field(description="How many get a seat before; null if it does not wait.")


class QueuedOut(BaseModel):
    """A team in the queue."""

    position: int = Field(description="Grows with every team that comes; there are gaps.")
    team_id: str
    name: str
    track: str
    member_count: int
    since: datetime


class SeatsOut(BaseModel):
    """What is left of an event's seats."""

    event_id: str
    capacity: int
    free: int
    waiting: int = Field(description="Teams in the queue; they come first.")
    available: bool = Field(description="Whether a team could check out now.")
    phase: Phase = Field(description="Where registration stands.")


def checkout_out(started: Started) -> CheckoutOut:
    return CheckoutOut(
        team_id=started.team.team_id,
        payment_id=started.payment.payment_id,
        paid=started.paid,
        amount=started.amount,
        currency=started.currency,
        voucher=started.payment.voucher,
        order_id=started.order_id,
        key_id=started.key_id,
        expires_at=started.expires_at,
    )


def wait_out(place: Place) -> WaitOut:
    return WaitOut(
        team_id=place.team.team_id, payment_status=place.team.payment_status, ahead=place.ahead
    )


def queued_out(queued: Queued) -> QueuedOut:
    team = queued.team
    return QueuedOut(
        position=queued.position,
        team_id=team.team_id,
        name=team.name,
        track=team.track,
        member_count=team.member_count,
        since=queued.since,
    )


def seats_out(seats: Seats, at: datetime) -> SeatsOut:
    now = phase(seats, at)
    return SeatsOut(
        event_id=seats.event_id,
        capacity=seats.capacity,
        free=seats.free,
        waiting=seats.waiting,
        available=now == "open" and seats.free > 0 and not seats.waiting,
        phase=now,
    )
