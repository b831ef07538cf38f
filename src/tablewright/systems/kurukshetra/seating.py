"""Writes about seats: checkout, expiry, the queue, and the offer of a free seat.

What is free and the teams with a seat are together the capacity: every transaction here that gives
a team a seat, or takes it, moves both sides.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from tablewright.model import (
    Condition,
    Delete,
    Put,
    Rate,
    Update,
    attr,
    delete,
    put,
    transaction,
    update,
)
from tablewright.systems.kurukshetra.events import (
    Seats,
    Statistics,
    TrackStatistics,
    count_paid_team,
    counted,
)
from tablewright.systems.kurukshetra.fields import (
    EventId,
    Moment,
    TeamStatus,
    VoucherCode,
    below,
)
from tablewright.systems.kurukshetra.payments import Payment, Voucher, VoucherUse
from tablewright.systems.kurukshetra.teams import Hold, Team, Wait


def moved(team: Team, before: TeamStatus, after: TeamStatus, at: datetime) -> Update[Team]:
    """A team from one state to the next."""
    turned = update(Team, team.event_id, team.team_id).given(track=team.track)
    changes = attr(Team.payment_status).set(after), attr(Team.updated_at).set(at)
    return turned.do(*changes).when(attr(Team.payment_status) == before)


def seats_by(event_id: EventId, free: int, at: datetime) -> Update[Seats]:
    """More or fewer free seats; never fewer than none."""
    changed = update(Seats, event_id).do(attr(Seats.free).add(free), attr(Seats.updated_at).set(at))
    return changed if free >= 0 else changed.when(attr(Seats.free) >= -free)


def nobody_waits() -> Condition:
    return attr(Seats.waiting) == 0


def _open(at: datetime) -> Condition:
    return (
        (attr(Seats.registration_open) == True)  # noqa: E712 - a condition, not a question
        & (attr(Seats.registration_start) <= at)
        & (attr(Seats.registration_end) >= at)
    )


def redeemed(payment: Payment, at: datetime) -> tuple[Update[Voucher] | Put[VoucherUse], ...]:
    """A voucher is used once more, while it can be."""
    if payment.voucher is None:
        return ()
    valid = (attr(Voucher.valid_from) <= at) & (attr(Voucher.valid_until) >= at)
    taken, use = retaken(payment, payment.voucher, at)
    return taken.when(valid), use


def retaken(
    payment: Payment, code: VoucherCode, at: datetime
) -> tuple[Update[Voucher], Put[VoucherUse]]:
    """A voucher is used, if it is left, whatever its window: the price was agreed within that."""
    taken = update(Voucher, payment.event_id, code).do(
        attr(Voucher.remaining).add(-1), attr(Voucher.updated_at).set(at)
    )
    use = VoucherUse(
        event_id=payment.event_id,
        code=code,
        team_id=payment.team_id,
        payment_id=payment.payment_id,
        created_at=at,
    )
    return taken.when(attr(Voucher.remaining) > 0), put(use).new()


def _given_back(
    payment: Payment | None, at: datetime
) -> tuple[Update[Voucher] | Delete[VoucherUse], ...]:
    if payment is None or payment.voucher is None:
        return ()
    returned = update(Voucher, payment.event_id, payment.voucher).do(
        attr(Voucher.remaining).add(1), attr(Voucher.updated_at).set(at)
    )
    return returned, delete(VoucherUse, payment.event_id, payment.voucher, payment.team_id)


#: What taking a seat without payment may write besides.
_FreeWrite: TypeAlias = (
    Update[TrackStatistics] | Update[Seats] | Delete[Hold] | Update[Voucher] | Put[VoucherUse]
)

# --- checkout ------------------------------------------------------------------------------------


def _holding(team: Team, payment: Payment, hold: Hold, least: int, at: datetime) -> Update[Team]:
    """A team that holds a seat until it has paid."""
    before: TeamStatus = "offered" if team.payment_status == "offered" else "unpaid"
    held = moved(team, before, "pending", at).do(
        attr(Team.payment_id).set(payment.payment_id),
        attr(Team.amount).set(payment.amount),
        attr(Team.currency).set(payment.currency),
        attr(Team.hold_expires_at).set(hold.expires_at),
    )
    return held.when(attr(Team.member_count) >= least)


@transaction(component="api", rate=Rate(0.3, peak=30), expect=5.2, hottest=1)
def checkout(
    team: Team, payment: Payment, hold: Hold, least: int, now: Moment
) -> tuple[
    Update[Seats],
    Update[Team],
    Put[Payment],
    Put[Hold],
    Update[Statistics],
    *tuple[Update[Voucher] | Put[VoucherUse], ...],
]:
    """Hold a seat for a team that is about to pay, while there are some. [T3]"""
    taken = seats_by(team.event_id, -1, now.at).when(nobody_waits() & _open(now.at))
    return (
        taken,
        _holding(team, payment, hold, least, now.at),
        put(payment).new(),
        put(hold).new(),
        counted(team.event_id, now, team.team_id, checkouts=1),
        *redeemed(payment, now.at),
    )


@transaction(component="api", rate=Rate(0.02), expect=5)
def checkout_offered(
    team: Team, payment: Payment, hold: Hold, least: int, now: Moment
) -> tuple[
    Update[Team],
    Put[Payment],
    Update[Statistics],
    *tuple[Delete[Hold] | Put[Hold] | Update[Voucher] | Put[VoucherUse], ...],
]:
    """The same for a team that was offered a seat: it has it already, perhaps for longer. [T3]"""
    held = _holding(team, payment, hold, least, now.at)
    more: tuple[Delete[Hold] | Put[Hold] | Update[Voucher] | Put[VoucherUse], ...] = (
        *_moved_hold(team, hold),
        *redeemed(payment, now.at),
    )
    return (
        held.when(attr(Team.hold_expires_at) == team.hold_expires_at),
        put(payment).new(),
        counted(team.event_id, now, team.team_id, checkouts=1),
        *more,
    )


def _moved_hold(team: Team, hold: Hold) -> tuple[Delete[Hold] | Put[Hold], ...]:
    # One item cannot be deleted and put in the same transaction.
    if hold.expires_at == team.hold_expires_at:
        return ()
    return delete(Hold, team.event_id, team.hold_expires_at, team.team_id), put(hold).new()


@transaction(component="api", rate=Rate(0.02), expect=6)
def checkout_free(
    team: Team, payment: Payment, least: int, now: Moment
) -> tuple[
    Update[Team],
    Put[Payment],
    Update[Statistics],
    *tuple[_FreeWrite, ...],
]:
    """Nothing is left to pay after the voucher: the seat is the team's at once. [T3]"""
    before: TeamStatus = "offered" if team.payment_status == "offered" else "unpaid"
    entered = moved(team, before, "paid", now.at).do(
        attr(Team.payment_id).set(payment.payment_id),
        attr(Team.amount).set(0),
        attr(Team.registration_complete).set(True),
        attr(Team.hold_expires_at).remove(),
    )
    daily, *track = count_paid_team(team.event_id, now, team.team_id, team.track)
    more: tuple[_FreeWrite, ...] = (
        *track,
        *_seat_for(team, now.at),
        *redeemed(payment, now.at),
    )
    return (
        entered.when(attr(Team.member_count) >= least),
        put(payment).new(),
        daily,
        *more,
    )


@transaction(component="api", rate=Rate(0.001))
def replace_payment(
    team: Team, payment: Payment, at: datetime
) -> tuple[Update[Team], Put[Payment]]:
    """Give a held seat another payment, after the money of the one before was refused.

    The seat, its hold and its voucher stay as they are.
    """
    turned = update(Team, team.event_id, team.team_id).do(
        attr(Team.payment_id).set(payment.payment_id), attr(Team.updated_at).set(at)
    )
    same = (attr(Team.payment_status) == "pending") & (attr(Team.payment_id) == team.payment_id)
    held = attr(Team.hold_expires_at) == team.hold_expires_at
    return turned.when(same & held), put(payment).new()


def _seat_for(team: Team, at: datetime) -> tuple[Update[Seats] | Delete[Hold], ...]:
    if team.payment_status == "offered":
        return (delete(Hold, team.event_id, team.hold_expires_at, team.team_id),)
    return (seats_by(team.event_id, -1, at).when(nobody_waits() & _open(at)),)


@transaction(component="sweeper", rate=Rate(0.1, peak=5), expect=5.2)
def expire_hold(
    team: Team, payment: Payment | None, cut: datetime, now: Moment
) -> tuple[
    Update[Team],
    Delete[Hold],
    Update[Seats],
    Update[Statistics],
    *tuple[Update[Payment] | Update[Voucher] | Delete[VoucherUse], ...],
]:
    """A seat that was held too long is free again, unless it is being paid. [T5]"""
    before: TeamStatus = "offered" if team.payment_status == "offered" else "pending"
    expired = moved(team, before, "unpaid", now.at).do(
        attr(Team.hold_expires_at).remove(), attr(Team.payment_id).remove()
    )
    seen = attr(Team.hold_expires_at) == team.hold_expires_at
    more: tuple[Update[Payment] | Update[Voucher] | Delete[VoucherUse], ...] = (
        *_expired(payment, now.at),
        *_given_back(payment, now.at),
    )
    return (
        expired.when(seen & (attr(Team.hold_expires_at) <= cut)),
        delete(Hold, team.event_id, team.hold_expires_at, team.team_id),
        seats_by(team.event_id, 1, now.at),
        counted(team.event_id, now, team.team_id, expired=1),
        *more,
    )


def _expired(payment: Payment | None, at: datetime) -> tuple[Update[Payment], ...]:
    lower = below("expired")
    if payment is None or payment.status not in lower:
        return ()
    ended = update(Payment, payment.event_id, payment.payment_id).given(day=payment.day)
    changes = attr(Payment.status).set("expired"), attr(Payment.updated_at).set(at)
    return (ended.do(*changes).when(attr(Payment.status).is_in(lower)),)


# --- the queue -----------------------------------------------------------------------------------


@transaction(component="api", rate=Rate(0.1, peak=10), hottest=1)
def enter_queue(
    team: Team, position: int, longest: int, at: datetime
) -> tuple[Update[Seats], Put[Wait], Update[Team]]:
    """Wait for a seat, behind everybody who waits already; there is none free. [T6b]"""
    grown = update(Seats, team.event_id).do(
        attr(Seats.waiting).add(1), attr(Seats.next_position).add(1), attr(Seats.updated_at).set(at)
    )
    fair = (attr(Seats.next_position) == position) & (attr(Seats.waiting) < longest)
    sold_out = (attr(Seats.free) == 0) | (attr(Seats.waiting) > 0)
    wait = Wait(event_id=team.event_id, position=position, team_id=team.team_id, created_at=at)
    queued = moved(team, "unpaid", "waitlisted", at).do(attr(Team.wait_position).set(position))
    return grown.when(fair & sold_out), put(wait).new(), queued


@transaction(component="api", rate=Rate(0.01))
def leave_queue(team: Team, at: datetime) -> tuple[Update[Seats], Delete[Wait], Update[Team]]:
    """Do not wait any longer. [T6c]"""
    shrunk = update(Seats, team.event_id).do(
        attr(Seats.waiting).add(-1), attr(Seats.updated_at).set(at)
    )
    back = moved(team, "waitlisted", "unpaid", at).do(attr(Team.wait_position).remove())
    return (
        shrunk.when(attr(Seats.waiting) > 0),
        delete(Wait, team.event_id, team.wait_position, team.team_id).existing(),
        back,
    )


@transaction(component="promoter", rate=Rate(0.1))
def offer_seat(
    team: Team, hold: Hold, at: datetime
) -> tuple[Update[Seats], Delete[Wait], Update[Team], Put[Hold]]:
    """The head of the queue gets the seat that is free, for as long as the offer stands. [T6]"""
    taken = seats_by(team.event_id, -1, at).do(attr(Seats.waiting).add(-1))
    offered = moved(team, "waitlisted", "offered", at).do(
        attr(Team.hold_expires_at).set(hold.expires_at), attr(Team.wait_position).remove()
    )
    return (
        taken.when(attr(Seats.waiting) > 0),
        delete(Wait, team.event_id, team.wait_position, team.team_id).existing(),
        offered,
        put(hold).new(),
    )
