"""How much each pattern uses: units of one call, times how often it is called.

The units come from the pattern's sample call, run on the sample items. A sample is small, so what
the pattern declares about real life (``expect`` results, ``item_size`` bytes) is held against it.
A pattern without a sample call is estimated from its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tablewright.model.definition import entity_of
from tablewright.model.model import Model
from tablewright.model.ops import Batch, Op, Transaction
from tablewright.model.pattern import Pattern, Rate
from tablewright.model.table import Table
from tablewright.plan.calls import Used, load, units_of
from tablewright.plan.contents import Contents
from tablewright.plan.entries import Sizes, own_size
from tablewright.plan.estimate import estimated, read_many
from tablewright.plan.service import Partition
from tablewright.plan.sizes import EntitySize, entity_sizes
from tablewright.plan.units import Place, Units
from tablewright.values import Item, item_size

#: ``measured`` on the samples, ``scaled`` from them to what is declared, or ``estimated`` without.
Basis = Literal["measured", "scaled", "estimated"]
_MANY = frozenset({"query", "collect", "count", "scan"})


@dataclass(frozen=True)
class Expectation:
    """What a scenario says about a pattern; None leaves what the model declares."""

    average: float | None = None
    peak: float | None = None
    expect: float | None = None
    item_size: int | None = None


@dataclass(frozen=True)
class Load:
    """A pattern with the units of one call and its rate."""

    pattern: str
    component: str | None
    entities: tuple[str, ...]
    rate: Rate | None
    #: Of one call.
    units: Units
    basis: Basis
    #: The sample call was refused by its condition.
    refused: bool = False
    #: The units of one call by place and partition key; nothing without a sample call.
    partitions: Mapping[tuple[Place, Partition], Units] = field(default_factory=dict)

    @property
    def average(self) -> float:
        return 0.0 if self.rate is None else self.rate.average

    @property
    def peak(self) -> float:
        return self.average if self.rate is None or self.rate.peak is None else self.rate.peak


def loads_of(
    model: Model,
    items: Iterable[Any] = (),
    calls: Mapping[str, Op[Any]] | None = None,
    expectations: Mapping[str, Expectation] | None = None,
    *,
    now: float | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> list[Load]:
    """Every pattern of the model, in its order; the calls are made in theirs."""
    samples = list(items)
    sizes = entity_sizes(model, samples)
    told = expectations or {}
    contents = load(model, samples, now=now)
    found: dict[str, Load] = {}
    for name, op in (calls or {}).items():
        if name in model.patterns:
            progress(name)
            pattern, said = model.patterns[name], told.get(name, Expectation())
            found[name], contents = _called(pattern, op, contents, said, sizes, now)
    for name, pattern in model.patterns.items():
        if name not in found:
            found[name] = _uncalled(pattern, told.get(name, Expectation()), sizes)
    return [found[name] for name in model.patterns]


def _called(
    pattern: Pattern[..., Any],
    op: Op[Any],
    contents: Contents,
    said: Expectation,
    sizes: Mapping[str, EntitySize],
    now: float | None,
) -> tuple[Load, Contents]:
    least = said.item_size or pattern.item_size
    used = units_of(op, contents, now=now, size=_at_least(pattern, least))
    units, basis = _scaled(pattern, op, used, said, sizes)
    made = replace(
        _load(pattern, said, units, basis), refused=used.refused, partitions=used.partitions
    )
    return made, used.after


def _scaled(
    pattern: Pattern[..., Any],
    op: Op[Any],
    used: Used,
    said: Expectation,
    sizes: Mapping[str, EntitySize],
) -> tuple[Units, Basis]:
    """The units of the sample, raised to as many results as are expected."""
    expect = said.expect or pattern.expect
    if expect is not None and pattern.kind in _MANY and expect > used.rows:
        own = used.bytes / used.rows if used.rows else None
        size = said.item_size or pattern.item_size or own
        return read_many(pattern, expect, size, sizes), "scaled"
    parts = len(op.members) if isinstance(op, Transaction | Batch) else 0
    if expect is not None and expect > parts and any(each.many for each in pattern.members):
        return used.units * (expect / max(1, parts)), "scaled"
    return used.units, "measured"


def _uncalled(
    pattern: Pattern[..., Any], said: Expectation, sizes: Mapping[str, EntitySize]
) -> Load:
    expect, size = said.expect or pattern.expect, said.item_size or pattern.item_size
    return _load(pattern, said, estimated(pattern, expect, size, sizes), "estimated")


def _load(pattern: Pattern[..., Any], said: Expectation, units: Units, basis: Basis) -> Load:
    return Load(
        pattern=pattern.name,
        component=pattern.component,
        entities=tuple(each.cls.__name__ for each in pattern.entities),
        rate=_rate(pattern.rate, said),
        units=units,
        basis=basis,
    )


def _rate(declared: Rate | None, said: Expectation) -> Rate | None:
    if said.average is None and said.peak is None:
        return declared
    average = said.average if said.average is not None else (declared.average if declared else 0.0)
    peak = said.peak if said.peak is not None else (declared.peak if declared else None)
    return Rate(average, None if peak is None else max(peak, average))


def _at_least(pattern: Pattern[..., Any], least: int | None) -> Sizes:
    """Items of the pattern's entities count as at least so large; their locks do not."""
    if least is None:
        return own_size
    floor = least

    def size(table: Table, item: Item) -> int:
        own = entity_of(table, item) in pattern.entities
        return max(item_size(item), floor) if own else item_size(item)

    return size
