"""What records would cost at the prices that are known now, and corrections that make it so.

A record is reckoned with the price of its own moment: a price that is entered later, for that
moment or for a model that had none, changes what it should have cost. The difference is one
correction. Its id follows from the record and the price, so that a second run, after a crash or by
mistake, corrects nothing twice. Tokens that were corrected are reckoned as they are now; what
people have said themselves that a correction costs stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.corrections import (
    REPRICED,
    Correction,
    price_key,
    reckoned,
)
from tablewright.systems.pricekeeper.rules.cost import picos, price_id
from tablewright.systems.pricekeeper.rules.rows import Sums
from tablewright.systems.pricekeeper.service.ledger.scanning import Days, rows_of_app
from tablewright.systems.pricekeeper.spend import Ledger

if TYPE_CHECKING:
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_NAMES = uuid5(NAMESPACE_URL, "tablewright:pricekeeper:reprice")
#: Records that are shown one by one.
_SHOWN = 100


@dataclass(frozen=True)
class PriceChange:
    """One record that costs something else now."""

    app_id: str
    request_id: str
    label: str
    day: str
    before_picos: int
    after_picos: int
    price_id: str

    @property
    def difference_picos(self) -> int:
        return self.after_picos - self.before_picos


@dataclass
class Repriced:
    """What was looked at, and what differs."""

    rows: int = 0
    changed: int = 0
    applied: int = 0
    #: Records whose correction was refused, and why.
    refused: list[tuple[str, str]] = field(default_factory=list)
    difference_picos: int = 0
    #: By label.
    by_label: dict[str, int] = field(default_factory=dict)
    #: Some of them, to look at.
    examples: list[PriceChange] = field(default_factory=list)


class Repricing:
    """One run."""

    def __init__(
        self, keeper: Keeper, *, days: Days, label: str | None, actor: Actor | None
    ) -> None:
        self._keeper = keeper
        self._days = days
        self._label = label
        self._actor = actor
        self.result = Repriced()

    async def run(self, account: Account) -> None:
        """Look at all records of an app; correct them if somebody has it done."""
        db = self._keeper.db
        async for row in rows_of_app(db, account.org_id, account.app_id, self._days):
            if row.kind == "USAGE" and self._label in (None, row.label):
                self.result.rows += 1
                change = await self._change(row)
                if change is not None:
                    self._note(change)
                    await self._apply(account, change)

    async def _change(self, row: Ledger) -> PriceChange | None:
        """What a record should cost, if that is something else."""
        key = price_key(row)
        if key is None:
            return None
        moment = int(row.event_at_epoch.timestamp())
        price = await self._keeper.prices.at(
            row.bedrock_model_id, key.region_class, key.service_tier, moment
        )
        if price is None:
            return None
        so_far = await self._so_far(row)
        before, after = so_far.cost_usd_picos, picos(so_far, price)
        if before == after:
            return None
        where = (row.app_id, row.request_id, row.label, row.day)
        return PriceChange(*where, before, after, price_id(price))

    async def _so_far(self, row: Ledger) -> Sums:
        """What of a record is to be reckoned, and what that has cost so far."""
        if row.last_correction is None:
            return reckoned(row, ())
        found = await self._keeper.ledger.record(row.org_id, row.app_id, row.request_id)
        return reckoned(found.row, found.corrections)

    def _note(self, change: PriceChange) -> None:
        result, difference = self.result, change.difference_picos
        result.changed += 1
        result.difference_picos += difference
        result.by_label[change.label] = result.by_label.get(change.label, 0) + difference
        if len(result.examples) < _SHOWN:
            result.examples.append(change)

    async def _apply(self, account: Account, change: PriceChange) -> None:
        if self._actor is None:
            return
        correction = Correction(
            correction_id=str(uuid5(_NAMES, "/".join(_identity(account, change)))),
            reason=REPRICED,
            cost_picos=change.difference_picos,
            price_id=change.price_id,
        )
        try:
            await self._keeper.corrections.correct(
                account, change.request_id, correction, self._actor, update_totals=False
            )
        except Problem as problem:
            self.result.refused.append((change.request_id, problem.code))
        else:
            self.result.applied += 1


def _identity(account: Account, change: PriceChange) -> Sequence[str]:
    where = (account.org_id, account.app_id, change.request_id)
    return *where, change.price_id, str(change.before_picos), str(change.after_picos)
