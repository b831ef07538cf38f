"""Rows and totals as CSV, in pieces, so that an export of any size needs little memory.

What spreadsheets take for formulas is marked as text. Amounts of money are exact: decimal numbers
of dollars, with as many places as it takes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable, Sequence
from decimal import Decimal

from tablewright.client import AsyncDb
from tablewright.systems.pricekeeper.bodies.fields import day_text
from tablewright.systems.pricekeeper.reads import history
from tablewright.systems.pricekeeper.rules.cost import iso_seconds
from tablewright.systems.pricekeeper.rules.rows import price_used
from tablewright.systems.pricekeeper.service.ledger.scanning import Days, apps_of, rows_of_app
from tablewright.systems.pricekeeper.shapes import ALL, scope_of
from tablewright.systems.pricekeeper.spend import Ledger, Total

#: Rows in one piece.
_PIECE = 200
#: What a spreadsheet may take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")

LEDGER_COLUMNS = (
    "request_id",
    "kind",
    "app_id",
    "label",
    "bedrock_model_id",
    "day",
    "timestamp",
    "status",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cost_usd",
    "net_cost_usd",
    "cost_source",
    "price_id",
    "corrects",
    "reason",
)
TOTAL_COLUMNS = (
    "org_id",
    "app_id",
    "label",
    "day",
    "requests",
    "errors",
    "unpriced",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "cost_usd",
    "quota_usd",
    "final",
    "as_of",
)


async def ledger_csv(
    db: AsyncDb, org_id: str, app_id: str | None, days: Days
) -> AsyncIterator[bytes]:
    """The ledger of an app, or of all apps of an organisation."""
    yield _lines([LEDGER_COLUMNS])
    for each in await apps_of(db, org_id, app_id):
        piece: list[Sequence[object]] = []
        async for row in rows_of_app(db, org_id, each, days):
            piece.append(_ledger_cells(row))
            if len(piece) >= _PIECE:
                yield _lines(piece)
                piece = []
        if piece:
            yield _lines(piece)


async def totals_csv(
    db: AsyncDb, org_id: str, app_id: str | None, first: str, last: str
) -> AsyncIterator[bytes]:
    """The totals of days, for all labels together and for each."""
    yield _lines([TOTAL_COLUMNS])
    scope = scope_of(org_id, app_id)
    labels: set[str] = set()
    async for total in _days(db, scope, ALL, first, last):
        labels |= total.labels
        yield _lines([_total_cells(org_id, app_id, total)])
    for label in sorted(labels):
        async for total in _days(db, scope, label, first, last):
            yield _lines([_total_cells(org_id, app_id, total)])


def _days(db: AsyncDb, scope: str, label: str, first: str, last: str) -> AsyncIterator[Total]:
    return db.iterate(history(scope, label, first=f"DAY#{first}", last=f"DAY#{last}"))


def _ledger_cells(row: Ledger) -> tuple[object, ...]:
    return (
        row.request_id,
        row.kind,
        _text(row.app_id),
        _text(row.label),
        _text(row.bedrock_model_id),
        day_text(row.day),
        iso_seconds(row.event_at_epoch),
        row.status,
        row.input_tokens,
        row.output_tokens,
        row.cache_read_tokens,
        row.cache_write_tokens,
        usd(row.cost_usd_picos),
        "" if row.net_cost_picos is None else usd(row.net_cost_picos),
        row.cost_source,
        _text(price_used(row) or ""),
        row.corrects or "",
        _text(row.reason or ""),
    )


def _total_cells(org_id: str, app_id: str | None, total: Total) -> tuple[object, ...]:
    quota = total.quota_usd_micros
    return (
        org_id,
        _text(app_id or ""),
        _text(total.label),
        day_text(total.period.removeprefix("DAY#")),
        total.requests,
        total.errors,
        total.unpriced,
        total.input_tokens,
        total.output_tokens,
        total.cache_read_tokens,
        total.cache_write_tokens,
        usd(total.cost_usd_picos),
        "" if quota is None else usd(quota * 1_000_000),
        "yes" if total.final else "no",
        iso_seconds(total.as_of_ms),
    )


def usd(picos: int) -> str:
    """Picos as dollars, exactly."""
    text = f"{Decimal(picos).scaleb(-12):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _text(text: str) -> str:
    """A text that stays one in a spreadsheet."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(rows: Iterable[Sequence[object]]) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return written.getvalue().encode()
