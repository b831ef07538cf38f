"""The ladder that comes with the program, for a company that has none of its own yet."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def shipped_text() -> str:
    """Four categories of four competencies with seven levels, for engineers."""
    place = files("tablewright.systems.ladders").joinpath("example/ladder.md")
    return place.read_text(encoding="utf-8")
