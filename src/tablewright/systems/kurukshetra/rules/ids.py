"""Ids, as they come in addresses: what cannot be one is nobody's."""

from __future__ import annotations

import re
from typing import Final

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ULID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def is_uuid(text: str) -> bool:
    """Whether a text can be the id of a team, a participant or a payment."""
    return _UUID.fullmatch(text) is not None


def is_ulid(text: str) -> bool:
    """Whether a text can be the id of a job."""
    return _ULID.fullmatch(text) is not None
