"""Partition heat: calls arrive at random, partitions fill up, and some have to be split.

Theory of operation. A place (a table or a global index) has partitions; each holds a range of the
hash of partition keys and serves 1,000 write and 3,000 read units a second, whatever happens.

* The hottest keys are looked at one by one, each at a random point of the hash; the tail of the
  others is a mass that is spread evenly over it.
* Arrivals are independent, so those of a partition in a second are Poisson, with the sum of the
  rates of the keys in it. Nothing is drawn per key or per call; that makes a million calls a second
  as quick as ten.
* What a partition cannot serve in a second is throttled. A provisioned table has a bucket of units
  besides, of which 300 seconds' worth are saved up; any partition may use it (adaptive capacity).
* A partition that is hot for some minutes is split where that balances best. A key that is alone
  in its partition can only be divided among its items, and not even that if it is one item, if the
  table has a local index, or if its sort key only grows: then it stays as hot as it is.

Retries are not simulated: what is throttled counts once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

from tablewright.plan.partitions import MINUTE, READ_LIMIT, WRITE_LIMIT, Simulation
from tablewright.plan.traffic import Stream
from tablewright.plan.units import Place

#: Shards hold the load but for one second in some ten thousand.
DEVIATIONS = 4.0


@dataclass(frozen=True)
class HotKey:
    """The hottest key of one template: what it gets, and whether it can."""

    template: str
    patterns: tuple[str, ...]
    #: Units a second.
    read: float
    write: float
    bound: str
    #: Keys that the template would have to be spread over.
    shards: int
    guessed: bool

    @property
    def load(self) -> float:
        """As a share of what one partition serves."""
        return max(self.read / READ_LIMIT, self.write / WRITE_LIMIT)


@dataclass(frozen=True)
class Heat:
    """What happened to one place."""

    place: Place
    seconds: int
    partitions: tuple[int, int]
    #: Share of the units that were refused: in all, and in the last sixth of the time.
    throttled: float
    settled: float
    #: The fullest partition's mean load of each minute, as a share of what it serves.
    hottest: tuple[float, ...]
    #: Mean load of each partition at the end, the fullest first.
    loads: tuple[float, ...]
    keys: tuple[HotKey, ...] = field(default=())


def shards_for(calls: float, units: float, limit: float) -> int:
    """The least number of keys among which so many calls a second hold, with room for chance."""
    count = max(1, ceil(calls * units / limit))
    while (
        calls / count * units + DEVIATIONS * units * sqrt(calls / count) > limit and calls > count
    ):
        count += max(1, count // 64)
    return count


def hot_keys(streams: Sequence[Stream]) -> list[HotKey]:
    """The hottest key of each template, the fullest first; needs no simulation."""
    by_template: dict[str, list[Stream]] = {}
    for each in streams:
        by_template.setdefault(each.template, []).append(each)
    found = [_hot_key(template, own) for template, own in by_template.items()]
    return sorted(found, key=lambda each: -each.load)


def _hot_key(template: str, own: Sequence[Stream]) -> HotKey:
    read = write = 0.0
    shards = 1
    for kind, limit in (("read", READ_LIMIT), ("write", WRITE_LIMIT)):
        calls = [each.rate * each.spread.first for each in own]
        used = [getattr(each, kind) for each in own]
        units = sum(a * b for a, b in zip(calls, used, strict=True))
        if units:
            # As many calls of the size that varies as much as this mixture does.
            size = sum(a * b * b for a, b in zip(calls, used, strict=True)) / units
            shards = max(shards, shards_for(units / size, size, limit))
        read, write = (units, write) if kind == "read" else (read, units)
    return HotKey(
        template=template,
        patterns=tuple(dict.fromkeys(each.pattern for each in own)),
        read=read,
        write=write,
        bound=next((each.bound for each in own if each.bound), ""),
        shards=shards,
        guessed=all(each.guessed for each in own),
    )


def simulate(
    place: Place,
    streams: Sequence[Stream],
    *,
    seconds: int = 3600,
    stored: float = 0.0,
    provisioned: tuple[float, float] | None = None,
    seed: int = 1,
) -> Heat:
    """One place under its streams. ``provisioned``: read and write units; None is on demand."""
    simulation = Simulation(streams, stored, provisioned, seed)
    first = simulation.count
    minutes = max(1, seconds // MINUTE)
    for _ in range(minutes):
        simulation.minute()
    return Heat(
        place=place,
        seconds=minutes * MINUTE,
        partitions=(first, simulation.count),
        throttled=_share(simulation.refused, simulation.asked),
        settled=_share(*(each[-max(1, minutes // 6) :] for each in simulation.history())),
        hottest=tuple(simulation.hottest),
        loads=tuple(sorted(simulation.loads(), reverse=True)),
        keys=tuple(hot_keys(streams)),
    )


def _share(refused: Sequence[float], asked: Sequence[float]) -> float:
    return sum(refused) / sum(asked) if sum(asked) else 0.0
