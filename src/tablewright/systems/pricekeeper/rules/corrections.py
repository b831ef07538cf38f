"""Corrections: what they change, and the rows that they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple, cast

from tablewright.systems.pricekeeper.config import RegionClass, ServiceTier
from tablewright.systems.pricekeeper.recording import NET
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.rows import row_ends
from tablewright.systems.pricekeeper.rules.uuids import uuid7
from tablewright.systems.pricekeeper.spend import Ledger


class PriceKey(NamedTuple):
    """Where to look for a price."""

    region_class: RegionClass
    service_tier: ServiceTier
    #: Seconds since 1970; None where there was no price.
    effective_from: int | None


@dataclass(frozen=True, slots=True)
class Correction:
    """What to add to a record. Negative numbers take away."""

    correction_id: str
    reason: str
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    #: None: as many tokens as there are, at the record's own price.
    cost_picos: int | None = None
    #: The price that the record should have had.
    price_id: str | None = None

    def payload_hash(self, corrects: str) -> bytes:
        """16 bytes that differ if the same id is sent with something else."""
        tokens = (self.input_tokens, self.output_tokens)
        cached = (self.cache_read_tokens, self.cache_write_tokens)
        said = (corrects, *tokens, *cached, self.cost_picos, self.reason, self.price_id)
        return blake2b(repr(said).encode(), digest_size=16).digest()


def correction_row(
    account: Account, original: Ledger, correction: Correction, cost_picos: int, now: float
) -> Ledger:
    """The row of a correction: on the day of the original, linked to the correction before it."""
    return Ledger(
        org_id=original.org_id,
        app_id=original.app_id,
        request_id=correction.correction_id,
        kind="CORRECTION",
        payload_hash=correction.payload_hash(original.request_id),
        flush_id=uuid7(now),
        label=original.label,
        bedrock_model_id=original.bedrock_model_id,
        day=original.day,
        event_at_epoch=original.event_at_epoch,
        status=original.status,
        input_tokens=correction.input_tokens,
        output_tokens=correction.output_tokens,
        cache_read_tokens=correction.cache_read_tokens,
        cache_write_tokens=correction.cache_write_tokens,
        cost_usd_picos=cost_picos,
        cost_source="PRICE" if correction.price_id else original.cost_source,
        price_id=correction.price_id or original.price_id,
        corrects=original.request_id,
        reason=correction.reason,
        last_correction=original.last_correction,
        expires_at_epoch=datetime.fromtimestamp(row_ends(account, int(now)), UTC),
    )


def falls_below_zero(original: Ledger, row: Ledger) -> bool:
    """Whether a correction takes away more than there is."""
    return any(getattr(original, net) + getattr(row, name) < 0 for name, net in NET.items())


def price_key(row: Ledger) -> PriceKey | None:
    """Which price a record was reckoned with, or would have been; None if that is not known."""
    if row.price_id is None:
        return None
    region, tier, since = row.price_id.split("#")
    moment = datetime.fromisoformat(since) if since else None
    return PriceKey(
        cast("RegionClass", region),
        cast("ServiceTier", tier),
        int(moment.timestamp()) if moment else None,
    )
