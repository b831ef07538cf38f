"""Partitions, and the minutes they live through: the simulation behind :mod:`heat`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from tablewright.plan.keys import SINGLE
from tablewright.plan.traffic import Stream

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]

READ_LIMIT = 3000.0
WRITE_LIMIT = 1000.0
BURST_SECONDS = 300
PARTITION_BYTES = 10 * 1024**3
#: A new table on demand can serve 4,000 write and 12,000 read units.
FIRST_PARTITIONS = 4
#: On demand there is room for twice the load so far.
HEADROOM = 2
#: The service splits what stays hot; it does not say for how long. So many minutes are assumed.
SPLIT_AFTER = 5
HOT = 0.9
MINUTE = 60


class NumpyMissing(Exception):
    """The simulation needs numpy, which is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "the heat of partitions is simulated with numpy, which is not installed: "
            "install tablewright with its extra 'tools'"
        )


@dataclass
class _Partition:
    """A range of the hash, with the hot keys that are in it."""

    low: float
    high: float
    #: Key number to the part of its load that is here.
    keys: dict[int, float]
    hot_minutes: int = 0
    stuck: bool = False

    @property
    def width(self) -> float:
        return self.high - self.low


class Simulation:
    """Partitions, and the minutes they live through."""

    def __init__(
        self,
        streams: Sequence[Stream],
        stored: float,
        provisioned: tuple[float, float] | None,
        seed: int,
    ) -> None:
        try:
            import numpy
        except ImportError:
            raise NumpyMissing from None
        self._np = numpy
        self._chance = numpy.random.default_rng(seed)
        self._streams = list(streams)
        self._provisioned = provisioned
        self._spread_keys()
        self._partitions = self._first_partitions(stored)
        self._saved = [BURST_SECONDS * each for each in provisioned or (0.0, 0.0)]
        self.asked: list[float] = []
        self.refused: list[float] = []
        self.hottest: list[float] = []
        self._rates: Array | None = None

    @property
    def count(self) -> int:
        return len(self._partitions)

    def history(self) -> tuple[list[float], list[float]]:
        return self.refused, self.asked

    # --- keys ------------------------------------------------------------------------------------

    def _spread_keys(self) -> None:
        """Each hot key's place on the hash, and its calls of each stream."""
        np = self._np
        templates = list(dict.fromkeys(each.template for each in self._streams))
        ranks = max(1, SINGLE // max(1, len(templates)))
        shares = [np.array(each.spread.shares(ranks)) for each in self._streams]
        start: dict[str, int] = {}
        bound: list[bool] = []
        for template in templates:
            own = [n for n, each in enumerate(self._streams) if each.template == template]
            start[template] = len(bound)
            fixed = any(self._streams[number].bound for number in own)
            bound += [fixed] * max(len(shares[number]) for number in own)
        self._bound = bound
        self._calls = np.zeros((len(self._streams), len(bound)))
        self._tail = np.zeros(len(self._streams))
        for number, (each, single) in enumerate(zip(self._streams, shares, strict=True)):
            # The first key of a template is the same one for every pattern.
            first = start[each.template]
            self._calls[number, first : first + len(single)] = each.rate * single
            self._tail[number] = each.rate * max(0.0, 1 - float(single.sum()))
        self._alike: dict[tuple[float, float], list[int]] = {}
        for number, each in enumerate(self._streams):
            self._alike.setdefault((each.read, each.write), []).append(number)
        self._read = np.array([each.read for each in self._streams])
        self._write = np.array([each.write for each in self._streams])
        self._hash = self._chance.random(len(bound))
        self._key_heat = self._heat(self._calls)
        self._tail_heat = float(self._heat(self._tail[:, None])[0])

    def _heat(self, calls: Array) -> Array:
        """The load of some columns of calls, as a share of what one partition serves."""
        heat: Array = self._np.maximum(
            self._read @ calls / READ_LIMIT, self._write @ calls / WRITE_LIMIT
        )
        return heat

    # --- partitions ------------------------------------------------------------------------------

    def _first_partitions(self, stored: float) -> list[_Partition]:
        calls = self._calls.sum(axis=1) + self._tail
        read, write = float(self._read @ calls), float(self._write @ calls)
        if self._provisioned is None:
            wanted = HEADROOM * (read / READ_LIMIT + write / WRITE_LIMIT)
            least = FIRST_PARTITIONS
        else:
            wanted = self._provisioned[0] / READ_LIMIT + self._provisioned[1] / WRITE_LIMIT
            least = 1
        count = max(least, ceil(wanted), ceil(stored / PARTITION_BYTES))
        found = [_Partition(n / count, (n + 1) / count, {}) for n in range(count)]
        for key, place in enumerate((self._hash * count).astype(int).tolist()):
            found[place].keys[key] = 1.0
        return found

    def _columns(self) -> Array:
        """Calls a second of each stream to each partition."""
        if self._rates is None:
            np = self._np
            rates = np.outer(self._tail, [each.width for each in self._partitions])
            for number, partition in enumerate(self._partitions):
                if partition.keys:
                    keys = list(partition.keys)
                    parts = np.fromiter(partition.keys.values(), float)
                    rates[:, number] += self._calls[:, keys] @ parts
            self._rates = rates
        return self._rates

    def loads(self) -> list[float]:
        found: list[float] = self._heat(self._columns()).tolist()
        return found

    # --- time ------------------------------------------------------------------------------------

    def minute(self) -> None:
        """Sixty seconds, then the splits that follow from them."""
        np = self._np
        rates = self._columns()
        shape = (MINUTE, self.count)
        read, write = np.zeros(shape), np.zeros(shape)
        for (read_units, write_units), own in self._alike.items():
            # Calls that take the same units arrive as those of one stream would.
            calls = self._chance.poisson(rates[own].sum(axis=0), shape)
            read += calls * read_units
            write += calls * write_units
        refused = self._refused(0, read, READ_LIMIT) + self._refused(1, write, WRITE_LIMIT)
        self.asked.append(float(read.sum() + write.sum()))
        self.refused.append(refused)
        loads = np.maximum(read.mean(axis=0) / READ_LIMIT, write.mean(axis=0) / WRITE_LIMIT)
        self.hottest.append(float(loads.max()))
        self._split_hot(loads.tolist())

    def _refused(self, kind: int, asked: Array, limit: float) -> float:
        """Units that the partitions, or the provisioned table, could not serve."""
        served = self._np.minimum(asked, limit)
        refused = float(asked.sum() - served.sum())
        if self._provisioned is not None:
            units = self._provisioned[kind]
            for wanted in served.sum(axis=1).tolist():
                self._saved[kind] = min(self._saved[kind] + units, (BURST_SECONDS + 1) * units)
                given = min(wanted, self._saved[kind])
                self._saved[kind] -= given
                refused += wanted - given
        return refused

    def _split_hot(self, loads: list[float]) -> None:
        born: list[_Partition] = []
        for partition, load in zip(self._partitions, loads, strict=True):
            partition.hot_minutes = partition.hot_minutes + 1 if load > HOT else 0
            if partition.hot_minutes >= SPLIT_AFTER and not partition.stuck:
                other = self._split(partition)
                partition.hot_minutes = 0
                partition.stuck = other is None
                if other is not None:
                    born.append(other)
        if born:
            self._partitions += born
            self._rates = None

    def _split(self, partition: _Partition) -> _Partition | None:
        """The other half of a partition; None if it cannot be split."""
        tail = self._tail_heat * partition.width
        keys = sorted(partition.keys, key=lambda key: float(self._hash[key]))
        hottest = max((self._heat_in(partition, key) for key in keys), default=0.0)
        if len(keys) == 1 and tail < 0.01 * hottest:
            return self._divide(partition, keys[0])
        cut = self._best_cut(partition, keys)
        other = _Partition(cut, partition.high, {})
        partition.high = cut
        for key in keys:
            if float(self._hash[key]) >= cut:
                other.keys[key] = partition.keys.pop(key)
        return other

    def _heat_in(self, partition: _Partition, key: int) -> float:
        return float(self._key_heat[key]) * partition.keys[key]

    def _divide(self, partition: _Partition, key: int) -> _Partition | None:
        """Half of one key's items, to a partition of their own."""
        if self._bound[key]:
            return None
        partition.keys[key] /= 2
        return _Partition(partition.high, partition.high, {key: partition.keys[key]})

    def _best_cut(self, partition: _Partition, keys: list[int]) -> float:
        """Where both sides are most alike: beside a key, or in the middle."""
        np = self._np
        places = self._hash[keys]
        heats = np.array([self._heat_in(partition, key) for key in keys])
        middle = (partition.low + partition.high) / 2
        cuts = np.concatenate([[middle], places, places + 1e-12])
        cuts = cuts[(cuts > partition.low) & (cuts < partition.high)]
        # The keys are in order: what lies left of a cut is a partial sum.
        sums = np.concatenate([[0.0], np.cumsum(heats)])
        left = sums[np.searchsorted(places, cuts)] + self._tail_heat * (cuts - partition.low)
        whole = sums[-1] + self._tail_heat * partition.width
        return float(cuts[np.argmin(np.maximum(left, whole - left))])
