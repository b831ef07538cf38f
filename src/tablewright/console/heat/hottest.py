"""The hottest partition keys of one place, in little memory.

Theory of operation. Keys are counted one by one until there are twice as many as are kept; then
the cooler half is forgotten. A key that comes new may be one of those, so it is ranked as if it
had been as hot as the hottest that was forgotten. What is shown is only what was really counted:
a little too low for a key that was forgotten once, never too high.

Units fade with time, and so do the seconds they are divided by (:mod:`metering`): a rate is mostly
about the last ten seconds, and right from the first look on.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.console.heat.touches import PartitionKey
from tablewright.plan.partitions import READ_LIMIT, WRITE_LIMIT

#: Keys that stay when there are too many. Whichever has more than a hundredth of a place's load is
#: among them.
KEPT = 100
#: Less than this many units a second is nothing.
FAINT = 0.01


@dataclass(frozen=True)
class Rate:
    """Units a second."""

    read: float
    write: float

    @property
    def load(self) -> float:
        """As a share of what one partition serves."""
        return max(self.read / READ_LIMIT, self.write / WRITE_LIMIT)


class _Counted:
    """Units of one key, fading."""

    __slots__ = ("missed", "read", "write")

    def __init__(self, missed: float) -> None:
        self.read = 0.0
        self.write = 0.0
        #: The load that it may have had before it was counted.
        self.missed = missed

    @property
    def rank(self) -> float:
        return max(self.read / READ_LIMIT, self.write / WRITE_LIMIT) + self.missed

    def over(self, seconds: float) -> Rate:
        return Rate(self.read / seconds, self.write / seconds) if seconds else Rate(0.0, 0.0)

    def fade(self, factor: float) -> None:
        self.read *= factor
        self.write *= factor
        self.missed *= factor


class Hottest:
    """Counts units by key."""

    def __init__(self, kept: int = KEPT) -> None:
        self._most = kept
        self._keys: dict[PartitionKey, _Counted] = {}
        self._whole = _Counted(0.0)
        self._forgotten = 0.0

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: PartitionKey | None, read: float, write: float) -> None:
        """Units that were used; without a key they count for the place alone."""
        self._whole.read += read
        self._whole.write += write
        if key is None:
            return
        found = self._keys.get(key)
        if found is None:
            if len(self._keys) >= 2 * self._most:
                self._forget()
            found = self._keys[key] = _Counted(self._forgotten)
        found.read += read
        found.write += write

    def _forget(self) -> None:
        ranked = sorted(self._keys.items(), key=lambda pair: -pair[1].rank)
        self._keys = dict(ranked[: self._most])
        self._forgotten = max(self._forgotten, ranked[self._most][1].rank)

    def fade(self, factor: float) -> None:
        """What was counted so far counts less from now on."""
        self._forgotten *= factor
        self._whole.fade(factor)
        for counted in self._keys.values():
            counted.fade(factor)

    def whole(self, seconds: float) -> Rate:
        """All units of the place, that were used in so many seconds."""
        return self._whole.over(seconds)

    def top(self, most: int, seconds: float) -> list[tuple[PartitionKey, Rate]]:
        """The hottest keys, the hottest first; those that are all but cold are left out."""
        rates = [(key, counted.over(seconds)) for key, counted in self._keys.items()]
        warm = [pair for pair in rates if pair[1].read + pair[1].write >= FAINT]
        return sorted(warm, key=lambda pair: -pair[1].load)[:most]
