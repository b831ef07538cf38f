"""Words that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from cyclopts import Parameter

if TYPE_CHECKING:
    from datetime import datetime

Kind: TypeAlias = Literal["participation", "completion", "winner"]
RoleWord: TypeAlias = Literal["organiser", "organizer", "finance", "volunteer", "auditor", "admin"]
Rows: TypeAlias = Literal["registrations", "teams", "payments", "refunds"]
#: There is no --no-yes: not to agree is to leave it out.
Yes = Parameter(name=("--yes", "-y"), negative=())
#: Nor any other of these.
Flag = Parameter(negative=())


def example(words: str) -> str:
    """A command line to copy, for the end of a help page."""
    return f"Example: tablewright kurukshetra {words}"


def money(amount: int, currency: str) -> str:
    """``INR 999.00``: minor units are hundredths of the currency."""
    return f"{currency} {amount // 100:,}.{amount % 100:02d}"


def moment(at: datetime | None) -> str:
    return "-" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"
