"""Some answers put into an assessment: what it has then, and what is to be written for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from tablewright.systems.ladders.fields import Competency, Feedback, FeedbackMap, Ladder, Selections

_NOTHING: Final = Feedback()


class Change(NamedTuple):
    """What is said about one competency; a text that is None stays as it is."""

    category: str
    competency: str
    #: Whether there is another level, which is None to take it back.
    chooses: bool = False
    level: int | None = None
    #: The level that the texts are about; None is the one that is chosen.
    about: int | None = None
    evidence: str | None = None
    next_level_feedback: str | None = None

    @property
    def tells(self) -> bool:
        return self.evidence is not None or self.next_level_feedback is not None


class Fault(NamedTuple):
    """What is wrong with a change, by its place among the others."""

    place: int
    field: str
    message: str


class Before(Protocol):
    """The part of an assessment that changes."""

    @property
    def selections(self) -> Selections: ...

    @property
    def feedback(self) -> FeedbackMap: ...


@dataclass(frozen=True)
class Applied:
    """The maps as they are then, and those parts of them that are written."""

    selections: Selections
    feedback: FeedbackMap
    levels: dict[tuple[str, str], int | None] = field(default_factory=dict)
    told: dict[tuple[str, str, int], Feedback] = field(default_factory=dict)


def faults(before: Before, ladder: Ladder, changes: Sequence[Change]) -> list[Fault]:
    """All that the ladder does not have; nothing if the changes can be applied."""
    chosen = {
        (category, name): level
        for category, inside in before.selections.items()
        for name, level in inside.items()
    }
    found: list[Fault] = []
    for place, change in enumerate(changes):
        asked = _asked(ladder, change)
        if isinstance(asked, str):
            found.append(Fault(place, asked, "is not in the ladder"))
            continue
        if change.chooses:
            chosen[change[:2]] = change.level or 0
        wrong = _wrong(change, len(asked.levels), chosen.get(change[:2], 0))
        found += [Fault(place, *each) for each in wrong]
    return found


def applied(before: Before, changes: Sequence[Change]) -> Applied:
    """The changes one after the other; they have no faults."""
    after = Applied(
        {category: dict(inside) for category, inside in before.selections.items()},
        {
            category: {name: dict(said) for name, said in inside.items()}
            for category, inside in before.feedback.items()
        },
    )
    for change in changes:
        _apply(after, change)
    return after


def _asked(ladder: Ladder, change: Change) -> Competency | str:
    """The competency, or which name is not known."""
    for category in ladder.categories:
        if category.name == change.category:
            known = (each for each in category.competencies if each.name == change.competency)
            return next(known, "competency")
    return "category"


def _wrong(change: Change, most: int, chosen: int) -> Iterator[tuple[str, str]]:
    if change.chooses and change.level is not None and not 1 <= change.level <= most:
        yield "level", f"must be from 1 to {most}"
    if change.about is not None and not 1 <= change.about <= most:
        yield "about", f"must be from 1 to {most}"
    elif change.tells and change.about is None and not chosen:
        yield "about", "must be said: no level is chosen"


def _apply(after: Applied, change: Change) -> None:
    category, name = change.category, change.competency
    levels = after.selections[category]
    if change.chooses:
        after.levels[category, name] = change.level
        if change.level is None:
            levels.pop(name, None)
        else:
            levels[name] = change.level
    if change.tells:
        about = levels[name] if change.about is None else change.about
        said = after.feedback[category][name]
        said[str(about)] = _merged(said.get(str(about), _NOTHING), change)
        after.told[category, name, about] = said[str(about)]


def _merged(before: Feedback, change: Change) -> Feedback:
    """Written whole, with what is not changed."""
    return Feedback(
        evidence=before.evidence if change.evidence is None else change.evidence,
        next_level_feedback=before.next_level_feedback
        if change.next_level_feedback is None
        else change.next_level_feedback,
    )
