"""What is typed: times, tags, ids."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.service.problems import FieldError, invalid

if TYPE_CHECKING:
    from tablewright.systems.sentiment.rules.spans import Span

_AGO = re.compile(r"(\d{1,6})([mhd])\Z")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/(s|m|h))?\Z")
_PER = {"s": 1, "m": 60, "h": 3600}
_FASTEST = 100_000.0


def moment(option: str, text: str | None, now: datetime) -> datetime | None:
    """``2026-11-15``, ``2026-11-15T12:00:00Z``, or ``7d``: so long ago. No zone means UTC."""
    if text is None:
        return None
    ago = _AGO.match(text)
    try:
        found = now - int(ago[1]) * _UNITS[ago[2]] if ago else datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        shown = "a time such as 2026-11-15, 2026-11-15T12:00:00Z or 7d, which is seven days ago"
        raise invalid(FieldError(option, f"{text!r} is not {shown}")) from None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def span(since: str | None, until: str | None, now: datetime) -> Span:
    """What both options mean; the last 24 hours if nothing is said."""
    from tablewright.systems.sentiment.rules.spans import span_of

    return span_of(moment("--from", since, now), moment("--to", until, now), now)


def ends(
    since: str | None, until: str | None, now: datetime, length: timedelta
) -> tuple[datetime, datetime]:
    """Both ends of a time; so long ago, and now, if nothing is said."""
    begin = moment("--from", since, now) or now - length
    end = moment("--to", until, now) or now
    if begin >= end:
        raise invalid(FieldError("--from", "has to lie before --to, and before now"))
    return begin, end


def rate(text: str | None) -> float | None:
    """``50/s``, ``50`` or ``120/m``, as so many a second."""
    if text is None:
        return None
    found = _RATE.match(text.replace(" ", ""))
    each_second = float(found[1]) / _PER[found[2] or "s"] if found else 0.0
    if not 0 < each_second <= _FASTEST:
        raise invalid(FieldError("--rate", f"{text!r} is not a rate such as 50/s, or 30/m"))
    return each_second


def tag(option: str, text: str | None) -> str | None:
    """A topic's tag in the form that keys have."""
    from tablewright.systems.sentiment.rules.tags import clean_tag

    if text is None:
        return None
    try:
        return clean_tag(text).casefold()
    except ValueError as error:
        raise invalid(FieldError(option, f"{text!r} cannot be a topic's tag: {error}")) from error


def article_ids(texts: Sequence[str]) -> list[str]:
    """Ids as lists show them, in the form that keys have."""
    from tablewright.systems.sentiment.rules.ids import source_id_of

    found = {text: source_id_of(text.replace("#", ":", 1)) for text in texts}
    wrong = [
        FieldError("ids", f"{text!r} is no article's id, such as newsapi:0f3a5c7e9b1d2f48")
        for text, each in found.items()
        if each is None
    ]
    if wrong:
        raise invalid(*wrong)
    return [each for each in found.values() if each is not None]
