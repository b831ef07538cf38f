"""Teams as their members, and those who run the event, see them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from tablewright.model import Op, Put, together
from tablewright.model.errors import Incomplete, TransactionCancelled
from tablewright.service.conflicts import busy, outdated, settled
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import forbidden, not_found
from tablewright.systems.kurukshetra import lists, reads
from tablewright.systems.kurukshetra.people import Participant, RoleName
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.reads import TeamPage
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.noting import noted
from tablewright.systems.kurukshetra.teams import Submission, Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

BUSY: Final = "BUSY"
#: Members come and go while somebody changes a team; so often the change is made anew.
_TRIES = 8
#: Who may see teams that they are not in, act for them, and see who is in them.
_LOOK: Final[tuple[RoleName, ...]] = ("organizer", "finance", "auditor")
_ACT: Final[RoleName] = "organizer"


@dataclass(frozen=True)
class MemberLine:
    """Somebody in a team; the name is empty for who may not know it."""

    participant_id: str
    name: str
    leads: bool
    joined_at: datetime


@dataclass(frozen=True)
class InvitedLine:
    """Somebody who was asked to join, and has not."""

    email_hash: str
    email: str
    until: datetime


@dataclass(frozen=True)
class TeamView:
    """A team, as far as the caller may see it."""

    team: Team
    members: tuple[MemberLine, ...]
    invited: tuple[InvitedLine, ...]
    submission: Submission | None
    payments: tuple[lists.TeamPayment, ...]
    #: How many wait before it, if it waits.
    ahead: int | None
    #: For its members, and who runs the event.
    invite_code: str | None
    #: Whether the caller leads it.
    leads: bool


class Looking:
    """Finding teams, and changing what was found."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def owned(self, by: Caller, t: str, *, lead: bool = False) -> TeamPage:
        """A team of the caller's, as it is now: its member's, or of who runs the event.

        Others do not learn that it exists: a problem 404. ``lead`` is for what its leader decides,
        or the organisers in their place: a problem 403 for everybody else.
        """
        page = await self._found(by.event_id, t)
        if page is None or not (is_member(by, page) or by.has(*_LOOK)):
            raise not_found("team")
        if lead and not (_leads(by, page.team) or by.has(_ACT)):
            raise forbidden("Only the leader of the team may do this.")
        return page

    async def read(self, by: Caller, t: str) -> TeamView:
        """A team with its members; who may see what is in section 9 of the design. [2a, 2b]"""
        page = await self.owned(by, t)
        names, payments, ahead = await asyncio.gather(
            self._names(by, page), self._payments(page.team), self._ahead(page.team)
        )
        close = is_member(by, page) or by.has(_ACT)
        return TeamView(
            team=page.team,
            members=_members(page, names),
            invited=self._invited(page) if close else (),
            submission=page.submission,
            payments=payments,
            ahead=ahead,
            invite_code=self._code(page.team) if close else None,
            leads=_leads(by, page.team),
        )

    async def _registered(self, by: Caller) -> str:
        """The caller as a participant, even if that is news; a problem 403 if they are none."""
        if by.participant_id is None:
            by = await self._festival.access.now(by.principal, by.event_id)
        return by.participant()

    async def _found(self, event_id: str, t: str) -> TeamPage | None:
        if not is_uuid(t):
            return None
        try:
            return await self._festival.db.run(reads.team_page(event_id, t))
        except Incomplete:
            return None

    async def _names(self, by: Caller, page: TeamPage) -> dict[str, str]:
        """By id; without those that the caller may not know."""
        if not (is_member(by, page) or by.has(_ACT, "auditor")):
            return {}
        ids = [each.participant_id for each in page.members]
        found = await self._festival.db.run(reads.participants(page.team.event_id, ids))
        masked = not (is_member(by, page) or by.has(_ACT))
        return {each.participant_id: self._name(each, masked) for each in found if each is not None}

    def _name(self, person: Participant, masked: bool) -> str:
        privacy = self._festival.privacy
        if masked:
            who = person.email_hash or person.participant_id
            shown = privacy.masks.masked(person, who)
        else:
            shown = privacy.vault.opened(person)
        return f"{text_of(shown.first_name)} {text_of(shown.last_name)}".strip()

    async def _payments(self, team: Team) -> tuple[lists.TeamPayment, ...]:
        found = await self._festival.db.run(lists.payments_of_team(team.event_id, team.team_id))
        return tuple(found)

    async def _ahead(self, team: Team) -> int | None:
        if team.wait_position is None:
            return None
        return await self._festival.seats.place(team)

    def _invited(self, page: TeamPage) -> tuple[InvitedLine, ...]:
        vault = self._festival.privacy.vault
        return tuple(
            InvitedLine(each.email_hash, text_of(vault.opened(each).email), each.ttl)
            for each in page.invited
        )

    def _code(self, team: Team) -> str | None:
        return text_of(self._festival.privacy.vault.opened(team).invite_code) or None

    # --- changing --------------------------------------------------------------------------------

    async def _changed(
        self, by: Caller, t: str, action: str, make: Callable[[TeamPage], Op[Any] | None]
    ) -> TeamPage:
        """What ``make`` writes of the latest state, by its leader; again, if that has changed.

        None is for nothing to do. What an organiser does to somebody's team is written down in the
        same transaction.
        """
        for _ in range(_TRIES):
            page = await self.owned(by, t, lead=True)
            op = make(page)
            if op is None:
                return page
            try:
                await self._settle(together(op, *self._noted(by, page, action)))
            except TransactionCancelled as cancelled:
                if not outdated(cancelled):
                    raise
                continue
            found = await self._found(by.event_id, t)
            return page if found is None else found
        raise busy(BUSY)

    def _noted(self, by: Caller, page: TeamPage, action: str) -> tuple[Put[AuditEntry], ...]:
        return noted(by, page.team, action, self._festival.now())

    async def _settle(self, op: Op[Any]) -> None:
        await settled(self._festival.db, lambda: op, code=BUSY)


def is_member(by: Caller, page: TeamPage) -> bool:
    return by.participant_id in [each.participant_id for each in page.members]


def _leads(by: Caller, team: Team) -> bool:
    return by.participant_id == team.leader_participant_id


def _members(page: TeamPage, names: dict[str, str]) -> tuple[MemberLine, ...]:
    """The leader first, then in the order in which they came."""
    leader = page.team.leader_participant_id
    lines = (
        MemberLine(
            each.participant_id,
            names.get(each.participant_id, ""),
            each.participant_id == leader,
            each.joined_at,
        )
        for each in page.members
    )
    return tuple(sorted(lines, key=lambda each: (not each.leads, each.joined_at, each.name)))
