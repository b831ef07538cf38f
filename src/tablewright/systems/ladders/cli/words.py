"""Words that several commands share."""

from __future__ import annotations

from typing import Literal, TypeAlias

from cyclopts import Parameter

Format: TypeAlias = Literal["pdf", "csv", "json"]
#: There is no --no-shipped: not to want something is to leave it out.
Flag = Parameter(negative=())


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright ladders {words}"


def several(count: int, one: str, many: str | None = None) -> str:
    """``1 team``, ``2 teams``"""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def plain(text: str) -> str:
    """Without anything that a terminal would act upon: what people have typed is shown, no more."""
    return "".join(char if char.isprintable() else " " for char in text)
