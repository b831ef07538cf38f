"""Words that several commands share."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

from cyclopts import Parameter

if TYPE_CHECKING:
    from datetime import datetime

Tier: TypeAlias = Literal["free", "premium", "enterprise"]
Policy: TypeAlias = Literal["full_vibe", "ai_assisted", "traditional", "custom"]
Provider: TypeAlias = Literal["static", "bedrock", "openai"]
#: There is no --no-yes: not to agree is to leave it out.
Yes = Parameter(name=("--yes", "-y"), negative=())


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright vibejudge {words}"


def percent(share: Decimal) -> str:
    """``25 %``, ``29.7 %``: without a decimal that says nothing."""
    return f"{100 * share:.1f}".removesuffix(".0") + " %"


def usd(amount: Decimal) -> str:
    """``$0.01``, ``$0.000123``: with all that there is, and cents at least."""
    text = f"{amount:.9f}".rstrip("0")
    whole, _, part = text.partition(".")
    return f"${int(whole):,}.{part:0<2}"


def day(at: datetime | None) -> str:
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"
