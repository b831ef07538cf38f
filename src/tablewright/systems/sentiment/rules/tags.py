"""Tags: letters and digits of any script, hyphens and underscores; case is shown, and ignored."""

from __future__ import annotations

import re

from tablewright.service.names import clean_text
from tablewright.systems.sentiment.shapes import TAG_CHARACTERS

_FORM = re.compile(rf"[^\W_]{TAG_CHARACTERS}{{0,49}}\Z")
WRONG = (
    "Use letters, digits, hyphens and underscores, 50 at most, beginning with a letter or a digit."
)


def clean_tag(text: object) -> str:
    """Return a tag as somebody means it: spaces become hyphens.

    Raises:
        ValueError: Says what a tag may have.
    """
    if not isinstance(text, str):
        raise ValueError(WRONG)
    cleaned = clean_text(text).replace(" ", "-")
    if tag_of(cleaned) is None:
        raise ValueError(WRONG)
    return cleaned


def tag_of(text: str) -> str | None:
    """The tag as keys have it; None if it cannot be one."""
    folded = text.casefold()
    return folded if _FORM.match(text) and _FORM.match(folded) else None
