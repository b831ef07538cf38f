"""The section about capacity and cost, from the figures of a plan.

Figures come as plain data (``tablewright.plan.report.data_of``): this package knows models, not
plans, and whoever asks for the document joins the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.document.markdown import code, number, paragraphs, table

_UNITS = ("Pattern", "Read units a call", "Write units a call", "Read units a month")
_UNIT_HEADS = (*_UNITS, "Write units a month", "On demand, $ a month")
_BILL_HEADS = (
    "Way to pay",
    "Writes",
    "Reads",
    "Storage",
    "PITR",
    "Backups",
    "Streams",
    "Free tier",
    "Total",
)


def capacity_section(plan: Mapping[str, Any]) -> str:
    """Units of each pattern, and what a month costs in each way to pay."""
    calls = [_pattern(each) for each in plan["patterns"]]
    bills = {**plan["bills"], "cheapest": plan["cheapest"]}
    silent = [each["pattern"] for each in plan["patterns"] if each["average"] is None]
    return paragraphs(
        "## Capacity and cost",
        f"At the declared rates, by the prices of {plan['region']} as of "
        f"{plan['prices']['dated']}, in a month of {number(plan['hours'])} hours. "
        "`tablewright plan` tells more: storage, partitions that get hot, reasons.",
        table(_BILL_HEADS, [_bill(name, each) for name, each in bills.items()]),
        table(_UNIT_HEADS, calls),
        f"Without a rate: {', '.join(code(each) for each in silent)}." if silent else "",
    )


def _pattern(each: Mapping[str, Any]) -> tuple[str, ...]:
    month = each["month"]
    return (
        code(each["pattern"]),
        _units(sum(place["read"] for place in each["units"])),
        _units(sum(place["write"] for place in each["units"])),
        _units(month["read_units"]),
        _units(month["write_units"]),
        _dollars(month["on_demand"]) if each["average"] is not None else "",
    )


def _units(value: float) -> str:
    return number(value) if value else ""


def _bill(name: str, each: Mapping[str, float]) -> tuple[str, ...]:
    parts = ("writes", "reads", "storage", "pitr", "backups", "streams")
    free = f"-{_dollars(each['free'])}" if each["free"] else ""
    return (name, *(_dollars(each[part]) for part in parts), free, _dollars(each["total"]))


def _dollars(value: float) -> str:
    return f"${value:,.2f}" if value >= 0.005 or not value else f"${value:.4f}"
