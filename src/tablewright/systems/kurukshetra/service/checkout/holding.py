"""The seat: held until it is paid, or the team's at once where nothing is to pay."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, refused, refused_at, settled
from tablewright.service.limits import Rate
from tablewright.service.problems import FieldError, Problem, conflict
from tablewright.systems.kurukshetra import events, reads, seating
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.fields import Moment
from tablewright.systems.kurukshetra.payments import Payment, Voucher, VoucherUse
from tablewright.systems.kurukshetra.rules.captures import is_spent
from tablewright.systems.kurukshetra.rules.team_states import is_over
from tablewright.systems.kurukshetra.rules.windows import hold_until, is_open
from tablewright.systems.kurukshetra.service.checkout.pricing import (
    Price,
    as_code,
    price_of,
    voucher_invalid,
)
from tablewright.systems.kurukshetra.service.noting import noted
from tablewright.systems.kurukshetra.service.refusing import closed, ended
from tablewright.systems.kurukshetra.teams import Hold, Member, Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: How often a team may change under a checkout before somebody is told to come again.
_TRIES: Final = 10
#: Codes of one user that are none.
_GUESSES: Final = Rate(10)


@dataclass(frozen=True)
class Held:
    """A team with its seat, and what the seat is held or paid with."""

    team: Team
    payment: Payment


class Holding:
    """Transaction T3, in its three forms.

    From ``unpaid``: the seats have one free, nobody waits, registration is open. From ``offered``:
    the offer stands. In both cases the team has enough members, and its voucher is left and not
    used by it before. Where nothing is to pay the team is paid in the same transaction.
    """

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        #: Events that had no seat for the last who wanted one. There it is cheaper to look first.
        self._sold_out: set[str] = set()

    async def held(self, by: Caller, team: Team, voucher: str | None) -> Held:
        for _ in range(_TRIES):
            if await self._festival.seats.expire(team, notify=False):
                team = await self._again(team)
            found = await self._found(team, voucher)
            if found is not None and not _needs_payment(found):
                return found
            if found is not None:
                await self._replace_payment(found)
            elif await self._taken(by, team, voucher):
                self._festival.watching.look(team.event_id)
            team = await self._again(team)
        raise busy("BUSY")

    # --- a seat that the team has already --------------------------------------------------------

    async def _found(self, team: Team, voucher: str | None) -> Held | None:
        """What it is held with; None if the team has to get one."""
        if team.payment_status in ("unpaid", "offered"):
            return None
        if is_over(team.payment_status):
            raise ended()
        if team.payment_id is None:
            raise _waits()
        payment = await self._festival.db.require(reads.payment(team.event_id, team.payment_id))
        if team.payment_status == "pending" and voucher is not None:
            _check_same(payment, voucher)
        return Held(team, payment)

    async def _replace_payment(self, held: Held) -> None:
        """Make a payment for a seat that is still held, in place of one whose money was refused.

        One transaction: the team, pending with the payment and the hold that were read; and the
        payment, which is new. If the team has changed meanwhile, nothing is written.
        """
        config = await self._festival.events.config(held.team.event_id)
        now = self._festival.events.moment(config)
        payment = renewed_payment(held.payment, now)
        op = seating.replace_payment(held.team, payment, now.at)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as error:
            if not refused(error):
                raise

    # --- a seat that it gets ---------------------------------------------------------------------

    async def _taken(self, by: Caller, team: Team, voucher: str | None) -> bool:
        """Whether it has its seat by this; if not, something has changed: look again."""
        config = await self._festival.events.config(team.event_id)
        if team.member_count < config.min_team_size:
            raise _too_small(config)
        price = await self._price(by, config, voucher)
        if team.payment_status == "unpaid" and team.event_id in self._sold_out:
            await self._check_room(team.event_id)
        try:
            await self._write(by, team, config, price)
        except TransactionCancelled as error:
            await self._understand(error, team)
            return False
        return True

    async def _price(self, by: Caller, config: Config, voucher: str | None) -> Price:
        """What is to pay; who tries one code after the other has to wait."""
        if voucher is None:
            return await price_of(self._festival, config, None)
        limits = self._festival.runtime.limits
        async with limits.attempt("voucher-codes", by.principal.id, _GUESSES) as attempt:
            try:
                return await price_of(self._festival, config, voucher)
            except Problem:
                attempt.failed()
                raise

    async def _write(self, by: Caller, team: Team, config: Config, price: Price) -> None:
        """In its turn, since all checkouts of an event meet at its seats."""
        members: tuple[Member, ...] = ()
        if price.fee.free:
            page = await self._festival.db.run(reads.team_page(team.event_id, team.team_id))
            members = page.members
        async with self._festival.seats.turn(team.event_id):
            # Only now: others may have taken a while.
            now = self._festival.events.moment(config)
            payment = _payment(by, team, price, now)
            op = together(
                self._op(team, payment, config, now, members),
                *noted(by, team, "team.checkout", now.at),
            )
            await settled(self._festival.db, lambda: op, code="BUSY")

    def _op(
        self,
        team: Team,
        payment: Payment,
        config: Config,
        now: Moment,
        members: tuple[Member, ...],
    ) -> Op[object]:
        least = config.min_team_size
        if payment.status == "paid":
            messages = self._festival.messages
            told = messages.confirmation(config, team, payment)
            tickets = messages.tickets(config, team, members)
            return together(seating.checkout_free(team, payment, least, now), told, *tickets)
        offered = team.payment_status == "offered"
        ends = hold_until(config, now.at, team.hold_expires_at if offered else None)
        hold = Hold(
            event_id=team.event_id, expires_at=ends, team_id=team.team_id, created_at=now.at
        )
        if offered:
            return seating.checkout_offered(team, payment, hold, least, now)
        return seating.checkout(team, payment, hold, least, now)

    # --- why not ---------------------------------------------------------------------------------

    async def _understand(self, error: TransactionCancelled, team: Team) -> None:
        """A problem, if it would be the same again."""
        if not refused(error):
            raise error
        if refused_at(error, Team):
            return  # another tab was quicker, or somebody joined or left: look again
        if refused_at(error, Voucher):
            raise voucher_invalid()
        if refused_at(error, VoucherUse):
            raise voucher_invalid("The team has used this voucher already.")
        if refused_at(error, events.Seats):
            self._sold_out.add(team.event_id)
            await self._check_room(team.event_id)

    async def _check_room(self, event_id: str) -> None:
        """A problem if there is no seat, also after a few holds that were due have ended."""
        seats = await self._festival.seats.make_room(event_id)
        now = self._festival.now()
        if not is_open(seats, now):
            raise closed(seats, now)
        if not seats.free or seats.waiting:
            raise _sold_out()
        self._sold_out.discard(event_id)

    async def _again(self, team: Team) -> Team:
        return await self._festival.db.require(reads.team(team.event_id, team.team_id))


def _payment(by: Caller, team: Team, price: Price, now: Moment) -> Payment:
    free = price.fee.free
    return Payment(
        event_id=team.event_id,
        payment_id=str(uuid.uuid4()),
        team_id=team.team_id,
        payer_ref=by.uid_hash,
        amount=price.fee.net,
        currency=price.currency,
        status="paid" if free else "created",
        voucher=price.voucher,
        day=now.day,
        paid_at=now.at if free else None,
        created_at=now.at,
        updated_at=now.at,
    )


def renewed_payment(payment: Payment, now: Moment) -> Payment:
    """A payment of the same price that nobody has paid anything for."""
    return Payment(
        event_id=payment.event_id,
        payment_id=str(uuid.uuid4()),
        team_id=payment.team_id,
        payer_ref=payment.payer_ref,
        amount=payment.amount,
        currency=payment.currency,
        voucher=payment.voucher,
        day=now.day,
        created_at=now.at,
        updated_at=now.at,
    )


def _needs_payment(held: Held) -> bool:
    return held.team.payment_status == "pending" and is_spent(held.payment)


def _check_same(payment: Payment, voucher: str) -> None:
    """A price does not change while somebody may be paying it."""
    if payment.voucher != as_code(voucher):
        detail = "A checkout is open without this voucher: pay it, or wait until its time is up."
        raise conflict("CHECKOUT_OPEN", detail)


def _waits() -> Problem:
    detail = "The team is in the queue: it is told when there is a seat for it."
    return conflict("SOLD_OUT", detail)


def _sold_out() -> Problem:
    return conflict("SOLD_OUT", "There is no seat left: the team can wait for one.")


def _too_small(config: Config) -> Problem:
    detail = f"A team has at least {config.min_team_size} members."
    return Problem(422, "INVALID_TEAM_SIZE", detail, errors=[FieldError("team", detail)])
