"""Tags: letters and digits of any script, hyphens and underscores; case is shown, and ignored.

Tags stand in keys. :func:`clean_tag` therefore leaves nothing in a tag that cannot be seen, and
writes compatibility forms (ligatures, full-width letters) as usual letters: tags that look the same
have the same key, which is the case-folded tag.
"""

from __future__ import annotations

import re
import unicodedata

from tablewright.service.names import clean_text, comparison_key, is_blank
from tablewright.systems.sentiment.shapes import TAG_CHARACTERS

_FORM = re.compile(rf"[^\W_]{TAG_CHARACTERS}{{0,49}}\Z")
#: Keeps marks apart; nobody sees it.
_JOINER_OF_MARKS = "\u034f"
WRONG = (
    "Use letters, digits, hyphens and underscores, 50 at most, beginning with a letter or a digit."
)


def clean_tag(text: object) -> str:
    """Return a tag as somebody means it: spaces become hyphens, invisible characters go.

    Raises:
        ValueError: Says what a tag may have.
    """
    if not isinstance(text, str):
        raise ValueError(WRONG)
    label = _remove_invisible(_normalize(clean_text(text))).strip().replace(" ", "-")
    if _FORM.match(label) is None or _FORM.match(comparison_key(label)) is None:
        raise ValueError(WRONG)
    # A few letters have capitals that fold otherwise than they do.
    return label if label.casefold() == comparison_key(label) else comparison_key(label)


def tag_of(text: str) -> str | None:
    """Return the key of a tag that an address names; None if it cannot be one.

    Nothing is cleaned: a name with a space or an invisible character is no tag.
    """
    label = _normalize(text)
    if " " in label or _remove_invisible(label) != label:
        return None
    try:
        return clean_tag(label).casefold()
    except ValueError:
        return None


def _normalize(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _remove_invisible(text: str) -> str:
    return "".join(
        character
        for character in text
        if character == " " or not (is_blank(character) or character == _JOINER_OF_MARKS)
    )
