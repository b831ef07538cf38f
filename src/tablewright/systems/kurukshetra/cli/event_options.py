"""What can be said of an event: the options that making and changing one share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from tablewright.systems.kurukshetra.cli import meant


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class EventOptions:
    """Settings of an event; None is one that is not said."""

    file: Annotated[Path | None, Parameter(name="--from")] = None
    """A TOML or JSON file with what the API takes: hold_minutes, allowed_domains, checkin_lists
    and so on. What is typed goes before it."""
    name: str | None = None
    "What it is called."
    opens: str | None = None
    "When registration opens: a day, or a time such as 2026-11-01T10:00, at the event's place."
    closes: str | None = None
    "When registration ends."
    starts: str | None = None
    "When the event starts."
    ends: str | None = None
    "When the event ends."
    roster: str | None = None
    "Until when people join and leave teams; at first until the event starts."
    fee: str | None = None
    "What a team pays from now on, in the currency of the event: 799 or 799.50; at first 999."
    seats: int | None = None
    "How many teams there may be; at first 500. Fewer only as far as seats are free."
    smallest: int | None = None
    "The smallest team."
    largest: int | None = None
    "The largest team."
    tracks: str | None = None
    "What teams choose from, with commas in between."
    visibility: Literal["public", "hidden", "draft"] | None = None
    "public; hidden, on no list; or draft, only for those who run it."
    zone: str | None = None
    "Where it takes place, such as Asia/Kolkata."

    def typed_fee(self, currency: str) -> dict[str, object]:
        """Return the fee in minor units of the currency, if it is given."""
        if self.fee is None:
            return {}
        return {"team_fee": meant.amount(self.fee, "--fee", currency)}

    def typed(self) -> dict[str, object]:
        """By the names that the API has for them."""
        chosen = None if self.tracks is None else [each.strip() for each in self.tracks.split(",")]
        return {
            "event_name": self.name,
            "registration_start": self.opens,
            "registration_end": self.closes,
            "event_start": self.starts,
            "event_end": self.ends,
            "roster_lock_at": self.roster,
            "max_teams": self.seats,
            "min_team_size": self.smallest,
            "max_team_size": self.largest,
            "tracks": chosen,
            "zone": self.zone,
            "visibility": self.visibility,
        }


#: Nothing is said.
NOTHING = EventOptions()
