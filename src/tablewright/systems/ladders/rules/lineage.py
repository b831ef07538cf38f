"""Whether levels of two versions of the ladder can be compared.

A number that is set when a version is uploaded tells little: a company may begin a new ladder under
the next number. What counts is what the versions say.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from tablewright.service.names import comparison_key
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.rules.scores import level_count

#: This part of the smaller ladder's competencies has to be in the other one, too.
_SHARED: Final = Fraction(1, 2)


def is_same_ladder(old: Ladder, new: Ladder) -> bool:
    """Tell whether two versions are of one ladder: as many levels, and at least half in common.

    Competencies are the same if their names are, in whichever category they stand.
    """
    if level_count(old) != level_count(new):
        return False
    before, after = _competencies(old), _competencies(new)
    smaller = min(len(before), len(after))
    return smaller > 0 and Fraction(len(before & after), smaller) >= _SHARED


def _competencies(ladder: Ladder) -> frozenset[str]:
    return frozenset(
        comparison_key(each.name)
        for category in ladder.categories
        for each in category.competencies
    )
