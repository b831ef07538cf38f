"""From reports to entries: which label, which price, which day; and what is refused at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.config import Label
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
from tablewright.systems.pricekeeper.spend import LEDGER_TEXT

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


class Preparing:
    """What has to be known of a report before it can be written."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def entries(
        self, account: Account, usages: Sequence[Usage], ticket: Ticket
    ) -> list[Entry]:
        """The reports that can be written; the others are settled."""
        now = self._keeper.now()
        labels: dict[str, Label | None] = {}
        found: list[Entry] = []
        for place, usage in enumerate(usages):
            if usage.label not in labels:
                labels[usage.label] = await self._keeper.directory.label(usage.label)
            label = labels[usage.label]
            if label is None:
                ticket.settle(place, rejected(usage, unknown_label(usage.label)))
            elif not is_in_window(account, usage.timestamp, now):
                ticket.settle(place, await self._out_of_time(account, usage))
            else:
                entry = await self._entry(account, usage, label, ticket, place)
                if entry is not None:
                    found.append(entry)
        return found

    async def _entry(
        self, account: Account, usage: Usage, label: Label, ticket: Ticket, place: int
    ) -> Entry | None:
        model = usage.bedrock_model_id or label.bedrock_model_id
        region = class_for(usage, label)
        tier = usage.service_tier or "standard"
        price = await self._keeper.prices.at(model, region, tier, usage.timestamp)
        priced = price_usage(usage, price)
        day = account.calendar.day(usage.timestamp)
        entry = Entry(
            account,
            usage,
            usage.payload_hash(),
            model,
            UsageId(account.org_id, account.app_id, label.label, day),
            priced,
            priced.price_id or price_sought(region, tier),
            ticket,
            place,
        )
        try:
            _check_size(entry)
            if account.org.reservations == "on" or usage.reservation_id is not None:
                await self._through_gates(entry)
        except Problem as problem:
            entry.settle(rejected(usage, problem))
            return None
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


def _check_size(entry: Entry) -> None:
    """A problem unless the row will be one unit; see :class:`Ledger`."""
    texts = (entry.count.label, entry.bedrock_model_id, entry.price_id)
    if 2 * len(entry.count.app_id) + sum(map(len, texts)) > LEDGER_TEXT:
        raise too_large()
