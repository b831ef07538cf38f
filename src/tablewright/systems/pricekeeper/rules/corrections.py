"""Corrections: what they change, and the rows that they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import NamedTuple, cast

from tablewright.systems.pricekeeper.config import RegionClass, ServiceTier
from tablewright.systems.pricekeeper.recording import NET
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.rows import Sums, price_used, row_ends
from tablewright.systems.pricekeeper.rules.uuids import uuid7
from tablewright.systems.pricekeeper.spend import Ledger

#: Of corrections that reckon a record with another price.
REPRICED = "repriced"


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
    #: None: as many tokens as there are, at the record's price.
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
    account: Account,
    original: Ledger,
    priced: Ledger,
    correction: Correction,
    cost_picos: int,
    now: float,
) -> Ledger:
    """The row of a correction: on the day of the original, linked to the correction before it.

    ``priced`` is the row whose price the record has so far.
    """
    said = correction.cost_picos is not None
    reckoned = "PRICE" if correction.price_id else priced.cost_source
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
        cost_source="CLIENT" if said and not correction.price_id else reckoned,
        price_id=correction.price_id or priced.price_id,
        corrects=original.request_id,
        reason=correction.reason,
        last_correction=original.last_correction,
        expires_at_epoch=datetime.fromtimestamp(row_ends(account, int(now)), UTC),
    )


def falls_below_zero(original: Ledger, row: Ledger) -> bool:
    """Whether a correction takes away more than there is."""
    return any(getattr(original, net) + getattr(row, name) < 0 for name, net in NET.items())


def priced_by(original: Ledger, corrections: Sequence[Ledger]) -> Ledger:
    """The row whose price a record has now; its corrections come with the latest first."""
    rows = (*corrections, original)
    return next((row for row in rows if row.cost_source == "PRICE"), original)


def reckoned(original: Ledger, corrections: Iterable[Ledger]) -> Sums:
    """The tokens of a record that are paid by a price, and what they have cost so far."""
    found = Sums()
    found.add(original)
    for row in corrections:
        if not _stays(row):
            found.add(row)
    return found


def _stays(row: Ledger) -> bool:
    """Whether people have said what a correction costs, whatever the price is.

    Where there was no price, they could not but say it: then it goes with the rest.
    """
    if row.reason == REPRICED:
        return False
    tokens = (row.input_tokens, row.output_tokens, row.cache_read_tokens, row.cache_write_tokens)
    return not any(tokens) or (row.cost_source == "CLIENT" and price_used(row) is not None)


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
