"""How much each pattern uses: units of one call, times how often it is called.

The units come from the pattern's sample call, run on the sample items. A sample is small, so what
the pattern declares about real life (``expect`` results, ``item_size`` bytes) is held against it.
A pattern without a sample call is estimated from its declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import ceil
from statistics import fmean
from typing import Any, Literal

from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.model import Model
from tablewright.model.ops import Batch, Op, Transaction
from tablewright.model.pattern import Pattern, Rate
from tablewright.model.table import Table
from tablewright.plan.calls import Used, load, units_of
from tablewright.plan.contents import Contents
from tablewright.plan.entries import Sizes
from tablewright.plan.estimate import estimated, read_many
from tablewright.plan.service import Partition
from tablewright.plan.sizes import EntitySize, entity_sizes, resized
from tablewright.plan.units import Place, Units
from tablewright.values import Item, item_size

#: ``measured`` on the samples, ``scaled`` from them to what is declared, or ``estimated`` without.
Basis = Literal["measured", "scaled", "estimated"]
#: Patterns with other expectations or sizes that are remembered.
MOST_KNOWN = 4096
MOST_WEIGHED = 20_000
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
    return Measuring(model, items, calls or {}, now=now, progress=progress).loads(expectations)


@dataclass(frozen=True)
class _Sample:
    """A sample call, what is stored when it is made, and the entities that are counted for it."""

    op: Op[Any]
    stored: Contents
    entities: tuple[str, ...]


class Measuring:
    """The loads of one model, for one expectation after another.

    How large items are changes what a call counts, not what it does. So the sample calls are made
    once, and afterwards only those that count an entity of another size are counted anew.
    """

    def __init__(
        self,
        model: Model,
        items: Iterable[Any],
        calls: Mapping[str, Op[Any]],
        *,
        now: float | None = None,
        progress: Callable[[str], None] = lambda name: None,
    ) -> None:
        samples = list(items)
        self._model = model
        self._now = now
        #: The mean sizes of the samples.
        self.sizes = entity_sizes(model, samples)
        self._scales = _Scales()
        self._samples: dict[str, _Sample] = {}
        self._known: dict[tuple[object, ...], Load] = {}
        stored = load(model, samples, now=now)
        for name, op in calls.items():
            if name in model.patterns:
                progress(name)
                stored = self._sample(model.patterns[name], op, stored)

    def _sample(self, pattern: Pattern[..., Any], op: Op[Any], stored: Contents) -> Contents:
        """Make one call for the first time; what it leaves."""
        seen: set[str] = set()
        size = _counting(pattern, Expectation(), {}, seen, self._scales)
        used = units_of(op, stored, now=self._now, size=size)
        sample = _Sample(op, stored, tuple(sorted(seen)))
        self._samples[pattern.name] = sample
        made = _called(pattern, op, used, Expectation(), self.sizes, {})
        self._known[_key(pattern, Expectation(), sample.entities, {})] = made
        return used.after if pattern.writes else stored

    def loads(
        self,
        expectations: Mapping[str, Expectation] | None = None,
        sizes: Mapping[str, float] | None = None,
    ) -> list[Load]:
        """Every pattern, in the model's order; ``sizes`` are bytes of an item, by entity."""
        told = expectations or {}
        given = sizes or {}
        stretch = {name: size / self.sizes[name].item for name, size in given.items()}
        now = resized(self.sizes, given)
        return [
            self._load(pattern, told.get(name, Expectation()), stretch, now)
            for name, pattern in self._model.patterns.items()
        ]

    def _load(
        self,
        pattern: Pattern[..., Any],
        said: Expectation,
        stretch: Mapping[str, float],
        sizes: Mapping[str, EntitySize],
    ) -> Load:
        sample = self._samples.get(pattern.name)
        own = tuple(each.cls.__name__ for each in pattern.entities)
        key = _key(pattern, said, own if sample is None else sample.entities, stretch)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._counted(pattern, sample, said, stretch, sizes)
        rate = _rate(pattern.rate, said)
        return found if rate == found.rate else replace(found, rate=rate)

    def _counted(
        self,
        pattern: Pattern[..., Any],
        sample: _Sample | None,
        said: Expectation,
        stretch: Mapping[str, float],
        sizes: Mapping[str, EntitySize],
    ) -> Load:
        if sample is None:
            return _uncalled(pattern, said, sizes, stretch)
        size = _counting(pattern, said, stretch, set(), self._scales)
        used = units_of(sample.op, sample.stored, now=self._now, size=size)
        return _called(pattern, sample.op, used, said, sizes, stretch)


def _key(
    pattern: Pattern[..., Any],
    said: Expectation,
    entities: Iterable[str],
    stretch: Mapping[str, float],
) -> tuple[object, ...]:
    """All that the units of a pattern rest on."""
    factors = (stretch.get(name, 1.0) for name in entities)
    return (pattern.name, said.expect, said.item_size, *factors)


def _called(
    pattern: Pattern[..., Any],
    op: Op[Any],
    used: Used,
    said: Expectation,
    sizes: Mapping[str, EntitySize],
    stretch: Mapping[str, float],
) -> Load:
    units, basis = _scaled(pattern, op, used, said, sizes, stretch)
    made = _load(pattern, said, units, basis)
    return replace(made, refused=used.refused, partitions=used.partitions)


def _scaled(
    pattern: Pattern[..., Any],
    op: Op[Any],
    used: Used,
    said: Expectation,
    sizes: Mapping[str, EntitySize],
    stretch: Mapping[str, float],
) -> tuple[Units, Basis]:
    """The units of the sample, raised to as many results as are expected."""
    expect = said.expect or pattern.expect
    if expect is not None and pattern.kind in _MANY and expect > used.rows:
        own = used.bytes / used.rows if used.rows else None
        size = _declared_size(pattern, said, stretch) or own
        return read_many(pattern, expect, size, sizes), "scaled"
    parts = len(op.members) if isinstance(op, Transaction | Batch) else 0
    if expect is not None and expect > parts and any(each.many for each in pattern.members):
        return used.units * (expect / max(1, parts)), "scaled"
    return used.units, "measured"


def _uncalled(
    pattern: Pattern[..., Any],
    said: Expectation,
    sizes: Mapping[str, EntitySize],
    stretch: Mapping[str, float],
) -> Load:
    expect, size = said.expect or pattern.expect, _declared_size(pattern, said, stretch)
    return _load(pattern, said, estimated(pattern, expect, size, sizes), "estimated")


def _declared_size(
    pattern: Pattern[..., Any], said: Expectation, stretch: Mapping[str, float]
) -> float | None:
    """Bytes of an item as somebody has said; the model's figure grows with its entities."""
    if said.item_size or pattern.item_size is None:
        return said.item_size
    factors = [stretch.get(each.cls.__name__, 1.0) for each in pattern.entities]
    return pattern.item_size * fmean(factors or [1.0])


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


class _Scales:
    """Whose an item is and how large, each looked up once: the same samples are met many times."""

    def __init__(self) -> None:
        # With the item itself: as long as it is held, no other has its number.
        self._known: dict[int, tuple[Item, EntityDef[Any] | None, int]] = {}

    def __call__(self, table: Table, item: Item) -> tuple[EntityDef[Any] | None, int]:
        found = self._known.get(id(item))
        if found is None:
            if len(self._known) >= MOST_WEIGHED:
                self._known.clear()
            found = self._known[id(item)] = (item, entity_of(table, item), item_size(item))
        return found[1], found[2]


def _counting(
    pattern: Pattern[..., Any],
    said: Expectation,
    stretch: Mapping[str, float],
    seen: set[str],
    weighed: _Scales,
) -> Sizes:
    """The size that an item counts with, and a note of whose it is.

    Items of the pattern's entities count as at least so large as is declared; their locks do not.
    """

    def size(table: Table, item: Item) -> int:
        known, own = weighed(table, item)
        if known is None:
            return own
        name = known.cls.__name__
        seen.add(name)
        factor = stretch.get(name, 1.0)
        least = said.item_size or (pattern.item_size or 0) * factor
        grown = own if factor == 1 else own * factor
        return ceil(max(grown, least)) if least and known in pattern.entities else ceil(grown)

    return size
