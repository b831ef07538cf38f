"""Rows of the ledger, as the API tells them."""

from __future__ import annotations

from tablewright.systems.pricekeeper.bodies import RecordOut, day_text
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.rows import price_used
from tablewright.systems.pricekeeper.spend import Ledger


def row_out(row: Ledger) -> RecordOut:
    """One row."""
    net = row.net_cost_picos
    return RecordOut(
        request_id=row.request_id,
        kind=row.kind,
        label=row.label,
        bedrock_model_id=row.bedrock_model_id,
        day=day_text(row.day),
        timestamp=row.event_at_epoch,
        status=row.status,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cache_read_tokens=row.cache_read_tokens,
        cache_write_tokens=row.cache_write_tokens,
        cost_usd_micros=micros(row.cost_usd_picos),
        cost_usd_picos=row.cost_usd_picos,
        cost_source=row.cost_source,
        price_id=price_used(row),
        net_cost_usd_micros=None if net is None else micros(net),
        net_cost_usd_picos=net,
        corrects=row.corrects,
        reason=row.reason,
    )
