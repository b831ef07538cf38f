"""Moments as callers have them: a ``datetime``, or seconds since the epoch."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeAlias

Moment: TypeAlias = datetime | float


def moment(at: Moment) -> datetime:
    """``at`` as a time in UTC."""
    if not isinstance(at, datetime):
        return datetime.fromtimestamp(at, UTC)
    if at.tzinfo is None:
        raise ValueError("a time needs a zone: use datetime.now(UTC), or .replace(tzinfo=UTC)")
    return at.astimezone(UTC)


def text_of(at: datetime) -> str:
    """A time in UTC as keys have it: ``2026-11-20T09:30:00.000Z``."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
