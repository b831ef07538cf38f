"""The one form in which a moment is written: milliseconds, UTC; and those in which it is read."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# Python reads more than a time: any sign between day and hour, weeks, a zero byte at the end.
_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)?"
    r"(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)


def read_moment(text: str) -> datetime | None:
    """A time as ISO 8601 has it, with or without a zone; None if it is none."""
    if _FORM.fullmatch(text) is None:
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def moment_text(moment: datetime) -> str:
    """``2026-11-20T12:07:31.123Z``"""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
