"""What each table has to serve and to hold: units a second, and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from tablewright.model.table import Provisioned, Table
from tablewright.plan.loads import Load
from tablewright.plan.sizes import EntitySize
from tablewright.plan.units import Place

#: How a table is paid for; "declared" is what the model says.
Mode = Literal["declared", "on demand", "provisioned", "scaled"]
#: Automatic scaling follows a load that rises to so many times its average. Beyond, it comes late.
FOLLOWED = 4.0
#: The service adds so much to each item, and to each entry of an index, for its own index.
OVERHEAD = 100


@dataclass(frozen=True)
class Settings:
    """What a month is made of, beside rates and prices."""

    hours: float = 730
    #: Of provisioned units, how much is meant to be used.
    utilisation: float = 0.7
    #: Automatic scaling does not go below this.
    least_units: int = 1
    free_tier: bool = True
    #: Of each entity.
    items: Mapping[str, float] = field(default_factory=dict)
    #: On-demand backups that are kept, by table.
    backups: Mapping[str, float] = field(default_factory=dict)
    #: Stream reads a second by others than Lambda, whose reads are free; by table.
    stream_reads: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 < self.utilisation <= 1:
            raise ValueError(f"utilisation is a share above 0, up to 1, not {self.utilisation}")


@dataclass(frozen=True)
class Flow:
    """Units a second, on average and at the peak."""

    average: float = 0.0
    peak: float = 0.0

    def __add__(self, other: Flow) -> Flow:
        return Flow(self.average + other.average, self.peak + other.peak)


@dataclass(frozen=True)
class Throughput:
    """What one table or global index is asked for."""

    read: Flow = Flow()
    write: Flow = Flow()


@dataclass(frozen=True)
class Stored:
    """Bytes of a table, overhead included."""

    items: float = 0.0
    base: float = 0.0
    #: By index.
    indexes: Mapping[str, float] = field(default_factory=dict)
    #: Of the indexes, those that are local: they are backed up with the table.
    local: float = 0.0

    @property
    def total(self) -> float:
        return self.base + sum(self.indexes.values())


@dataclass(frozen=True)
class Demand:
    """Everything that one table has to pay for."""

    table: Table
    places: Mapping[Place, Throughput]
    stored: Stored
    backups: float
    stream_reads: float

    def units(self, place: Place, mode: Mode, settings: Settings) -> tuple[float, float] | None:
        """Read and write units that are provisioned for a place; None where none are."""
        if mode == "declared":
            return declared_units(self.table, place)
        if mode == "on demand":
            return None
        flow = self.places[place]
        return provisioned(flow.read, mode, settings), provisioned(flow.write, mode, settings)

    @property
    def load(self) -> Flow:
        """Units of both kinds, everywhere."""
        flows = [flow for each in self.places.values() for flow in (each.read, each.write)]
        return sum(flows, Flow())

    @property
    def spiky(self) -> bool:
        """Whether the peak is more than automatic scaling can follow."""
        return self.load.peak > FOLLOWED * self.load.average


def demands(
    tables: Mapping[str, Table],
    loads: Iterable[Load],
    sizes: Mapping[str, EntitySize],
    settings: Settings,
) -> list[Demand]:
    """What each table has to serve and to hold."""
    listed = list(loads)
    return [
        Demand(
            table=table,
            places=_throughput(table, listed),
            stored=_stored(table, sizes, settings.items),
            backups=settings.backups.get(name, 0),
            stream_reads=settings.stream_reads.get(name, 0),
        )
        for name, table in tables.items()
    ]


def _throughput(table: Table, loads: Iterable[Load]) -> dict[Place, Throughput]:
    """By table and global index: a local index uses the table's own units."""
    found = {Place(table.name): Throughput()}
    for index in table.indexes.values():
        if not index.local:
            found[Place(table.name, index.name)] = Throughput()
    for load in loads:
        for place in load.units.places:
            if place.table == table.name:
                payer = place if place in found else Place(table.name)
                found[payer] = _added(found[payer], load, place)
    return found


def _added(known: Throughput, load: Load, place: Place) -> Throughput:
    read, write = load.units.read.get(place, 0.0), load.units.write.get(place, 0.0)
    return Throughput(
        known.read + Flow(read * load.average, read * load.peak),
        known.write + Flow(write * load.average, write * load.peak),
    )


def _stored(table: Table, sizes: Mapping[str, EntitySize], items: Mapping[str, float]) -> Stored:
    count, base, local = 0.0, 0.0, 0.0
    indexes: dict[str, float] = {}
    for known in table.entities.values():
        name = known.cls.__name__
        number, size = items.get(name, 0.0), sizes.get(name)
        if size is None or not number:
            continue
        count += number
        base += number * (size.item + OVERHEAD)
        for index, entry in size.entries.items():
            grown = number * size.present.get(index, 1.0) * (entry + OVERHEAD)
            indexes[index] = indexes.get(index, 0.0) + grown
            local += grown if table.indexes[index].local else 0.0
    return Stored(count, base, indexes, local)


def declared_units(table: Table, place: Place) -> tuple[float, float] | None:
    """What the model provisions for a table or index: read and write units; None is on demand."""
    own = None if place.index is None else table.indexes[place.index].billing
    billing = own or table.billing
    if not isinstance(billing, Provisioned):
        return None
    return float(billing.read_units), float(billing.write_units)


def provisioned(flow: Flow, mode: Mode, settings: Settings) -> float:
    """Units that are provisioned, on average over the month."""
    wanted = flow.peak if mode == "provisioned" else flow.average
    return max(settings.least_units, ceil(round(wanted / settings.utilisation, 9)))
