"""When a time zone's clocks are set: its offset from UTC, piece by piece.

``zoneinfo`` tells the offset at a moment but not when it changes. So the time line is cut into
chunks, each chunk is sampled, and between two samples that differ the change is searched to the
second. Two changes that undo each other between two samples would be missed; in the time zone
database none since 1970 are less than days apart, which a test looks after.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

#: A machine's own, and the placeholder of one that has none.
_ELSEWHERE = {"localtime", "Factory"}
_CHUNK = 1 << 22
_STEP = 1 << 15


class Piece(NamedTuple):
    """From ``start`` on, clocks are ``offset`` seconds ahead of UTC."""

    start: int
    offset: int


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """The time zones that an organisation can choose: those that are the same on every machine."""
    return frozenset(available_timezones() - _ELSEWHERE)


def offset_at(zone: ZoneInfo, moment: int) -> int:
    ahead = datetime.fromtimestamp(moment, zone).utcoffset()
    assert ahead is not None  # a ZoneInfo always has one
    return ahead.days * 86_400 + ahead.seconds


def pieces(name: str, start: int, end: int) -> list[Piece]:
    """The offsets of a zone from ``start`` to ``end``; the first piece begins at ``start``."""
    found: list[Piece] = []
    for number in range(start // _CHUNK, (end - 1) // _CHUNK + 1):
        for piece in _chunk(name, number):
            if piece.start <= start:
                found = [Piece(start, piece.offset)]
            elif piece.start < end and piece.offset != found[-1].offset:
                found.append(piece)
    return found


@lru_cache(maxsize=8192)
def _chunk(name: str, number: int) -> tuple[Piece, ...]:
    zone, begins = ZoneInfo(name), number * _CHUNK
    found = [Piece(begins, offset_at(zone, begins))]
    for low in range(begins, begins + _CHUNK, _STEP):
        high = low + _STEP
        while found[-1].offset != offset_at(zone, high):
            found.append(_next_change(zone, found[-1].offset, low, high))
            low = found[-1].start
    return tuple(piece for piece in found if piece.start < begins + _CHUNK)


def _next_change(zone: ZoneInfo, offset: int, low: int, high: int) -> Piece:
    """A moment after ``low`` at which ``offset`` ends; at ``high`` it has ended."""
    while high - low > 1:
        middle = (low + high) // 2
        if offset_at(zone, middle) == offset:
            low = middle
        else:
            high = middle
    return Piece(high, offset_at(zone, high))
