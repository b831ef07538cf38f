"""An assessment that somebody writes: levels, evidence, what comes next."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from tablewright.systems.ladders.bodies.assessments import ChangeIn, SaveIn
from tablewright.systems.ladders.fields import AssessmentType, Ladder
from tablewright.systems.ladders.live_demo.cast import AYUMI, LINA, Someone
from tablewright.systems.ladders.live_demo.evidence import OWN_WAY, SAID, WAY_FORWARD

#: How far below or above their usual level people are at something.
_SPREAD: Final = (0, 0, 0, 0, 1, 1, -1, -1)
#: By how much people see themselves otherwise than their manager does.
_DIFFERENCE: Final = (0, 0, 0, 0, 0, 1, 1, -1)
#: Where two see it quite otherwise: by so many levels.
_FLAGGED: Final[dict[Someone, dict[str, int]]] = {
    LINA: {"Operations": 2, "Mentoring": -2},
    AYUMI: {"Direction": 2, "Hiring": -2, "Prioritisation": 2},
}
#: What one side does not speak of.
_LEFT_OUT: Final[dict[tuple[Someone, AssessmentType], tuple[str, ...]]] = {
    (AYUMI, "self"): ("Partners",),
    (AYUMI, "manager"): ("Testing",),
    (LINA, "manager"): ("Hiring",),
}
_LAST_SEASON = -1


def written(
    someone: Someone,
    kind: AssessmentType,
    ladder: Ladder,
    season: int,
    *,
    share: float = 1.0,
) -> SaveIn:
    """What somebody saves about a person; of it, the first ``share``. Season 0 is the one now."""
    changes = list(_changes(someone, kind, ladder, season))
    kept = changes[: round(len(changes) * share)]
    if share < 1.0:
        # What one is at has a level, and no words yet.
        last = kept[-1]
        unsaid = ChangeIn(category=last.category, competency=last.competency, level=last.level)
        return SaveIn(changes=[*kept[:-1], unsaid])
    ways = OWN_WAY if kind == "self" else WAY_FORWARD
    # Nobody names a goal: it is the next level.
    return SaveIn(changes=kept, way_forward=_one(ways, someone, season))


def _changes(
    someone: Someone, kind: AssessmentType, ladder: Ladder, season: int
) -> Iterator[ChangeIn]:
    skipped = _LEFT_OUT.get((someone, kind), ()) if season == 0 else ()
    for category in ladder.categories:
        for competency in category.competencies:
            if competency.name in skipped:
                continue
            own, theirs = _levels(someone, competency.name, season, len(competency.levels))
            said = SAID[competency.name]
            turn = f"{competency.name}/{season}"
            yield ChangeIn(
                category=category.name,
                competency=competency.name,
                level=own if kind == "self" else theirs,
                evidence=_one(said.own if kind == "self" else said.manager, someone, turn),
                next_level_feedback=_one(said.next_step, someone, turn),
            )


def _levels(someone: Someone, competency: str, season: int, most: int) -> tuple[int, int]:
    """One's own, and the manager's: the same ones whenever they are asked for."""
    chance = random.Random(f"{someone.key}/{competency}")
    usual = someone.level + chance.choice(_SPREAD)
    # Half a year earlier people were not quite as far everywhere.
    theirs = usual - (1 if season == _LAST_SEASON and chance.random() < 0.5 else 0)
    apart = chance.choice(_DIFFERENCE)
    if season == 0:
        apart = _FLAGGED.get(someone, {}).get(competency, apart)
    return _within(theirs + apart, most), _within(theirs, most)


def _within(level: int, most: int) -> int:
    return max(1, min(level, most))


def _one(texts: Sequence[str], someone: Someone, turn: object) -> str:
    found = random.Random(f"{someone.key}/{turn}").choice(texts)
    text = found.format(work=someone.work)
    return text[0].upper() + text[1:]
