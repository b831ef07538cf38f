"""Words that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

Tone: TypeAlias = Literal["positive", "neutral", "negative"]
Status: TypeAlias = Literal["pending", "analyzed", "failed", "unjudged"]
SourceKind: TypeAlias = Literal["rss", "newsapi", "file"]
Metric: TypeAlias = Literal["volume", "negative_share", "index"]
OpsMetric: TypeAlias = Literal[
    "stuck", "failed", "silence", "quota", "breaker", "throttled", "rejected", "write_units"
]
Direction: TypeAlias = Literal["up", "down", "both"]
Window: TypeAlias = Literal["15m", "1h", "6h"]
Switch: TypeAlias = Literal["on", "off"]
Delivery: TypeAlias = Literal["immediate", "hourly", "daily"]
#: A file to be read; - is standard input.
InFile: TypeAlias = Annotated[Path, Parameter(allow_leading_hyphen=True)]
Since: TypeAlias = Annotated[str | None, Parameter(name="--from")]
Until: TypeAlias = Annotated[str | None, Parameter(name="--to")]


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright sentiment {words}"


def cut(text: str, most: int = 70) -> str:
    """A text for one column of a list."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(words: Sequence[str]) -> str:
    return ", ".join(words) or "-"
