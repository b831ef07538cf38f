"""Names of teams: how they are kept, and when two are the same."""

from __future__ import annotations

import re
import unicodedata

from tablewright.systems.kurukshetra.fields import folded

_NAME = re.compile(r"[A-Za-z0-9 _-]{2,50}\Z")


class BadTeamName(ValueError):
    """A name that no team can have, for a reason that may be shown."""


def parse(text: str) -> str:
    """The name as it is kept: with single spaces inside, and none around it."""
    name = " ".join(unicodedata.normalize("NFKC", text[:500]).split())
    if not _NAME.match(name):
        raise BadTeamName("a name has 2 to 50 letters, digits, spaces, - and _")
    if not any(each.isalnum() for each in name):
        raise BadTeamName("a name has a letter or a digit")
    return name


def lock_of(name: str) -> str:
    """What two names have in common if they are the same name."""
    return folded(parse(name))


def same(one: str, other: str) -> bool:
    """Whether a change of name leaves its lock as it is: only capitals or spaces differ."""
    return lock_of(one) == lock_of(other)
