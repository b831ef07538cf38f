"""The code of a certificate: 16 characters, 80 bits. Who has it may check the certificate."""

from __future__ import annotations

from tablewright.systems.kurukshetra.rules import crockford

LENGTH = 16


def new() -> str:
    """A random code."""
    return crockford.new(LENGTH)


def parse(text: str) -> str:
    """The code that somebody typed; :class:`.BadCode` if it is none."""
    return crockford.parse(text, LENGTH)


def shown(code: str) -> str:
    """``7H2K-9QZM-4T0V-XW3B``: as it is printed."""
    return crockford.shown(code)
