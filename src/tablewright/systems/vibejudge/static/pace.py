"""How fast a team wrote, by when its commits were made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from tablewright.systems.vibejudge.repos.snapshot import Commit

#: Commits of one person that are closer than this belong to one sitting.
SITTING = timedelta(hours=2)
#: What went before the first commit of a sitting.
BEFORE_FIRST = timedelta(hours=2)
#: Lines an hour, and the score for them; between them, in proportion.
_PACES: tuple[tuple[int, int], ...] = ((150, 10), (300, 4), (600, 0))
_CROWD = 3


def worked_hours(commits: Sequence[Commit]) -> Fraction:
    """Of all people together: their sittings, as their commits show them."""
    moments: dict[str, list[datetime]] = defaultdict(list)
    for each in commits:
        moments[each.author].append(each.at)
    worked = sum((_worked(sorted(own)) for own in moments.values()), timedelta())
    return Fraction(int(worked.total_seconds()), 3600)


def _worked(moments: list[datetime]) -> timedelta:
    total = BEFORE_FIRST if moments else timedelta()
    for before, after in pairwise(moments):
        gap = after - before
        total += gap if gap <= SITTING else BEFORE_FIRST
    return total


def lines_an_hour(commits: Sequence[Commit], counts: Callable[[str], bool]) -> Fraction | None:
    """Lines added to files that count, by hour; None without any."""
    added = sum(
        change.added for each in commits for change in each.files_changed if counts(change.path)
    )
    hours = worked_hours(commits)
    return Fraction(added) / hours if added and hours else None


def pace_score(pace: Fraction) -> Fraction:
    slowest, best = _PACES[0]
    if pace <= slowest:
        return Fraction(best)
    for (low, better), (high, worse) in pairwise(_PACES):
        if pace <= high:
            return better - (better - worse) * (pace - low) / (high - low)
    return Fraction(0)


def crowded(commits: Sequence[Commit]) -> set[str]:
    """Commits that share their second with two others: nobody types that fast."""
    seconds = Counter(each.at for each in commits)
    return {each.sha for each in commits if seconds[each.at] >= _CROWD}


def development_hours(commits: Sequence[Commit]) -> Decimal:
    """From the first to the last."""
    if not commits:
        return Decimal(0)
    first, last = min(each.at for each in commits), max(each.at for each in commits)
    return (Decimal(int((last - first).total_seconds())) / 3600).quantize(Decimal("0.01"))
