"""Ids as callers write them."""

from __future__ import annotations

import re

_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")


def is_id(text: str) -> bool:
    """Whether it can be the id of something; what cannot is not there."""
    return _ID.match(text) is not None
