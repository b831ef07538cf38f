"""Totals as this process knows them, for a second at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures, figures_of
from tablewright.systems.pricekeeper.shapes import TotalKey
from tablewright.systems.pricekeeper.spend import Total

#: Seconds after which a total that nobody asks for is forgotten.
KEPT_SECS = 600.0
#: A total that is so much newer counts even if it has fewer rows: the counters were repaired.
_REPAIRED_MS = 60_000
#: How far the clocks of other machines may be ahead of ours, in seconds.
SKEW_SECS = 60.0


@dataclass(slots=True)
class View:
    """One total, as it was last read or summed."""

    figures: Figures = NOTHING
    #: By writer: every flush up to this number is in it.
    seen: Mapping[str, int] = field(default_factory=dict)
    #: When the sum was begun; 0 if there never was one.
    as_of_ms: int = 0
    #: Micro-USD an hour.
    burn: float = 0.0
    fence: int = 0
    labels: frozenset[str] = frozenset()
    shard_count: int | None = None
    final: bool = False
    #: The limit that counted when the sum was made.
    quota_micros: int | None = None

    @classmethod
    def of(cls, total: Total) -> View:
        return cls(
            figures_of(total),
            total.seen,
            round(total.as_of_ms.timestamp() * 1000),
            float(total.burn_micros_per_hour),
            total.fence,
            frozenset(total.labels),
            total.shard_count,
            total.final,
            total.quota_usd_micros,
        )

    def age(self, now: float) -> float:
        """Seconds since it was made; for ever, if it never was or the clock was put back."""
        secs = now - self.as_of_ms / 1000
        return max(secs, 0.0) if self.as_of_ms and secs > -SKEW_SECS else inf

    def newer_than(self, known: View) -> bool:
        """Whether it has to replace what is known; a read may be of a moment ago."""
        if self.as_of_ms > known.as_of_ms + _REPAIRED_MS:
            return True
        if self.figures.rev != known.figures.rev:
            return self.figures.rev > known.figures.rev
        return self.as_of_ms >= known.as_of_ms


class Views:
    """The totals that were asked for lately."""

    def __init__(self) -> None:
        self._views: dict[TotalKey, View] = {}
        self._read_at: dict[TotalKey, float] = {}

    def get(self, key: TotalKey) -> View:
        """What is known; nothing was spent if nothing is."""
        return self._views.get(key) or View()

    def is_fresh(self, key: TotalKey, now: float, secs: float) -> bool:
        """Whether it was read within so many seconds."""
        read_at = self._read_at.get(key)
        return read_at is not None and 0 <= now - read_at < secs

    def put(self, key: TotalKey, view: View | None, now: float) -> bool:
        """What was read or summed; False if something newer is known."""
        self._read_at[key] = now
        known = self._views.get(key)
        if view is None or (known is not None and not view.newer_than(known)):
            if view is not None and known is not None:
                known.fence = max(known.fence, view.fence)
            return False
        self._views[key] = view
        return True

    def orgs(self) -> set[str]:
        """The organisations of which something is known."""
        return {key.scope[4:40] for key in self._read_at}

    def forget_old(self, now: float) -> None:
        """Let go of what nobody asks for any more."""
        old = [key for key, at in self._read_at.items() if not 0 <= now - at < KEPT_SECS]
        for key in old:
            del self._read_at[key]
            self._views.pop(key, None)
