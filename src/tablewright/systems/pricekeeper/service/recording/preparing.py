"""From reports to entries: which label, which price, which day; and what is refused at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.config import Price
from tablewright.systems.pricekeeper.reads import ledger_row
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.cost import price_usage
from tablewright.systems.pricekeeper.rules.gates import GateKey, gated, through
from tablewright.systems.pricekeeper.rules.models import class_for
from tablewright.systems.pricekeeper.rules.rows import UsageId, is_in_window, price_sought
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.recording.entry import Entry, Ticket
from tablewright.systems.pricekeeper.service.recording.outcome import (
    Outcome,
    outside_window,
    rejected,
    repeated,
    too_large,
    unknown_label,
)
from tablewright.systems.pricekeeper.shapes import bucket_of
from tablewright.systems.pricekeeper.spend import LEDGER_TEXT, USUAL_MODEL_ID

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


class _Known(NamedTuple):
    """What reports of one moment, label and model have in common."""

    bedrock_model_id: str
    counted_as: UsageId
    price: Price | None
    #: What the row says where there is no price.
    price_sought: str
    in_window: bool


class Preparing:
    """What has to be known of a report before it can be written."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def entries(
        self, account: Account, usages: Sequence[Usage], ticket: Ticket
    ) -> list[Entry]:
        """The reports that can be written; the others are settled."""
        known: dict[tuple[object, ...], _Known | None] = {}
        found: list[Entry] = []
        for place, usage in enumerate(usages):
            # Most reports of a batch are alike.
            kind = _kind(usage)
            if kind not in known:
                known[kind] = await self._look(account, usage)
            made = await self._entry(account, usage, known[kind], ticket, place)
            if isinstance(made, Entry):
                found.append(made)
            else:
                ticket.settle(place, made)
        return found

    async def _look(self, account: Account, usage: Usage) -> _Known | None:
        """None if there is no such label."""
        label = await self._keeper.directory.label(usage.label)
        if label is None:
            return None
        model = usage.bedrock_model_id or label.bedrock_model_id
        region = class_for(usage, label)
        tier = usage.service_tier or "standard"
        day = account.calendar.day(usage.timestamp)
        return _Known(
            model,
            UsageId(account.org_id, account.app_id, label.label, day),
            await self._keeper.prices.at(model, region, tier, usage.timestamp),
            price_sought(region, tier),
            is_in_window(account, usage.timestamp, self._keeper.now()),
        )

    async def _entry(
        self, account: Account, usage: Usage, known: _Known | None, ticket: Ticket, place: int
    ) -> Entry | Outcome:
        if known is None:
            return rejected(usage, unknown_label(usage.label))
        if not known.in_window:
            return await self._out_of_time(account, usage)
        priced = price_usage(usage, known.price)
        entry = Entry(
            account,
            usage,
            usage.payload_hash(),
            known.bedrock_model_id,
            known.counted_as,
            priced,
            priced.price_id or known.price_sought,
            ticket,
            place,
        )
        if not _fits(entry):
            return rejected(usage, too_large())
        if account.org.reservations == "on" or usage.reservation_id is not None:
            try:
                await self._through_gates(entry)
            except Problem as problem:
                return rejected(usage, problem)
        return entry

    async def _through_gates(self, entry: Entry) -> None:
        """Which promise it keeps, and which gates may move."""
        account, count = entry.account, entry.count
        found: list[GateKey] = []
        if account.reserves(count.day):
            limits = gated(account, count.label)
            found += (GateKey(each.scope, count.day, each.label) for each in limits)
        if entry.usage.reservation_id is not None:
            find = self._keeper.reservations.find
            entry.promise = await find(account, entry.usage.reservation_id)
        if entry.promise is not None:
            found += through(entry.promise)
        entry.gates = tuple(dict.fromkeys(found))

    async def _out_of_time(self, account: Account, usage: Usage) -> Outcome:
        """Too late or too early, unless it is a repeat of what was counted in time."""
        where = (account.org_id, account.app_id, bucket_of(usage.request_id))
        stored = await self._keeper.db.run(ledger_row(*where, usage.request_id))
        if stored is not None:
            return repeated(account, usage, stored)
        return rejected(usage, outside_window(account.org.late_window_hours))


def _kind(usage: Usage) -> tuple[object, ...]:
    model = (usage.bedrock_model_id, usage.region_class, usage.service_tier)
    return usage.label, usage.timestamp, *model


def _fits(entry: Entry) -> bool:
    """Whether the texts of the row are short enough; see :class:`Ledger`."""
    count, model_id = entry.count, entry.bedrock_model_id
    size = 2 * len(count.app_id) + len(count.label) + len(entry.price_id)
    return size + min(len(model_id), USUAL_MODEL_ID) <= LEDGER_TEXT
