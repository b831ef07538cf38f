"""Seasons in their order."""

from __future__ import annotations

#: Months after which a part of the year is over.
_MONTHS = {"H": 6, "Q": 3}


def order(season: str) -> tuple[int, int, str]:
    """To sort by: when it ends; of two that end together, the longer one is the later."""
    year, _, part = season.partition("-")
    ends = 12 if not part else _MONTHS[part[0]] * int(part[1])
    return int(year), ends, {"": "c", "H": "b", "Q": "a"}[part[:1]]
