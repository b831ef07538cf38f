"""A bill by what it is for, with other designs beside the model's own.

A model may have a function ``costs()`` beside it: what a month holds, line by line, each as calls
of the model's own patterns and as items that it keeps; and what a document says, or what another
design would do. Nothing here is a result: every amount that is not said by a document is worked out
from units, sizes and prices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from tablewright.model.entity import Entity
from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.plan.calls import load, units_of
from tablewright.plan.contents import Contents
from tablewright.plan.demand import Settings, demands
from tablewright.plan.month import Choice, table_cost
from tablewright.plan.operations import Operation
from tablewright.plan.pricing import GB, Prices
from tablewright.plan.scenario import Holding, cost_of
from tablewright.plan.sizes import entity_sizes
from tablewright.plan.text import dollars, table
from tablewright.plan.units import Units

_ON_DEMAND = Choice("on demand", "STANDARD")


@dataclass(frozen=True)
class Calls:
    """Calls of the model's patterns, made so often in a month."""

    ops: Sequence[Op[Any]]
    per_month: float


@dataclass(frozen=True)
class Kept:
    """Items of the model's entities, by their names: their storage, and recovery if it is on."""

    items: Mapping[str, float]


@dataclass(frozen=True)
class Held:
    """Items of a design that is only described."""

    holdings: Sequence[Holding]
    #: Point-in-time recovery, of the items and not of the entries in indexes.
    recovery: bool = False


@dataclass(frozen=True)
class Said:
    """What a document says, whatever is right."""

    dollars: float


Amount: TypeAlias = Calls | Kept | Operation | Held | Said


@dataclass(frozen=True)
class Line:
    """One thing to pay for, in each design that has to."""

    about: str
    amounts: Mapping[str, Sequence[Amount]]
    #: It is paid for each of these, and stands beside the total.
    per: str = ""


@dataclass(frozen=True)
class Bill:
    """Lines that add up."""

    title: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Costs:
    """Bills of a model, by design."""

    title: str
    model: Model
    designs: Sequence[str]
    bills: Sequence[Bill]
    #: What is there when the calls are made, and how large the items that are kept are.
    items: Sequence[Entity] = ()
    now: datetime | None = None
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True)
class Priced:
    """The dollars of a month, by design; a design without an amount does not have the line."""

    about: str
    dollars: Mapping[str, float]
    per: str = ""


@dataclass(frozen=True)
class PricedBill:
    """A bill, worked out."""

    title: str
    lines: Sequence[Priced]

    def total(self, design: str, per: str = "") -> float:
        """Of everything, or of what is paid for each of something."""
        return sum(each.dollars.get(design, 0.0) for each in self.lines if each.per == per)

    @property
    def extras(self) -> list[str]:
        return list(dict.fromkeys(each.per for each in self.lines if each.per))


class Pricing:
    """Works amounts out."""

    def __init__(self, costs: Costs, prices: Prices) -> None:
        self._costs = costs
        self._prices = prices
        self._now = None if costs.now is None else costs.now.timestamp()
        self._contents: Contents = load(costs.model, costs.items, now=self._now)
        self._sizes = entity_sizes(costs.model, costs.items)

    def bills(self) -> list[PricedBill]:
        return [
            PricedBill(bill.title, [self._line(line) for line in bill.lines])
            for bill in self._costs.bills
        ]

    def units(self, op: Op[Any]) -> Units:
        """What a call uses on the items that are there."""
        return units_of(op, self._contents, now=self._now).units

    def dollars(self, amount: Amount) -> float:
        """What an amount costs in a month, before anything is free."""
        if isinstance(amount, Said):
            return amount.dollars
        if isinstance(amount, Calls):
            used = sum((self.units(op) for op in amount.ops), Units())
            own = self._prices.standard
            each = used.reads * own.reads + used.writes * own.writes
            return each * amount.per_month / 1_000_000
        if isinstance(amount, Operation):
            return cost_of(amount, self._prices)
        return self._kept(amount) if isinstance(amount, Kept) else self._held(amount)

    def _line(self, line: Line) -> Priced:
        found = {
            design: sum(self.dollars(each) for each in amounts)
            for design, amounts in line.amounts.items()
        }
        return Priced(line.about, found, line.per)

    def _kept(self, kept: Kept) -> float:
        settings = Settings(items=kept.items)
        held = demands(self._costs.model.tables, [], self._sizes, settings)
        costs = [table_cost(each, _ON_DEMAND, self._prices, settings) for each in held]
        return sum(each.storage + each.pitr for each in costs)

    def _held(self, held: Held) -> float:
        stored = sum(each.bytes for each in held.holdings)
        own = sum(Holding(each.name, each.items, each.size).bytes for each in held.holdings)
        recovery = own * self._prices.pitr if held.recovery else 0.0
        return (stored * self._prices.standard.storage + recovery) / GB


def text_of(costs: Costs, prices: Prices) -> str:
    """The bills side by side, for people."""
    rows: list[list[str]] = []
    for bill in Pricing(costs, prices).bills():
        rows += [[f"{bill.title}: {each.about}", *_cells(costs, each)] for each in bill.lines]
        rows.append([f"{bill.title}, total", *(_total(bill, name) for name in costs.designs)])
    notes = "".join(f"\n  - {note}" for note in costs.notes)
    return f"{costs.title}\n" + table(["what for", *costs.designs], rows) + notes


def _cells(costs: Costs, line: Priced) -> list[str]:
    per = f" per {line.per}" if line.per else ""
    found = [line.dollars.get(design) for design in costs.designs]
    return ["-" if each is None else dollars(each) + per for each in found]


def _total(bill: PricedBill, design: str) -> str:
    extras = [(per, bill.total(design, per)) for per in bill.extras]
    more = "".join(f" + {dollars(amount)} per {per}" for per, amount in extras if amount)
    return dollars(bill.total(design)) + more


def data_of(costs: Costs, prices: Prices) -> dict[str, object]:
    """The same as plain data, for JSON."""
    return {
        "title": costs.title,
        "designs": list(costs.designs),
        "bills": [
            {
                "title": bill.title,
                "lines": [
                    {"about": each.about, "per": each.per or None, "dollars": dict(each.dollars)}
                    for each in bill.lines
                ],
                "total": {
                    design: {
                        "dollars": bill.total(design),
                        **{f"per {per}": bill.total(design, per) for per in bill.extras},
                    }
                    for design in costs.designs
                },
            }
            for bill in Pricing(costs, prices).bills()
        ],
        "notes": list(costs.notes),
    }
