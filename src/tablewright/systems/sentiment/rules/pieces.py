"""Which counts make up a span: whole hours as hours, and what is left of others by minutes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tablewright.systems.sentiment.rules.figures import NOTHING, Figures
from tablewright.systems.sentiment.rules.spans import HOUR, MINUTE, Span, ceiling, floor
from tablewright.systems.sentiment.shapes import hour_of, minute_of

#: Rows that are cheaper to read along than another request.
_GAP = {HOUR: 6, MINUTE: 60}


@dataclass(frozen=True, slots=True)
class Piece:
    """Counts in a row, of minutes or of hours."""

    unit: timedelta
    since: datetime
    until: datetime

    @property
    def first(self) -> str:
        return bucket_of(self.unit, self.since)

    @property
    def last(self) -> str:
        return bucket_of(self.unit, self.until - self.unit)

    def buckets(self) -> Iterator[str]:
        at = self.since
        while at < self.until:
            yield bucket_of(self.unit, at)
            at += self.unit


def bucket_of(unit: timedelta, start: datetime) -> str:
    return hour_of(start) if unit == HOUR else minute_of(start)


def pieces_of(span: Span, *, fine: bool = False) -> list[Piece]:
    """The counts of a span that is whole minutes; ``fine``, all of it by minutes."""
    first, last = ceiling(span.since, HOUR), floor(span.until, HOUR)
    if fine or first > last:
        return [Piece(MINUTE, span.since, span.until)]
    parts = [
        Piece(MINUTE, span.since, first),
        Piece(HOUR, first, last),
        Piece(MINUTE, last, span.until),
    ]
    return [part for part in parts if part.since < part.until]


def merged(pieces: Iterable[Piece]) -> list[Piece]:
    """As few reads as will do."""
    found: list[Piece] = []
    for piece in sorted(pieces, key=lambda each: (each.unit, each.since)):
        last = found[-1] if found else None
        if (
            last is not None
            and last.unit == piece.unit
            and piece.since <= last.until + _GAP[piece.unit] * piece.unit
        ):
            found[-1] = Piece(last.unit, last.since, max(last.until, piece.until))
        else:
            found.append(piece)
    return found


def summed(counts: Mapping[str, Figures], pieces: Iterable[Piece]) -> Figures:
    """What the counts say of these pieces."""
    found = NOTHING
    for piece in pieces:
        for bucket in piece.buckets():
            if bucket in counts:
                found += counts[bucket]
    return found
