"""Names of teams: how they are kept, and when two are the same."""

from __future__ import annotations

import unicodedata

from tablewright.service.names import clean_text
from tablewright.systems.kurukshetra.fields import folded

LEAST, MOST = 2, 50
#: Beside letters, marks and digits of every script.
_SIGNS = frozenset(" _-&'.,!+()\u2019\u200c\u200d")


class BadTeamName(ValueError):
    """A name that no team can have, for a reason that may be shown."""


def parse(text: str) -> str:
    """The name as it is kept: with single spaces inside, and none around it."""
    name = clean_text(text[:500])
    if not LEAST <= len(name) <= MOST:
        raise BadTeamName(f"a name has {LEAST} to {MOST} characters")
    if wrong := [each for each in name if not _is_allowed(each)]:
        allowed = "letters, digits, spaces and - _ & ' . , ! + ( )"
        raise BadTeamName(f"a name cannot have {wrong[0]!r} in it: use {allowed}")
    if not any(each.isalnum() for each in name):
        raise BadTeamName("a name has a letter or a digit")
    return name


def _is_allowed(character: str) -> bool:
    return character in _SIGNS or unicodedata.category(character)[0] in "LMN"


def lock_of(name: str) -> str:
    """What two names have in common if they are the same name."""
    return folded(parse(name))


def same(one: str, other: str) -> bool:
    """Whether a change of name leaves its lock as it is: only capitals or spaces differ."""
    return lock_of(one) == lock_of(other)
