"""What a row of the ledger counts, and how long it and its counters are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tablewright.systems.pricekeeper.config import SHORTEST_WINDOW_HOURS
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.calendar import Calendar
from tablewright.systems.pricekeeper.spend import Amounts, Ledger

_HOUR, _DAY = 3600, 86_400
#: A counter is there longer than the rows that it can be made from again.
_COUNTER_SPARE = 5 * _DAY
#: After the window for late records, nothing comes in any more; then a day is final.
_FINAL_SPARE = _HOUR
_DIRTY_SPARE = 3 * _DAY
#: How far a caller's clock may be ahead of ours.
EARLY_SECS = 300


class UsageId(NamedTuple):
    """One count: whose, of what, of when."""

    org_id: str
    app_id: str
    label: str
    day: str


class Sums:
    """Amounts while they are being added up."""

    __slots__ = (
        "cache_read_tokens",
        "cache_write_tokens",
        "cost_usd_picos",
        "errors",
        "input_tokens",
        "output_tokens",
        "requests",
        "rev",
        "unpriced",
    )

    def __init__(self) -> None:
        self.cost_usd_picos = self.requests = self.errors = self.unpriced = self.rev = 0
        self.input_tokens = self.output_tokens = 0
        self.cache_read_tokens = self.cache_write_tokens = 0

    def add(self, row: Ledger) -> None:
        """Count one row. A correction changes amounts, and is no request."""
        self.cost_usd_picos += row.cost_usd_picos
        self.input_tokens += row.input_tokens
        self.output_tokens += row.output_tokens
        self.cache_read_tokens += row.cache_read_tokens
        self.cache_write_tokens += row.cache_write_tokens
        self.rev += 1
        if row.kind == "USAGE":
            self.requests += 1
            self.errors += row.status == "ERROR"
            self.unpriced += row.cost_source == "UNPRICED"

    def values(self) -> dict[str, int]:
        """By the names that counters and totals have for them."""
        return {name: getattr(self, name) for name in self.__slots__}

    def amounts(self) -> Amounts:
        return Amounts(**self.values())


def usage_id(row: Ledger) -> UsageId:
    """The count that a row belongs to."""
    return UsageId(row.org_id, row.app_id, row.label, row.day)


def sums_of(rows: Iterable[Ledger]) -> dict[UsageId, Sums]:
    """What rows count, by the count that they belong to."""
    found: dict[UsageId, Sums] = {}
    for row in rows:
        key = usage_id(row)
        sums = found.get(key)
        if sums is None:
            sums = found[key] = Sums()
        sums.add(row)
    return found


# --- prices --------------------------------------------------------------------------------------


def price_sought(region_class: str, service_tier: str) -> str:
    """What a row says that has no price: which prices were looked at."""
    return f"{region_class}#{service_tier}#"


def price_used(row: Ledger) -> str | None:
    """The id of the price that a row was reckoned with; None without one."""
    return None if row.price_id is None or row.price_id.endswith("#") else row.price_id


# --- times ---------------------------------------------------------------------------------------


def is_in_window(account: Account, timestamp: int, now: int) -> bool:
    """Whether a report of that moment is still, or already, taken."""
    return now - account.org.late_window_hours * _HOUR <= timestamp <= now + EARLY_SECS


def row_ends(account: Account, timestamp: int) -> int:
    """When a row may go. It outlives the window, so a repeat always finds what it repeats."""
    return timestamp + account.org.ledger_retention_days * _DAY


def counter_ends(account: Account, day: str, now: int) -> int:
    """When the counters of a day may go: never while they are written to."""
    kept = account.calendar.end(day) + account.org.ledger_retention_days * _DAY
    return max(kept, now) + _COUNTER_SPARE


def final_at(account: Account, day: str) -> int:
    """From when on nothing can be recorded for a day any more."""
    window = account.org.late_window_hours * _HOUR
    return account.calendar.end(day) + window + _FINAL_SPARE


def dirty_ends(account: Account, day: str, now: int) -> int:
    """When the mark of a day may go: days after nothing can come in any more."""
    return max(final_at(account, day), now) + _DIRTY_SPARE


def marks_kept_until(calendar: Calendar, day: str) -> int:
    """Until when a day surely has all of its marks.

    The window for late records may have been another one when they were made.
    """
    return calendar.end(day) + SHORTEST_WINDOW_HOURS * _HOUR + _FINAL_SPARE + _DIRTY_SPARE
