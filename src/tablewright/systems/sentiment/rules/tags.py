"""Tags: case is shown, and does not count."""

from __future__ import annotations

import re

_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,49}\Z")


def tag_of(text: str) -> str | None:
    """The tag as keys have it; None if it cannot be one."""
    return text.casefold() if _FORM.match(text) else None
