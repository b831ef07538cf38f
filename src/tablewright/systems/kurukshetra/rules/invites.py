"""Invite codes: eight characters, 40 bits.

At ten guesses a minute nobody finds one of 5,000 teams' codes within a year: that is a chance of
one in forty.
"""

from __future__ import annotations

from tablewright.systems.kurukshetra.rules import crockford

LENGTH = 8


def new() -> str:
    """A random code."""
    return crockford.new(LENGTH)


def parse(text: str) -> str:
    """The code that somebody typed; :class:`.BadCode` if it is none."""
    return crockford.parse(text, LENGTH)
