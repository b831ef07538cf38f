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
