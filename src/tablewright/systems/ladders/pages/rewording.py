"""What was said before and what is said now, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, TypeAlias

from tablewright.systems.ladders.rules.ladder_diff import LadderDiff, Place, Rewording

Kind: TypeAlias = Literal["same", "gone", "new"]
#: Words and the room between them.
_PIECE: Final = re.compile(r"\s+|[^\s]+")
#: Longer texts stand one after the other: comparing them takes too long.
_MOST: Final = 600
#: Where less of the shorter text stays, both are shown whole.
_STAYS: Final = 0.4


@dataclass(frozen=True)
class Piece:
    """Some words, and whether they stay."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Change:
    """A level in other words."""

    place: str
    pieces: list[Piece]


@dataclass(frozen=True)
class Changes:
    """What a version changes, as people read it."""

    added: list[str]
    removed: list[str]
    reworded: list[Change]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.reworded)


def changes_of(diff: LadderDiff) -> Changes:
    return Changes(
        [place_name(each) for each in diff.added],
        [place_name(each) for each in diff.removed],
        [_change(each) for each in diff.reworded],
    )


def place_name(place: Place) -> str:
    """``Craft / Code / level 3``."""
    level = "" if place.level is None else f"level {place.level}"
    if place.category is None:
        return f"Name of {level}"
    return " / ".join(filter(None, (place.category, place.competency, level)))


def _change(each: Rewording) -> Change:
    return Change(place_name(each.place), pieces_of(each.before, each.after))


def pieces_of(before: str, after: str) -> list[Piece]:
    """The words of both, in their order; one after the other if hardly any stay."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if len(old) + len(new) > _MOST:
        return [Piece("gone", before), Piece("new", after)]
    found: list[Piece] = []
    gone, come = "", ""
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        # A blank between two changes belongs to them: nobody reads word by word.
        if tag != "equal" or ((gone or come) and not "".join(old[a:b]).strip()):
            gone, come = gone + "".join(old[a:b]), come + "".join(new[c:d])
            continue
        found += [*_changed(gone, come), Piece("same", "".join(old[a:b]))]
        gone, come = "", ""
    found += _changed(gone, come)
    stays = sum(len(each.text) for each in found if each.kind == "same")
    if stays < _STAYS * min(len(before), len(after)):
        return _changed(before, after)
    return found


def _changed(gone: str, come: str) -> list[Piece]:
    both = (Piece("gone", gone), Piece("new", come))
    return [each for each in both if each.text]
