"""Names of teams: how they are kept, what can be in one, and when two are the same."""

from __future__ import annotations

import re
import unicodedata

#: Letters and marks that nobody sees. Unicode has them so that programs skip them.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def tidied(name: str) -> str:
    """Without spaces around it, and none twice; each letter in one of the ways to write it."""
    return " ".join(unicodedata.normalize("NFKC", name).split())


def is_readable(name: str) -> bool:
    """Whether it has letters, digits, spaces, _ and - alone, and of the first two at least one.

    Marks are part of the letters of many scripts.
    """
    kinds = [unicodedata.category(each)[0] for each in name]
    if _UNSEEN.search(name) or not {"L", "N"} & set(kinds):
        return False
    return all(kind in "LMN" or each in " _-" for each, kind in zip(name, kinds, strict=True))


def team_key(name: str) -> str:
    """A team's name without what the eye skips: case, spaces more than one, ways to write it."""
    return tidied(tidied(name).casefold())
