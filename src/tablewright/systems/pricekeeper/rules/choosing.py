"""Which label a caller may use now, and for how long it may go on without asking again.

Pure: everything that was looked up comes in, and nothing is decided anywhere else. A label is open
if it was not closed for the day and none of its limits is used up; the first open one of the
caller's ordering is recommended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from math import ceil, inf
from typing import Literal, NamedTuple, TypeAlias

from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.burn import secs_left
from tablewright.systems.pricekeeper.rules.cost import PICOS

Mode: TypeAlias = Literal["NORMAL", "TIGHT"]
#: Nobody has to ask more often, in seconds.
LEAST_CACHE_SECS = 2


class Standing(NamedTuple):
    """A limit, and what has been spent of it."""

    limit: Limit
    spend_picos: int
    #: Micro-USD an hour.
    burn: float
    #: When its window ends, and all of it is there again.
    ends: int
    #: What was surely spent when the counters were summed a moment ago; None if they were not.
    checked_picos: int | None = None

    @property
    def over(self) -> bool:
        """Whether nothing of it is left."""
        quota = self.limit.quota_micros
        return quota is not None and self.spend_picos >= quota * PICOS

    @property
    def surely_over(self) -> bool:
        """The same, by a look at the counters: reason enough to close a label for the day.

        A limit of 0 is closed by the settings, and needs no remembering.
        """
        quota, checked = self.limit.quota_micros, self.checked_picos
        return bool(quota) and checked is not None and checked >= (quota or 0) * PICOS

    @property
    def pct(self) -> float:
        """The share that is spent. Of nothing, all is spent; of the unlimited, nothing."""
        quota = self.limit.quota_micros
        if not quota:
            return 100.0 if quota == 0 else 0.0
        return self.spend_picos / (quota * PICOS) * 100

    def reaches(self, pct: int) -> bool:
        """Whether that share is spent: exactly, which ``pct`` is not."""
        quota = self.limit.quota_micros
        return quota is not None and self.spend_picos * 100 >= pct * quota * PICOS

    @property
    def secs_left(self) -> float | None:
        """How long the rest lasts as spend goes now; None for ever."""
        quota = self.limit.quota_micros
        return None if quota is None else secs_left(quota * PICOS - self.spend_picos, self.burn)

    @property
    def reopens(self) -> float:
        """When a limit that is used up is open again by itself."""
        return inf if self.limit.quota_micros == 0 else self.ends


class LabelStanding(NamedTuple):
    """One label of an ordering."""

    label: str
    open: bool
    #: Closed for the day, whatever the spend is now.
    exhausted: bool
    #: Of the limit nearest its end.
    pct: float
    standings: tuple[Standing, ...]
    #: When it is open again by itself; only of a label that is not.
    reopens: float = 0.0
    #: Its model has no price: what it spends is not known, and its limits have no effect.
    unpriced: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What to use, and how things stand."""

    recommended: str | None
    labels: tuple[LabelStanding, ...]
    mode: Mode
    #: The limit nearest its end: of the recommended label, else of the one that opens first.
    nearest: Standing
    pct: float
    #: Seconds until a limit of the recommended label is reached; None for ever.
    time_left: float | None
    cache_secs: int
    #: By scope: labels that were passed over, as their spend has surely reached a limit of it.
    to_exhaust: Mapping[str, frozenset[str]]
    #: When the first label can be open again; None if one is open.
    reopens: int | None


def choose(
    account: Account,
    standings: Mapping[Limit, Standing],
    exhausted: Mapping[str, Collection[str]],
    *,
    now: float,
    day_ends: int,
    unpriced: Collection[str] = (),
) -> Choice:
    """The first open label of the account's ordering.

    ``standings`` has every limit of the account, ``exhausted`` the labels that are closed for the
    day by scope, ``unpriced`` those whose model has no price.
    """
    labels = [
        _label(label, [standings[limit] for limit in account.limits(label)], exhausted, day_ends)
        for label in account.ordering
    ]
    if unpriced:
        is_blocked = account.org.unpriced == "block"
        labels = [
            _mark_unpriced(each, is_blocked) if each.label in unpriced else each for each in labels
        ]
    place = next((place for place, each in enumerate(labels) if each.open), None)
    to_exhaust = _to_exhaust(labels[:place], exhausted)
    if place is None:
        return _closed(account, labels, to_exhaust, now, day_ends)
    chosen = labels[place]
    nearest = max(chosen.standings, key=_nearness)
    left = _least(standing.secs_left for standing in chosen.standings)
    near = any(standing.reaches(account.threshold) for standing in chosen.standings)
    tight = near or (left is not None and left < 2 * account.intervals.tight)
    interval = account.intervals.tight if tight else account.intervals.normal
    better = min((each.reopens for each in labels[:place]), default=inf)
    return Choice(
        chosen.label,
        tuple(labels),
        "TIGHT" if tight else "NORMAL",
        nearest,
        chosen.pct,
        left,
        _cache_secs(interval, left, better - now),
        to_exhaust,
        None,
    )


def _label(
    label: str,
    standings: list[Standing],
    exhausted: Mapping[str, Collection[str]],
    day_ends: int,
) -> LabelStanding:
    closed = any(label in labels for labels in exhausted.values())
    over = [standing for standing in standings if standing.over]
    pct = max(standing.pct for standing in standings)
    if not closed and not over:
        return LabelStanding(label, True, False, pct, tuple(standings))
    # All that closes it has to end first.
    ends = [standing.reopens for standing in over]
    if closed:
        ends.append(day_ends)
    return LabelStanding(label, False, closed, pct, tuple(standings), max(ends))


def _mark_unpriced(standing: LabelStanding, is_blocked: bool) -> LabelStanding:
    """Note that a label has no price; close it until it has one, if the organisation wants that."""
    if not is_blocked:
        return standing._replace(unpriced=True)
    return standing._replace(unpriced=True, open=False, reopens=inf)


def _nearness(standing: Standing) -> tuple[float, bool, int]:
    """Orders limits: the one nearest its end is the highest; a real one before an unlimited."""
    return standing.pct, standing.limit.quota_micros is not None, standing.spend_picos


def _to_exhaust(
    passed: list[LabelStanding], exhausted: Mapping[str, Collection[str]]
) -> Mapping[str, frozenset[str]]:
    """What is not closed for the day yet and should be."""
    found: dict[str, set[str]] = {}
    for each in passed:
        for standing in each.standings:
            scope = standing.limit.scope
            if standing.surely_over and each.label not in exhausted.get(scope, ()):
                found.setdefault(scope, set()).add(each.label)
    return {scope: frozenset(labels) for scope, labels in found.items()}


def _closed(
    account: Account,
    labels: list[LabelStanding],
    to_exhaust: Mapping[str, frozenset[str]],
    now: float,
    day_ends: int,
) -> Choice:
    """Nothing is open: all there is to know is when something will be."""
    first = min(labels, key=_reopening)
    # Some never open by themselves; a day is soon enough to see that somebody has changed that.
    reopens = day_ends if first.reopens == inf else int(first.reopens)
    return Choice(
        None,
        tuple(labels),
        "TIGHT",
        max(first.standings, key=_nearness),
        first.pct,
        0.0,
        _cache_secs(account.intervals.tight, None, reopens - now),
        to_exhaust,
        reopens,
    )


def _reopening(label: LabelStanding) -> float:
    return label.reopens


def _cache_secs(interval: int, time_left: float | None, better_in: float) -> int:
    """A quarter of what is left, and not beyond the moment at which something better opens."""
    secs: float = interval
    if time_left is not None:
        secs = min(secs, max(time_left / 4, LEAST_CACHE_SECS))
    return int(secs) if secs <= better_in else max(ceil(better_in), 1)


def _least(secs: Iterable[float | None]) -> float | None:
    return min((each for each in secs if each is not None), default=None)
