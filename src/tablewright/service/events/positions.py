"""Where a reader is: the id of the last event it has seen.

An id has three parts, ``<process>.<number>.<entry>``. Events that live in memory are numbered by
their process, so a reader that comes back to another process (or after a restart) has to start
again. Lasting events have an id of their own, a ULID, which every process knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_FORM = re.compile(r"([0-9a-f]{8})\.([0-9]{1,18})\.([0-7][0-9A-HJKMNP-TV-Z]{25})\Z")
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@dataclass(frozen=True)
class Position:
    """What a reader has seen."""

    process: str
    number: int
    entry: str

    @property
    def text(self) -> str:
        return f"{self.process}.{self.number}.{self.entry}"

    def after(self, *, number: int = 0, entry: str = "") -> Position:
        """The position after one more event."""
        return replace(self, number=number or self.number, entry=entry or self.entry)


def parse(text: str | None) -> Position | None:
    """A position that a reader gave back; None if it has none, or made one up."""
    found = _FORM.match(text or "")
    return None if found is None else Position(found[1], int(found[2]), found[3])


def first_entry(seconds: float) -> str:
    """The lowest id that a lasting event of this moment can have."""
    millis = max(0, int(seconds * 1000)) & (2**48 - 1)
    time = "".join(_DIGITS[(millis >> shift) & 31] for shift in range(45, -1, -5))
    return time + "0" * 16


def numbered_entry(seconds: float, number: int) -> str:
    """The id of a lasting event of this moment that is the ``number``-th of its topic."""
    low = "".join(_DIGITS[(number >> shift) & 31] for shift in range(75, -1, -5))
    return first_entry(seconds)[:10] + low


def number_of(entry: str) -> int:
    """Which event of its topic it is, if that numbers its events; else a chance number."""
    number = 0
    for digit in entry[10:]:
        number = number * 32 + _DIGITS.index(digit)
    return number


def seconds_of(entry: str) -> float:
    """When a lasting event got its id."""
    millis = 0
    for digit in entry[:10]:
        millis = millis * 32 + _DIGITS.index(digit)
    return millis / 1000
