"""Words and figures that several commands share."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

RegionClass: TypeAlias = Literal["global", "geo", "region"]
ServiceTier: TypeAlias = Literal["standard", "flex", "priority", "batch"]
Window: TypeAlias = Literal["DAY", "WEEK", "MONTH"]
#: A file to be read; - is standard input.
InFile: TypeAlias = Annotated[Path, Parameter(allow_leading_hyphen=True)]


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright pricekeeper {words}"


def usd(micros: int | None) -> str:
    """Millionths of a dollar for people: two places at least, and as many as it takes."""
    if micros is None:
        return "unlimited"
    return dollars(Decimal(micros).scaleb(-6))


def usd_of_picos(picos: int) -> str:
    """The same of what is counted inside, exactly."""
    return dollars(Decimal(picos).scaleb(-12))


def dollars(amount: Decimal) -> str:
    whole, _, places = f"{abs(amount):,f}".partition(".")
    sign = "-" if amount < 0 else ""
    return f"{sign}${whole}.{places.rstrip('0').ljust(2, '0')}"
