"""The key that a publisher is counted by: its name in small letters."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

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
