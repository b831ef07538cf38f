"""The options of `tablewright engine`: what they are, free of what they cost.

Free of cyclopts too, so that :mod:`tablewright.cli.shortcut` gets to the database without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DEFAULT_DATA = Path("tablewright-data")
Durability = Literal["full", "relaxed"]
ErrorWording = Literal["current", "older"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of `tablewright engine`; :mod:`tablewright.cli.engine` explains them."""

    host: str = "127.0.0.1"
    port: int = 8000
    data: Path | None = None
    memory: bool = False
    durability: Durability = "full"
    credentials: tuple[str, ...] = ()
    credentials_file: Path | None = None
    separate: bool = False
    demo: bool = False
    region: str = "us-east-1"
    realism: Path | None = None
    error_wording: ErrorWording = "current"
    json: bool = False
