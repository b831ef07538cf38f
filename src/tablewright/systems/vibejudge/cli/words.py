"""Words that several commands share."""

from __future__ import annotations

from decimal import Decimal


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright vibejudge {words}"


def several(count: int, one: str, many: str | None = None) -> str:
    """``1 file``, ``2 files``"""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


_CAPITALS = {"ai": "AI", "api": "API", "readme": "README"}


def spoken(name: str) -> str:
    """``code_quality`` as people say it: code quality."""
    return " ".join(_CAPITALS.get(word, word) for word in name.split("_"))


def plain(text: str) -> str:
    """Without anything that a terminal would act upon: what repositories say is shown, no more."""
    return "".join(char if char.isprintable() else " " for char in text)


def percent(share: Decimal) -> str:
    """``25 %``, ``29.7 %``: without a decimal that says nothing."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"
