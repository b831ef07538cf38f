"""What the page of a team shows: who is in it, whether it has a seat, and what one may do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tablewright.systems.kurukshetra.events import Config, Seats
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.rules import crockford, team_states, windows
from tablewright.systems.kurukshetra.service.certificates import CheckedCertificate
from tablewright.systems.kurukshetra.service.teams import MemberLine, TeamView
from tablewright.systems.kurukshetra.teams import Team

#: Seconds after which a page asks whether something has changed, by what it waits for.
_WATCHED: Final = {"pending": 5, "waitlisted": 15, "offered": 15, "unpaid": 20}


@dataclass(frozen=True)
class Member:
    """Somebody of the team."""

    line: MemberLine
    me: bool

    @property
    def name(self) -> str:
        return self.line.name or "Somebody"

    @property
    def initials(self) -> str:
        words = (re.sub(r"\W", "", each) for each in self.name.split())
        return "".join(each[0] for each in words if each)[:2].upper()


@dataclass(frozen=True)
class Ways:
    """What somebody can do with their team now; whether they may is decided when they do it."""

    view: TeamView
    config: Config
    seats: Seats
    now: datetime
    me: str

    @property
    def team(self) -> Team:
        return self.view.team

    @property
    def members(self) -> list[Member]:
        return [Member(each, each.participant_id == self.me) for each in self.view.members]

    @property
    def ended(self) -> bool:
        return team_states.is_over(self.team.payment_status)

    @property
    def roster_open(self) -> bool:
        return windows.roster_open(self.config, self.now)

    @property
    def window_open(self) -> bool:
        return windows.is_open(self.seats, self.now)

    @property
    def lacking(self) -> int:
        """How many more it takes to pay."""
        return max(0, self.config.min_team_size - self.team.member_count)

    @property
    def room(self) -> int:
        return max(0, self.team.max_members - self.team.member_count)

    @property
    def sold_out(self) -> bool:
        return self.seats.free <= 0 or self.seats.waiting > 0

    @property
    def can_invite(self) -> bool:
        joins = not self.ended and self.roster_open and self.room > 0
        return joins and self.view.invite_code is not None

    @property
    def can_edit(self) -> bool:
        return self.view.leads and self.team.payment_status == "unpaid"

    @property
    def can_disband(self) -> bool:
        return self.can_edit

    @property
    def can_leave(self) -> bool:
        return team_states.leave_fault(self.team, self.me, self.config, self.now) is None

    @property
    def can_pay(self) -> bool:
        """Whether the leader goes on to the payment from here."""
        if self.team.payment_status in ("pending", "offered"):
            return True
        ready = self.team.payment_status == "unpaid" and not self.lacking
        return ready and self.window_open and not self.sold_out

    @property
    def watched(self) -> str:
        """The state that the page shows, as it is asked about."""
        return state_of(self.team) if self.team.payment_status in _WATCHED else ""

    @property
    def watch_secs(self) -> int:
        return _WATCHED.get(self.team.payment_status, 60)


@dataclass(frozen=True)
class CertificateLine:
    """A certificate of one's own."""

    issued: CheckedCertificate

    @property
    def title(self) -> str:
        return f"Certificate of {self.issued.kind}"

    @property
    def code(self) -> str:
        return crockford.shown(self.issued.code)

    @property
    def path(self) -> str:
        return paths.certificate_path(self.issued.code)


def state_of(team: Team) -> str:
    """What a page has to be made anew for."""
    return f"{team.payment_status}-{team.member_count}-{team.payment_id or ''}"
