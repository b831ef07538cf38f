"""The key that a publisher is counted by: its name in small letters, or ``other``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from hashlib import sha256

from tablewright.systems.sentiment.config import MAX_SOURCE_KEYS

OTHER = "other"
_MOST = 40
_GAPS = re.compile(r"[^a-z0-9]+")


def slug(name: str) -> str:
    """``Le Monde.fr`` is ``le-monde-fr``. A name without Latin letters gets one from its hash."""
    folded = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    made = _GAPS.sub("-", folded).strip("-")[:_MOST].rstrip("-")
    if made:
        return made
    normal = unicodedata.normalize("NFKC", name).casefold().strip()
    return f"name-{sha256(normal.encode()).hexdigest()[:12]}" if normal else OTHER


def is_settled(key: str, known: Collection[str]) -> bool:
    """Whether nobody has to be asked how this publisher is counted."""
    return key == OTHER or key in known or len(known) >= MAX_SOURCE_KEYS


def counted_as(key: str, known: Collection[str]) -> str:
    """The first fifty are counted by name."""
    return key if key in known else OTHER
