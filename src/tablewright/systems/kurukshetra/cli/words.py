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
    """``INR 999.00``: an amount in minor units, in the currency itself."""
    from tablewright.systems.kurukshetra.rules.fees import written

    return written(amount, currency)


def moment(at: datetime | None, zone: str = "UTC") -> str:
    """``2026-12-05 09:00 IST``: by the clock of a zone, as times are typed."""
    from tablewright.systems.kurukshetra.rules.local_time import zone_of

    if at is None:
        return "-"
    there = at.astimezone(zone_of(zone))
    name = there.tzname() or "UTC"
    return f"{there:%Y-%m-%d %H:%M} {name if name[:1].isalpha() else f'UTC{name}'}"
