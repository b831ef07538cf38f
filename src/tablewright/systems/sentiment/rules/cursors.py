"""How far a source has been read: a moment, or one for each topic that it is asked for.

``2026-11-20T11:59:00.000Z``, or ``ai=2026-11-20T11:59:00.000Z climate=2026-11-20T10:00:00.000Z``.
Reading begins an hour before, for what was published then may be listed late.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from tablewright.systems.sentiment.rules.moments import moment_text

OVERLAP = timedelta(hours=1)
#: What is read of a source that has not been read before.
FIRST = timedelta(days=2)
#: Nothing older is of use: an article is kept for 30 days, and its hash for 37.
OLDEST = timedelta(days=29)


def since(cursor: str | None, tag: str, now: datetime) -> datetime:
    """Where reading begins."""
    known = _read(cursor).get(tag)
    if known is None:
        return now - FIRST
    return max(min(known, now) - OVERLAP, now - OLDEST)


def moved(cursor: str | None, tag: str, newest: datetime | None, now: datetime) -> str:
    """The cursor once everything up to ``newest`` is stored; it never goes back.

    Nor does it go beyond now: a wrong date would hide all that is published until then.
    """
    known = _read(cursor)
    reached = since(cursor, tag, now) + OVERLAP if newest is None else min(newest, now)
    known[tag] = max(reached, min(known.get(tag, reached), now))
    return _write(known)


def kept(cursor: str | None, tags: set[str]) -> str | None:
    """The cursor without topics that nobody follows any more."""
    known = {tag: moment for tag, moment in _read(cursor).items() if tag in tags}
    return _write(known) if known else None


def _read(cursor: str | None) -> dict[str, datetime]:
    found: dict[str, datetime] = {}
    for part in (cursor or "").split():
        tag, mark, moment = part.rpartition("=")
        try:
            read = datetime.fromisoformat(moment)
        except ValueError:
            continue  # one of another kind of source: begin again
        if read.tzinfo is not None:
            found[tag if mark else ""] = read
    return found


def _write(known: dict[str, datetime]) -> str:
    texts = {tag: moment_text(moment) for tag, moment in sorted(known.items())}
    return " ".join(f"{tag}={text}" if tag else text for tag, text in texts.items())
