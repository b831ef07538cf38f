"""The bill of a month: what is used, stored and kept, for each way of paying for it.

A table is paid for per request, or by the units that are provisioned for its peak or scaled
automatically between bounds; and it is of the standard class or of that for infrequent access.
:func:`cheapest` tries all of them. What is free is shared by all tables of a region, so one
table's best choice may depend on the others'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from tablewright.plan.demand import Demand, Mode, Settings
from tablewright.plan.pricing import GB, MILLION, STREAM_READS, FreeTier, Prices

#: Those to choose from.
MODES: tuple[Mode, ...] = ("on demand", "provisioned", "scaled")
CLASSES = ("STANDARD", "STANDARD_INFREQUENT_ACCESS")


@dataclass(frozen=True)
class Choice:
    """How one table is paid for."""

    mode: Mode
    table_class: str


@dataclass(frozen=True)
class Cost:
    """Dollars a month, by what they are for, before what is free is taken off."""

    writes: float = 0.0
    reads: float = 0.0
    storage: float = 0.0
    pitr: float = 0.0
    backups: float = 0.0
    streams: float = 0.0
    #: Taken off: what the free tier covers.
    free: float = 0.0

    @property
    def total(self) -> float:
        parts = self.writes + self.reads + self.storage + self.pitr + self.backups + self.streams
        return parts - self.free

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(getattr(self, name) + getattr(other, name) for name in _PARTS))


_PARTS = ("writes", "reads", "storage", "pitr", "backups", "streams", "free")


@dataclass(frozen=True)
class Bill:
    """What all tables cost, each with its choice."""

    choices: Mapping[str, Choice]
    tables: Mapping[str, Cost]
    total: Cost


def table_cost(demand: Demand, choice: Choice, prices: Prices, settings: Settings) -> Cost:
    """One table, without regard to what is free."""
    own = prices.of_class(choice.table_class)
    seconds = settings.hours * 3600
    writes = reads = 0.0
    for place, flow in demand.places.items():
        units = demand.units(place, choice.mode, settings)
        if units is None:
            writes += flow.write.average * seconds * own.writes / MILLION
            reads += flow.read.average * seconds * own.reads / MILLION
        else:
            reads += units[0] * settings.hours * own.read_unit
            writes += units[1] * settings.hours * own.write_unit
    kept = (demand.stored.base + demand.stored.local) / GB
    return Cost(
        writes=writes,
        reads=reads,
        storage=demand.stored.total / GB * own.storage,
        pitr=kept * prices.pitr if demand.table.pitr else 0.0,
        backups=kept * prices.backup * demand.backups,
        streams=demand.stream_reads * seconds / STREAM_READS * prices.stream_reads,
    )


def bill(
    wanted: Iterable[Demand],
    choices: Mapping[str, Choice],
    prices: Prices,
    settings: Settings,
) -> Bill:
    """All tables, and what the free tier takes off the sum."""
    listed = list(wanted)
    tables = {
        each.table.name: table_cost(each, choices[each.table.name], prices, settings)
        for each in listed
    }
    total = sum(tables.values(), Cost())
    if settings.free_tier:
        total = replace(total, free=_free(listed, choices, prices, settings))
    return Bill(dict(choices), tables, total)


def _free(
    wanted: list[Demand], choices: Mapping[str, Choice], prices: Prices, settings: Settings
) -> float:
    """The standard class's storage and provisioned units, and reads of streams."""
    free: FreeTier = prices.free
    stored = writes = reads = streamed = 0.0
    for each in wanted:
        choice = choices[each.table.name]
        streamed += each.stream_reads * settings.hours * 3600
        if choice.table_class != "STANDARD":
            continue
        stored += each.stored.total / GB
        for place in each.places:
            units = each.units(place, choice.mode, settings) or (0.0, 0.0)
            reads, writes = reads + units[0], writes + units[1]
    own = prices.standard
    return (
        min(stored, free.storage) * own.storage
        + min(writes, free.write_units) * settings.hours * own.write_unit
        + min(reads, free.read_units) * settings.hours * own.read_unit
        + min(streamed, free.stream_reads) / STREAM_READS * prices.stream_reads
    )


def uniform(
    wanted: Iterable[Demand], mode: Mode, table_class: str = "STANDARD"
) -> dict[str, Choice]:
    """The same choice for every table."""
    return {each.table.name: Choice(mode, table_class) for each in wanted}


def declared(wanted: Iterable[Demand]) -> dict[str, Choice]:
    """What the model says of each table."""
    return {each.table.name: Choice("declared", each.table.table_class) for each in wanted}


def cheapest(wanted: Iterable[Demand], prices: Prices, settings: Settings) -> Bill:
    """The best choice for each table, given those of the others."""
    listed = list(wanted)
    found = [_improved(listed, _possible(listed, mode), prices, settings) for mode in MODES]
    return min(found, key=lambda each: each.total.total)


def _possible(wanted: list[Demand], mode: Mode) -> dict[str, Choice]:
    """The mode for every table that it suits; what is too spiky for scaling is on demand."""
    choices = uniform(wanted, mode)
    for each in wanted:
        if mode == "scaled" and each.spiky:
            choices[each.table.name] = Choice("on demand", "STANDARD")
    return choices


def _improved(
    wanted: list[Demand], choices: dict[str, Choice], prices: Prices, settings: Settings
) -> Bill:
    """Change one table at a time, as long as that makes the sum smaller."""
    best = bill(wanted, choices, prices, settings)
    better = True
    while better:
        better = False
        for each, mode, kind in product(wanted, MODES, CLASSES):
            if mode == "scaled" and each.spiky:
                continue
            tried = {**best.choices, each.table.name: Choice(mode, kind)}
            other = bill(wanted, tried, prices, settings)
            if other.total.total < best.total.total - 1e-9:
                best, better = other, True
    return best
