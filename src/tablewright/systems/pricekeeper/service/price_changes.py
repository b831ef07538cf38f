"""What the price list offers: taken over, or kept waiting until somebody has looked at it.

A rate that changes by more than half is more often a mistake than a price, so it waits; and what
an administrator has set by hand (a discount, say) is not overruled by a list. What waits is a row
of its own, told once through the outbox. A price that was rejected stays known, so that the same
one is not asked about every day.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import JsonValue

from tablewright.model import Put, Transaction, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit, outbox
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import conflict, not_found
from tablewright.systems.pricekeeper import reads, writes
from tablewright.systems.pricekeeper.bodies import ImportOut, iso
from tablewright.systems.pricekeeper.config import PendingPrice, Price, RegionClass, ServiceTier
from tablewright.systems.pricekeeper.rules.cost import iso_seconds, price_id
from tablewright.systems.pricekeeper.rules.ids import price_subject
from tablewright.systems.pricekeeper.rules.timeline import MOST_CHANGE, change_pct, rates_of
from tablewright.systems.pricekeeper.service.refused import refused_at

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

Outcome = Literal["saved", "unchanged", "pending"]


class PriceKey(NamedTuple):
    """Which price waits."""

    bedrock_model_id: str
    region_class: RegionClass
    service_tier: ServiceTier


class PriceChanges:
    """Prices on their way from the list into force."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    # --- what the list offers --------------------------------------------------------------------

    async def offer(self, listed: Sequence[Price], by: Principal) -> ImportOut:
        """Compare what the list says with what is in force, price by price."""
        outcomes = [await self._offered(price, by) for price in listed]
        for model_id in {price.bedrock_model_id for price in listed}:
            self._keeper.prices.forget(model_id)
        return ImportOut(
            saved=outcomes.count("saved"),
            unchanged=outcomes.count("unchanged"),
            pending=outcomes.count("pending"),
        )

    async def _offered(self, price: Price, by: Principal) -> Outcome:
        key, now = _key(price), self._keeper.now()
        current = await self._keeper.db.run(reads.price_at(*key, at=iso(now)))
        waiting = await self._keeper.db.run(reads.pending_price(*key))
        if current is None:
            return await self._save(price, by)
        if rates_of(current) == rates_of(price):
            await self._withdraw(waiting)
            return "unchanged"
        change = change_pct(current, price)
        if change > MOST_CHANGE or current.source == "MANUAL":
            return await self._hold(price, current, change, waiting, by)
        await self._withdraw(waiting)
        return await self._save(_after(price, current, now), by)

    async def _save(self, price: Price, by: Principal) -> Outcome:
        """One transaction: the price, which has to be new, and its audit entry."""
        try:
            await self._keeper.db.run(
                together(writes.save_price(price), self._noted("refresh", price, by))
            )
        except TransactionCancelled as refused:
            if refused_at(refused) is None:
                raise
            return "unchanged"  # another process has taken it over just now
        return "saved"

    async def _hold(
        self,
        price: Price,
        current: Price,
        change: int,
        waiting: PendingPrice | None,
        by: Principal,
    ) -> Outcome:
        """One transaction: what waits, that somebody is told, and the audit entry."""
        if waiting is not None and rates_of(waiting) == rates_of(price):
            return "pending" if waiting.state == "WAITING" else "unchanged"
        pending = PendingPrice(
            **price.model_dump(exclude={"source"}),
            previous_price_id=price_id(current),
            change_pct=change,
        )
        told = outbox.message(
            "price.pending",
            price_subject(price.bedrock_model_id),
            _letter(pending, current),
            at=self._keeper.now(),
        )
        await self._keeper.db.run(
            together(writes.hold_price(pending), told, self._noted("hold", pending, by))
        )
        return "pending"

    async def _withdraw(self, waiting: PendingPrice | None) -> None:
        if waiting is not None and waiting.state == "WAITING":
            await self._keeper.db.run(writes.withdraw_price(*_key(waiting)))

    # --- what somebody decides -------------------------------------------------------------------

    async def waiting(self) -> list[PendingPrice]:
        """The prices that wait for somebody to look at them."""
        found = self._keeper.db.iterate(reads.pending_prices())
        return [each async for each in found if each.state == "WAITING"]

    async def approve(self, key: PriceKey, by: Principal) -> Price:
        """A price that waited is right.

        One transaction: what waited is as it was seen and goes, the price is new; audit entry.
        """
        pending = await self._waiting(key)
        fields = pending.model_dump(exclude={"previous_price_id", "change_pct", "state"})
        price, now = Price(**fields, source="PRICE_LIST"), self._keeper.now()
        current = await self._keeper.db.run(reads.price_at(*key, at=iso(now)))
        if current is not None:
            price = _after(price, current, now)
        approved = writes.approve_price(pending, price)
        await self._decide(together(approved, self._noted("approve", pending, by)), key)
        return price

    async def reject(self, key: PriceKey, by: Principal) -> None:
        """A price that waited is not to count, now or when the same is offered again."""
        pending = await self._waiting(key)
        rejected = writes.reject_price(pending)
        await self._decide(together(rejected, self._noted("reject", pending, by)), key)

    async def _waiting(self, key: PriceKey) -> PendingPrice:
        found = await self._keeper.db.run(reads.pending_price(*key))
        if found is None or found.state != "WAITING":
            raise not_found("price that waits for approval")
        return found

    async def _decide(self, op: Transaction[tuple[object, ...]], key: PriceKey) -> None:
        try:
            await self._keeper.db.run(op)
        except TransactionCancelled as refused:
            if refused_at(refused) is None:
                raise
            detail = "It has been decided, or offered anew, just now. Look at it again."
            raise conflict("PRICE_CHANGED", detail) from refused
        finally:
            self._keeper.prices.forget(key.bedrock_model_id)

    def _noted(self, what: str, price: Price | PendingPrice, by: Principal) -> Put[AuditEntry]:
        subject = price_subject(price.bedrock_model_id)
        return audit.record(
            by, f"price.{what}", subject, at=self._keeper.now(), detail=_told(price)
        )


def _key(price: Price | PendingPrice) -> PriceKey:
    return PriceKey(price.bedrock_model_id, price.region_class, price.service_tier)


def _after(price: Price, current: Price, now: int) -> Price:
    """From when the list says, or from now on if that would be behind what is in force."""
    if price.effective_from > current.effective_from:
        return price
    return price.model_copy(update={"effective_from": iso(now)})


def _letter(pending: PendingPrice, current: Price) -> dict[str, JsonValue]:
    which = f"{pending.bedrock_model_id} ({pending.region_class}, {pending.service_tier})"
    return {
        "title": f"A price of {pending.bedrock_model_id} waits for approval",
        "text": f"The price list has another price for {which}: a rate changes by "
        f"{pending.change_pct} %. It does not count until somebody approves it.",
        **_told(pending),
        "was": list(rates_of(current)),
        "change_pct": pending.change_pct,
    }


def _told(price: Price | PendingPrice) -> dict[str, JsonValue]:
    return {
        "bedrock_model_id": price.bedrock_model_id,
        "region_class": price.region_class,
        "service_tier": price.service_tier,
        "effective_from": iso_seconds(price.effective_from),
        "rates": list(rates_of(price)),
    }
