"""Corrections: signed rows beside the record that they correct, which itself stays as it was.

One transaction: the correction's row (its id is new), the record's net amounts (none falls below
zero, and no other correction came in between), the counter of the record's day, the mark that has
its total made again, totals that were final, gates, and the audit's entry. Nothing is stamped with
a flush number: a correction is in the totals as soon as they are summed.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tablewright.model import Op, shard_of, together
from tablewright.model.errors import (
    ConditionFailed,
    Failure,
    OutcomeUnknown,
    TablewrightError,
    TransactionCancelled,
    Unavailable,
)
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.pricekeeper.reads import ledger_row, stored_totals
from tablewright.systems.pricekeeper.recording import correct
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.corrections import (
    Correction,
    correction_row,
    falls_below_zero,
    price_key,
    priced_by,
)
from tablewright.systems.pricekeeper.rules.cost import picos
from tablewright.systems.pricekeeper.rules.rows import sums_of, usage_id
from tablewright.systems.pricekeeper.service.recording.group import counter
from tablewright.systems.pricekeeper.service.recording.outcome import mismatch, unavailable
from tablewright.systems.pricekeeper.service.totals import OrgBooks
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, bucket_of
from tablewright.systems.pricekeeper.spend import Ledger

if TYPE_CHECKING:
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: How long a correction is tried again when others are at the same record.
_PATIENCE_SECS = 5.0


@dataclass(frozen=True)
class Corrected:
    """A correction that is in the ledger, and the record as it is now."""

    result: Literal["recorded", "duplicate"]
    correction: Ledger
    record: Ledger


class Corrections:
    """What operators put right."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def correct(
        self,
        account: Account,
        request_id: str,
        correction: Correction,
        actor: Actor,
        *,
        update_totals: bool = True,
    ) -> Corrected:
        """Add a correction to a record; a problem 404, 409 or 422 if that cannot be.

        ``update_totals`` makes today's totals again before this returns, so that whoever corrects
        sees the effect. Corrections in bulk leave that to the aggregator.
        """
        if correction.correction_id == request_id:
            raise mismatch()
        until = time.monotonic() + _PATIENCE_SECS
        while True:
            original = await self.record(account, request_id)
            row = await self._row(account, original, correction)
            try:
                await self._keeper.db.run(await self._op(account, original, row, actor))
            except TransactionCancelled as cancelled:
                stored = _verdict(row, cancelled.failures)
                if stored is not None:
                    return Corrected("duplicate", stored, await self.record(account, request_id))
            except OutcomeUnknown:
                raise unavailable() from None
            else:
                if update_totals:
                    await self._update_totals(account, row)
                return Corrected("recorded", row, await self.record(account, request_id))
            if time.monotonic() >= until:
                raise unavailable()
            await asyncio.sleep(random.uniform(0.0, 0.05))

    async def _update_totals(self, account: Account, row: Ledger) -> None:
        """Make the totals that a correction of today is in; the correction stands if this fails."""
        calendar = account.calendar
        if row.day != calendar.day(self._keeper.clock.now()):
            return
        keys = [
            TotalKey(scope, label, period)
            for scope in (account.org_scope, account.app_scope)
            for label in (row.label, ALL)
            for period in calendar.periods(row.day)
        ]
        owner = OrgBooks(account.org_id, calendar)
        try:
            # What is known, so that a total keeps its limit and burn.
            await self._keeper.totals.spend(owner, keys)
            await self._keeper.totals.sum(owner, keys, None, oldest=0.0)
        except TablewrightError as error:
            log.warning("totals of %s do not show a correction yet: %s", account.org_id, error)

    async def record(self, account: Account, request_id: str) -> Ledger:
        """A record of usage as it is stored, or a problem."""
        where = (account.org_id, account.app_id, bucket_of(request_id))
        found = await self._keeper.db.run(ledger_row(*where, request_id))
        if found is None:
            raise not_found("record")
        if found.kind == "CORRECTION":
            detail = "That is a correction itself. Correct the record once more instead."
            raise conflict("IS_A_CORRECTION", detail)
        return found

    async def _row(self, account: Account, original: Ledger, correction: Correction) -> Ledger:
        priced = await self._priced_by(original)
        cost = correction.cost_picos
        if cost is None:
            cost = await self._cost(priced, correction)
        now = self._keeper.clock.now()
        return correction_row(account, original, priced, correction, cost, now)

    async def _priced_by(self, original: Ledger) -> Ledger:
        """The row whose price the record has now: it may have been repriced."""
        if original.last_correction is None:
            return original
        where = (original.org_id, original.app_id, original.request_id)
        return priced_by(original, (await self._keeper.ledger.record(*where)).corrections)

    async def _cost(self, priced: Ledger, correction: Correction) -> int:
        """What the tokens cost at the record's price."""
        if priced.cost_source == "UNPRICED":
            return 0
        key = price_key(priced)
        if priced.cost_source == "CLIENT" or key is None or key.effective_from is None:
            detail = "The record has no price of ours: say what the correction costs."
            raise Problem(422, "COST_NEEDED", detail)
        at = self._keeper.prices.at
        price = await at(
            priced.bedrock_model_id, key.region_class, key.service_tier, key.effective_from
        )
        if price is None:
            raise Problem(422, "COST_NEEDED", "The record's price is not there any more.")
        return picos(correction, price)

    async def _op(
        self, account: Account, original: Ledger, row: Ledger, actor: Actor
    ) -> Op[object]:
        now = self._keeper.now()
        key = usage_id(row)
        mark = await self._keeper.recorder.markers.marked(account, key)
        shard = shard_of(row.request_id, mark.shard_count)
        made = correct(
            row,
            original,
            counter(account, key, sums_of([row])[key], shard, now),
            mark,
            await self._final(account, row),
            self._keeper.reservations.gates_for([(account, row)]),
        )
        detail = {
            "request_id": original.request_id,
            "cost_usd_picos": row.cost_usd_picos,
            "reason": row.reason,
        }
        subject = f"org/{row.org_id}/app/{row.app_id}"
        return together(made, audit.record(actor, "record.correct", subject, at=now, detail=detail))

    async def _final(self, account: Account, row: Ledger) -> list[TotalKey]:
        """The totals that a day has been closed with."""
        periods = account.calendar.periods(row.day)
        keys = [
            TotalKey(scope, label, period)
            for scope in (account.org_scope, account.app_scope)
            for label in (row.label, ALL)
            for period in periods
        ]
        found = await self._keeper.db.run(stored_totals(keys))
        return [
            key for key, total in zip(keys, found, strict=True) if total is not None and total.final
        ]


def _verdict(row: Ledger, failures: Sequence[Failure]) -> Ledger | None:
    """The stored correction if it is a repeat; None to try again; a problem otherwise."""
    for failure in failures:
        error = failure.error
        if not isinstance(error, ConditionFailed):
            if not isinstance(error, Unavailable):
                raise error
        elif failure.position == 0:
            return _repeated(row, error.item)
        elif failure.position == 1:
            _check_original(row, error.item)
    return None


def _repeated(row: Ledger, stored: object) -> Ledger:
    if isinstance(stored, Ledger) and stored.payload_hash == row.payload_hash:
        return stored
    raise mismatch()


def _check_original(row: Ledger, stored: object) -> None:
    if not isinstance(stored, Ledger):
        raise not_found("record")
    if falls_below_zero(stored, row):
        detail = "It takes away more than the record has left. Nothing was changed."
        raise conflict("BELOW_ZERO", detail)
