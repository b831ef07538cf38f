"""Reservations: spend that is promised to a call before it is made.

With them a limit of a day is never overrun, however many processes ask at once, as long as what is
reserved is what a call costs at the most. Every promise and every record goes through the gates of
its day (:mod:`~tablewright.systems.pricekeeper.rules.gates`), each in one transaction with what it
tells of:

=========  ==================================================================================
reserve    the row is new; every gate has room, and rises by what is reserved
record     the row goes; gates fall by what was reserved and rise by what was spent
release    the row goes; gates fall by what was reserved
sweep      the same, for promises that have ended
=========  ==================================================================================

A row goes once, so whoever comes second gives nothing back. Limits of weeks and months are compared
with totals. The gate of a limit that was set today has not seen the whole day; what it has not seen
is taken from its room (:mod:`~tablewright.systems.pricekeeper.service.unseen`).
"""

from __future__ import annotations

import logging
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from tablewright.model import Op
from tablewright.model.errors import Refused, TransactionCancelled
from tablewright.service.kit.moments import moment
from tablewright.service.problems import Problem, not_found
from tablewright.systems.pricekeeper import reads, recording
from tablewright.systems.pricekeeper.rules import gates
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.rules.ids import (
    ReservationKey,
    read_reservation_id,
    reservation_id,
)
from tablewright.systems.pricekeeper.service.unseen import Unseen
from tablewright.systems.pricekeeper.shapes import ALL, slot_of
from tablewright.systems.pricekeeper.spend import Gate, Ledger, Reservation

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger(__name__)

#: Seconds that a promise lasts, unless the caller says otherwise.
TTL_SECS = 120
#: Own promises that are remembered, so that a record need not read its one.
_REMEMBERED = 10_000
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Reserved:
    """A promise that was made."""

    reservation_id: str
    reservation: Reservation


class Reservations:
    """The promises of one process."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._own: OrderedDict[str, Reservation] = OrderedDict()
        self._unseen = Unseen(keeper)
        self._count = keeper.runtime.metrics.counter(
            "pricekeeper_reservations",
            "Reservations by what became of them: made, refused, released, or ended unused.",
            ("outcome",),
        )

    # --- for records ---------------------------------------------------------------------------

    def gates_for(
        self, rows: Iterable[tuple[Account, Ledger]], kept: Iterable[Reservation] = ()
    ) -> list[Gate]:
        """How the gates move with ledger rows and the reservations that they keep.

        Corrections are rows too. Each gate comes once; none where reservations are off.
        """
        return gates.moves(rows, kept, self._keeper.clock.now())

    async def find(self, account: Account, text: str) -> Reservation | None:
        """The promise that a record keeps; None if it has ended, and the record counts in full.

        Somebody may end it before the record is written: then the delete in the flush is refused.
        """
        key = _key_of(account, text)
        if key is None:
            detail = "The reservation is none that this app was ever given."
            raise Problem(422, "BAD_RESERVATION", detail)
        return self._own.pop(text, None) or await self._stored(key)

    async def _stored(self, key: ReservationKey) -> Reservation | None:
        expires, org_id, *rest = key
        return await self._keeper.db.run(
            reads.reservation(slot_of(org_id), moment(expires), org_id, *rest)
        )

    # --- making --------------------------------------------------------------------------------

    async def reserve(
        self, account: Account, label: str, max_usd_micros: int, ttl_secs: int = TTL_SECS
    ) -> Reserved:
        """Promise spend to a call, if every limit has room for it; a problem 409 otherwise."""
        now = self._keeper.now()
        reservation = _new(account, label, max_usd_micros, now, ttl_secs)
        _check_on(account, reservation.day)
        _check_label(account, label)
        try:
            await self._check_open(account, reservation)
            await self._claim(account, reservation)
        except Problem:
            self._count.labels("refused").inc()
            raise
        self._count.labels("made").inc()
        return self._remembered(reservation)

    async def _check_open(self, account: Account, reservation: Reservation) -> None:
        """A problem if the label is closed, or a limit has no room by what is known of its total.

        What is said to be over is summed up exactly before it counts: a quick answer may be high.
        """
        for limit in account.limits(reservation.label):
            room = gates.room_in(limit, reservation.reserved_picos)
            if room is not None and room < 0:
                raise _refusal(limit)
        if await self._over(account, reservation, force=False):
            over = await self._over(account, reservation, force=True)
            if over is not None:
                raise _refusal(over)

    async def _over(
        self, account: Account, reservation: Reservation, *, force: bool
    ) -> Limit | None:
        """The first limit whose total leaves no room."""
        selection = await self._keeper.selector.select(account, force)
        (label,) = (each for each in selection.choice.labels if each.label == reservation.label)
        for standing in label.standings:
            room = gates.room_in(standing.limit, reservation.reserved_picos)
            if room is not None and standing.spend_picos > room:
                return standing.limit
        if label.exhausted:
            raise _closed(label.label)
        if label.unpriced and account.org.unpriced == "block":
            raise _unpriced(label.label)
        return None

    async def _claim(self, account: Account, reservation: Reservation) -> None:
        """The row and its gates, or a problem that names the limit without room."""
        limits = gates.gated(account, reservation.label)
        unseen = await self._unseen.of(account, limits, reservation.day)
        claims = gates.claims(limits, reservation.day, reservation.reserved_picos, unseen)
        for limit, (_, room) in zip(limits, claims, strict=True):
            # Not even a gate that is not there yet has room.
            if room < 0:
                raise _refusal(limit)
        try:
            await self._keeper.db.run(recording.reserve(reservation, claims))
        except TransactionCancelled as refused:
            # The row is first, then a gate for each limit.
            full = [limits[each.position - 1] for each in refused.failures if each.position]
            if not full:
                raise
            raise _refusal(full[0]) from None

    def _remembered(self, reservation: Reservation) -> Reserved:
        made = Reserved(_id_of(reservation), reservation)
        self._own[made.reservation_id] = reservation
        if len(self._own) > _REMEMBERED:
            self._own.popitem(last=False)
        return made

    # --- ending --------------------------------------------------------------------------------

    async def release(self, account: Account, text: str) -> None:
        """Give a promise back; a problem 404 if there is none, or none any more."""
        key = _key_of(account, text)
        found = None if key is None else self._own.pop(text, None) or await self._stored(key)
        if found is None or not await self._ended(recording.release, found):
            raise not_found("reservation")
        self._count.labels("released").inc()

    async def sweep(self, slot: int) -> int:
        """Take the promises of one slot that have ended out of their gates; gives how many.

        Each by itself, so that a crash leaves none half done and two sweepers cannot meet.
        """
        swept = 0
        # Those that end in this very second have ended.
        until = moment(self._keeper.now() + 1)
        async for reservation in self._keeper.db.iterate(reads.ended_reservations(slot, now=until)):
            try:
                swept += await self._ended(recording.sweep_reservation, reservation)
            except Refused as error:
                # The others need not wait for it; the next run tries again.
                log.warning("Reservation %s cannot be ended: %s", _id_of(reservation), error)
        self._count.labels("ended").inc(swept)
        return swept

    async def _ended(self, pattern: _Ending, reservation: Reservation) -> bool:
        """Whether this call has ended it, and nobody before."""
        moves = gates.moves((), [reservation], self._keeper.clock.now())
        try:
            await self._keeper.db.run(pattern(reservation, moves))
        except TransactionCancelled as refused:
            # The row is first.
            if any(not each.position for each in refused.failures):
                return False
            raise
        return True


_Ending: TypeAlias = Callable[[Reservation, Sequence[Gate]], Op[object]]


def _new(account: Account, label: str, max_usd_micros: int, now: int, ttl_secs: int) -> Reservation:
    expires = moment(now + ttl_secs)
    return Reservation(
        org_id=account.org_id,
        expires_epoch=expires,
        app_id=account.app_id,
        label=label,
        reservation_uuid=str(uuid.uuid4()),
        reserved_picos=max_usd_micros * PICOS,
        day=account.calendar.day(now),
        gates=gates.held_by(gates.gated(account, label)),
        expires_at_epoch=expires + _DAY,
    )


def _check_on(account: Account, day: str) -> None:
    if account.reserves(day):
        return
    since = account.org.reservations_from_epoch
    extra = {} if since is None else {"reservations_from": since.isoformat()}
    detail = "Reservations are off." if since is None else "Reservations are not on yet."
    raise Problem(409, "RESERVATIONS_OFF", detail, extra=extra)


def _check_label(account: Account, label: str) -> None:
    if label not in account.ordering:
        detail = "This app has no such label in its ordering."
        raise Problem(400, "UNKNOWN_LABEL", detail, extra={"label": label})


def _closed(label: str) -> Problem:
    detail = f"The label {label} is closed for today."
    return Problem(409, "LABEL_CLOSED", detail, extra={"label": label})


def _unpriced(label: str) -> Problem:
    detail = (
        f"The model of label {label} has no price, and the organisation blocks such labels. Set a "
        "price for the model."
    )
    return Problem(409, "LABEL_UNPRICED", detail, extra={"label": label})


def _refusal(limit: Limit) -> Problem:
    """Which limit it was; what is left of it changes with every call."""
    what = "all labels" if limit.label == ALL else f"the label {limit.label}"
    whose = "organisation" if limit.level == "ORG" else "app"
    detail = f"The {whose}'s limit of the {limit.window.lower()} for {what} has not that much left."
    extra = {
        "scope": limit.level,
        "window": limit.window,
        "label": limit.label,
        "quota_usd_micros": limit.quota_micros,
    }
    return Problem(409, "LIMIT", detail, extra={"limit": extra})


def _id_of(reservation: Reservation) -> str:
    return reservation_id(
        ReservationKey(
            int(reservation.expires_epoch.timestamp()),
            reservation.org_id,
            reservation.app_id,
            reservation.label,
            reservation.reservation_uuid,
        )
    )


def _key_of(account: Account, text: str) -> ReservationKey | None:
    """Where a promise to this app lies; None if the id is another app's, or none at all."""
    key = read_reservation_id(text)
    mine = (account.org_id, account.app_id)
    return key if key is not None and (key.org_id, key.app_id) == mine else None
