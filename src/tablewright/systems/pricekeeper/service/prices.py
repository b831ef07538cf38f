"""Prices: what a model cost at a moment, and how prices are set by hand.

A price that has come into force is never changed, since records name it. What the process keeps
is a model's whole timeline, past and future: so events on both sides of a change are priced right
while it is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from tablewright.model import Put, together
from tablewright.model.errors import AlreadyExists, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.gathering import at_most
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import FieldError, Problem, conflict, invalid
from tablewright.service.remembered import Remembered
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.bodies import ImportedPrice, ImportOut, PriceIn, iso
from tablewright.systems.pricekeeper.config import Label, Price, RegionClass, ServiceTier
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices, model_names
from tablewright.systems.pricekeeper.rules.cost import iso_seconds, price_id
from tablewright.systems.pricekeeper.rules.ids import price_subject
from tablewright.systems.pricekeeper.rules.models import model_of
from tablewright.systems.pricekeeper.rules.price_list import PriceListError, read_offers
from tablewright.systems.pricekeeper.rules.timeline import Timeline, rates_of
from tablewright.systems.pricekeeper.service.price_changes import PriceChanges
from tablewright.systems.pricekeeper.service.price_list import PriceList
from tablewright.systems.pricekeeper.service.refused import refused_at

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: How long a process keeps a timeline. A price that is further ahead is known everywhere in time.
KEPT_SECS = 300.0
#: That a model has no price is asked again soon: somebody will set one.
NOTHING_SECS = 5.0
#: How long timelines may be used that could not be read again.
STALE_SECS = 3600.0
#: Prices that are written at a time.
_AT_ONCE = 16


class Stored(NamedTuple):
    """A price that was set, and what that changed."""

    price: Price
    result: Literal["new", "replaced", "unchanged"]


class PricedModel(NamedTuple):
    """A model, the labels that lead to it, and what it costs now."""

    model_id: str
    labels: tuple[str, ...]
    prices: tuple[Price, ...]


class Prices:
    """The prices of all models."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        #: What the price list offers, and what of it waits for approval.
        self.changes = PriceChanges(keeper)
        self._timelines = Remembered(
            self._read,
            keeper.clock,
            secs=KEPT_SECS,
            nothing_secs=NOTHING_SECS,
            stale_secs=STALE_SECS,
        )

    # --- reading ---------------------------------------------------------------------------------

    async def at(
        self, model_id: str, region_class: RegionClass, tier: ServiceTier, epoch: int
    ) -> Price | None:
        """The price in force at a moment; of a profile without prices of its own, its model's."""
        timeline = await self._timelines.get(model_id)
        if not timeline and (model := model_of(model_id)) != model_id:
            timeline = await self._timelines.get(model)
        return timeline.at(region_class, tier, epoch)

    async def of_label(self, label: Label) -> Price | None:
        """Return the standard price in force for the model behind a label; None if it has none."""
        model_id, region_class = label.bedrock_model_id, label.region_class
        return await self.at(model_id, region_class, "standard", self._keeper.now())

    async def timeline(self, model_id: str) -> Timeline:
        """All prices of a model, as they are now."""
        self.forget(model_id)
        return await self._timelines.get(model_id)

    async def models(self) -> list[PricedModel]:
        """The models that have a label or ship with a price, and what they cost now."""
        labels: dict[str, list[str]] = {row.bedrock_model_id: [] for row in bundled_prices()}
        for label in await self._keeper.directory.labels():
            labels.setdefault(label.bedrock_model_id, []).append(label.label)
        models, now = sorted(labels), self._keeper.now()
        lines = await asyncio.gather(*map(self._timelines.get, models))
        return [
            PricedModel(model, tuple(labels[model]), line.current(now))
            for model, line in zip(models, lines, strict=True)
        ]

    def forget(self, model_id: str) -> None:
        """A model's prices have been changed by this process."""
        self._timelines.forget(model_id)

    async def _read(self, model_id: str) -> Timeline:
        found = self._keeper.db.iterate(reads.prices_of_model(model_id))
        return Timeline([price async for price in found])

    # --- the table that ships with the program ---------------------------------------------------

    async def open(self) -> None:
        """Store what is missing of the bundled table. Where all is there, it is read and kept."""
        models = groupby(bundled_prices(), lambda price: price.bedrock_model_id)
        await asyncio.gather(*(self._complete(model, list(rows)) for model, rows in models))

    async def _complete(self, model_id: str, rows: Sequence[Price]) -> None:
        timeline = await self._timelines.get(model_id)
        missing = [row for row in rows if _is_missing(row, timeline)]
        for row in missing:
            # Another process may have been quicker; a row is never replaced.
            with suppress(AlreadyExists):
                await self._keeper.db.run(writes.save_price(row))
        if missing:
            self.forget(model_id)

    async def refresh(self, by: Principal) -> ImportOut:
        """Look at the source of prices; a problem 503 if it cannot be read, and nothing changes."""
        options = self._keeper.runtime.options(Options)
        if options.prices_source == "bundled":
            await self.open()
            return ImportOut(saved=0, unchanged=len(bundled_prices()))
        region, now = options.prices_region, iso(self._keeper.now())
        try:
            offers = await PriceList(options.prices_url, region).offers()
            listed = read_offers(offers, model_names(), region, now)
        except PriceListError as error:
            raise _no_list(error) from error
        done = await self.changes.offer(listed.prices, by)
        return done.model_copy(update={"skipped": listed.skipped})

    # --- setting ---------------------------------------------------------------------------------

    async def set(self, model_id: str, body: PriceIn, by: Principal) -> Stored:
        """A price by hand, in one transaction with its audit entry.

        Condition: there is none at that moment; or there is the one that was seen, and it is so
        far ahead that no process reckons with it yet.
        """
        price = self._manual(model_id, body)
        seen = (await self.timeline(model_id)).exactly(price)
        if seen is not None and rates_of(seen) == rates_of(price):
            return Stored(seen, "unchanged")
        if seen is not None:
            self._check_ahead(seen)
        try:
            await self._keeper.db.run(
                together(writes.set_price(price, seen), self._noted(price, by))
            )
        except TransactionCancelled as refused:
            if refused_at(refused) is None:
                raise
            raise _changed_meanwhile() from refused
        finally:
            self.forget(model_id)
        return Stored(price, "new" if seen is None else "replaced")

    def _manual(self, model_id: str, body: PriceIn) -> Price:
        now = self._keeper.now()
        moment = now if body.effective_from is None else body.effective_from
        return Price(
            **body.model_dump(exclude={"effective_from", "bedrock_model_id"}),
            bedrock_model_id=model_id,
            effective_from=iso(moment),
            source="MANUAL",
            fetched_at_epoch=iso(now),
        )

    def _check_ahead(self, seen: Price) -> None:
        if seen.effective_from.timestamp() <= self._keeper.now() + KEPT_SECS:
            detail = (
                f"There is another price from {iso_seconds(seen.effective_from)} on, and records "
                "may have been reckoned with it. Set one from a later moment."
            )
            raise conflict("PRICE_IN_FORCE", detail)

    def _noted(self, price: Price, by: Principal) -> Put[AuditEntry]:
        return audit.record(
            by,
            "price.set",
            price_subject(price.bedrock_model_id),
            at=self._keeper.now(),
            detail={
                "bedrock_model_id": price.bedrock_model_id,
                "price_id": price_id(price),
                "rates": rates_of(price),
            },
        )

    async def import_rows(self, rows: Sequence[ImportedPrice], by: Principal) -> ImportOut:
        """Many prices by hand, each by itself: what is refused is told, and the rest stored."""
        _check_distinct(rows)

        async def one(row: ImportedPrice) -> str:
            try:
                return (await self.set(row.bedrock_model_id, row, by)).result
            except Problem as refused:
                return f"{row.bedrock_model_id}: {refused.detail}"

        results = await at_most(_AT_ONCE, map(one, rows))
        counts = {result: results.count(result) for result in ("new", "replaced", "unchanged")}
        return ImportOut(
            saved=counts["new"] + counts["replaced"],
            unchanged=counts["unchanged"],
            skipped=[each for each in results if each not in counts],
        )


def _is_missing(row: Price, timeline: Timeline) -> bool:
    """Whether a row of the table is to be stored.

    Not where somebody has set a price since, or the price list is followed: a newer release of the
    program must not overrule them.
    """
    at = int(row.effective_from.timestamp())
    before = timeline.at(row.region_class, row.service_tier, at)
    if before is None:
        return True
    return before.effective_from != row.effective_from and before.source == "BUNDLED"


def _check_distinct(rows: Sequence[ImportedPrice]) -> None:
    seen: dict[tuple[object, ...], int] = {}
    for number, row in enumerate(rows):
        key = (row.bedrock_model_id, row.region_class, row.service_tier, row.effective_from)
        if key in seen:
            message = f"is for the same moment as row {seen[key]}"
            raise invalid(FieldError(f"body.prices.{number}", message))
        seen[key] = number


def _no_list(error: PriceListError) -> Problem:
    detail = f"The price list cannot be had; prices stay as they are. {error}"
    return Problem(503, "PRICE_LIST_UNAVAILABLE", detail, headers={"Retry-After": "300"})


def _changed_meanwhile() -> Problem:
    detail = "Somebody has set a price for the same moment just now. Look before you repeat it."
    return conflict("PRICE_CHANGED", detail)
