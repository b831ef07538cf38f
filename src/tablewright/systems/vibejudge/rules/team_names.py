"""Names of teams: how they are stored, and when two are the same."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from tablewright.service.names import clean_text, comparison_key

LONGEST_NAME: Final = 50
#: Bytes that a name may take in a key: one sign may stand for a whole word.
_LONGEST_KEY: Final = 500
#: Letters and marks that leave nothing on the screen. Two names that differ in one look the same.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d]")


def clean_team_name(text: str) -> str:
    """Normalize a team name: no invisible characters, single spaces, one way to write a letter.

    Punctuation stays: ``O'Brien``, ``Team #1`` and ``C++ Team`` are names like any other.
    """
    return " ".join(_UNSEEN.sub("", clean_text(text)).split())


def is_team_name(name: str) -> bool:
    """Tell whether a cleaned name has at least one letter or digit."""
    return any(unicodedata.category(each)[0] in "LN" for each in name)


def has_short_key(name: str) -> bool:
    """Tell whether a name fits into a key, where each ligature counts as the letters it joins."""
    return len(team_key(name).encode()) <= _LONGEST_KEY


def team_key(name: str) -> str:
    """Return the same key for team names that look the same."""
    return comparison_key(_UNSEEN.sub("", name))
