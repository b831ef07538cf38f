"""Which counts make up a span: whole hours as hours, and what is left of others by minutes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tablewright.systems.sentiment.rules.figures import NOTHING, Counted, Figures
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


def covers(some: Iterable[Piece], others: Iterable[Piece]) -> bool:
    """Whether all counts of the others are among those of ``some``."""
    return all(
        any(
            each.unit == other.unit and each.since <= other.since and other.until <= each.until
            for each in some
        )
        for other in others
    )


class Sums:
    """Counts by bucket, to be added up over any pieces: two looks for each, long or short."""

    def __init__(self, counts: Mapping[str, Counted]) -> None:
        self._buckets = sorted(counts)
        #: What all buckets before each of these places count.
        self._before = [NOTHING]
        sums = NOTHING
        for bucket in self._buckets:
            sums += counts[bucket]
            self._before.append(sums)

    def of(self, pieces: Iterable[Piece]) -> Figures:
        """What the counts say of these pieces."""
        found = NOTHING
        for piece in pieces:
            first = bisect_left(self._buckets, piece.first)
            last = bisect_right(self._buckets, piece.last)
            if first < last:
                found += self._before[last] - self._before[first]
        return found
