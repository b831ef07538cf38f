"""The one form in which a moment is written: milliseconds, UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def moment_text(moment: datetime) -> str:
    """``2026-11-20T12:07:31.123Z``"""
    utc = moment.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
