"""What comparisons of two come to, and which two are compared next.

A submission has a strength t and wins against another one with the probability t / (t + u); the
strengths are those under which what judges said is likeliest (Bradley and Terry). Each submission
also has a win and a loss against one of strength 1 that is not there: so nobody's strength is
boundless, and all of them are known relative to each other even if judges form groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import fsum, sqrt
from typing import TypeAlias

#: The winner first.
Win: TypeAlias = tuple[str, str]
Pair: TypeAlias = tuple[str, str]
_Strengths: TypeAlias = Mapping[str, float]

#: So often a judge is shown each submission; then there is enough to go by.
SHOWN = 4
#: Of a judge's own submissions, when the next pair is chosen.
_CONSIDERED = 300
_CLOSE = 1e-12
#: To choose a pair by, it need not be so exact.
_ROUGHLY = 1e-5
_MOST_STEPS = 2_000
#: Of a result: what the steps before do not settle is no difference.
_DIGITS = 10**9


def chances(entered: Iterable[str], wins: Iterable[Win], close: float = _CLOSE) -> dict[str, float]:
    """t / (1 + t) for each that is in the round: the chance against one of strength 1.

    Sums are rounded correctly, so neither the order of comparisons nor the ids make a difference.
    """
    record = _Record.of(entered, wins)
    strengths: _Strengths = dict.fromkeys(record.games, 1.0)
    for _ in range(_MOST_STEPS):
        once = record.step(strengths)
        if _gap(once, strengths) < close:
            break
        strengths = record.step(_leap(strengths, once, record.step(once)))
    return {each: _chance(strength) for each, strength in strengths.items()}


def _leap(start: _Strengths, once: _Strengths, twice: _Strengths) -> _Strengths:
    """Where steps in this direction lead in the end, as far as two of them tell.

    Single steps creep where many comparisons tie submissions together; this makes thousands of
    them some dozens (Varadhan and Roland's squared extrapolation).
    """
    first = {each: once[each] - start[each] for each in start}
    bend = {each: twice[each] - once[each] - first[each] for each in start}
    below = fsum(each**2 for each in bend.values())
    if not below:
        return twice
    far = max(1.0, sqrt(fsum(each**2 for each in first.values()) / below))
    leapt = {each: start[each] + 2 * far * first[each] + far**2 * bend[each] for each in start}
    # No strength is negative; where a leap goes too far, the two steps will do.
    return leapt if min(leapt.values()) > 0 else twice


def _gap(one: _Strengths, other: _Strengths) -> float:
    return max((abs(_chance(one[each]) - _chance(other[each])) for each in one), default=0.0)


def pairwise_points(entered: Iterable[str], wins: Iterable[Win]) -> dict[str, Fraction]:
    """100 x t / (1 + t) for each."""
    found = chances(entered, wins)
    return {
        each: Fraction(round(chance * _DIGITS) * 100, _DIGITS) for each, chance in found.items()
    }


def _chance(strength: float) -> float:
    return strength / (1.0 + strength)


@dataclass(frozen=True, slots=True)
class _Record:
    """How often each has won, and how often it met whom."""

    wins: Counter[str] = field(default_factory=Counter)
    games: dict[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, entered: Iterable[str], wins: Iterable[Win]) -> _Record:
        record = cls(games={each: Counter() for each in sorted(entered)})
        for winner, loser in wins:
            record.wins[winner] += 1
            record.games.setdefault(winner, Counter())[loser] += 1
            record.games.setdefault(loser, Counter())[winner] += 1
        return record

    def step(self, strengths: _Strengths) -> _Strengths:
        """One step of minorisation and maximisation; it never makes the whole less likely."""
        return {each: self._stronger(each, strengths) for each in strengths}

    def _stronger(self, each: str, strengths: _Strengths) -> float:
        own = strengths[each]
        met = [count / (own + strengths[other]) for other, count in self.games[each].items()]
        return (self.wins[each] + 1) / fsum([*met, 2.0 / (own + 1.0)])


# --- the next two --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Board:
    """How a pairwise round stands, for everybody: how often each was seen, and its chance."""

    views: Mapping[str, int]
    chances: Mapping[str, float]

    @classmethod
    def of(cls, wins: Collection[Win]) -> Board:
        views = Counter(each for pair in wins for each in pair)
        return cls(views, chances((), wins, _ROUGHLY))

    def chance(self, each: str) -> float:
        return self.chances.get(each, 0.5)


def next_pair(board: Board, own: Collection[str], compared: Collection[Pair]) -> Pair | None:
    """The two of a judge's own that were seen least so far; among those, the two that are closest,
    which tell most. None once the judge has seen each often enough, or in all pairs.

    ``compared`` are the judge's own pairs, each in the order of its ids.
    """
    seen = Counter(each for pair in compared for each in pair)
    done = set(compared)
    # Those that matter: of very many, all pairs would be too many to look at.
    least = sorted(own, key=lambda each: (seen[each] >= SHOWN, board.views.get(each, 0), each))
    open_pairs = [
        pair
        for pair in combinations(sorted(least[:_CONSIDERED]), 2)
        if pair not in done and min(seen[pair[0]], seen[pair[1]]) < SHOWN
    ]

    def urgency(pair: Pair) -> tuple[int, float, Pair]:
        one, other = pair
        views = board.views.get(one, 0) + board.views.get(other, 0)
        return views, abs(board.chance(one) - board.chance(other)), pair

    return min(open_pairs, key=urgency, default=None)
