"""How an article is named in an address: ``#`` would end it, so it is written ``:``."""

from __future__ import annotations

import re
from typing import get_args

from tablewright.systems.sentiment.shapes import SourceType

_FORM = re.compile(rf"({'|'.join(get_args(SourceType))}):([A-Za-z0-9_-]{{1,128}})\Z")


def shown_id(source_id: str) -> str:
    return source_id.replace("#", ":", 1)


def source_id_of(shown: str) -> str | None:
    """The article's id; None if it cannot be one."""
    found = _FORM.match(shown)
    return None if found is None else f"{found[1]}#{found[2]}"
