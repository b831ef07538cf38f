"""All that is known about one user, in all events: for them to see, and to take along."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import JsonValue

from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra import lists, reads
from tablewright.systems.kurukshetra.fields import TeamStatus
from tablewright.systems.kurukshetra.lists import TeamPayment
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.people.drafts import Drafts
from tablewright.systems.kurukshetra.service.people.looking import Looking, PersonView, page_of

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.certificates import CheckedCertificate
    from tablewright.systems.kurukshetra.service.festival import Festival


@dataclass(frozen=True)
class MyEvent:
    """What is known about somebody at one event."""

    event_id: str
    event_name: str
    person: PersonView | None
    team_status: TeamStatus | None
    leads: bool
    payments: tuple[TeamPayment, ...]
    certificates: tuple[CheckedCertificate, ...]
    roles: frozenset[RoleName]
    draft: dict[str, JsonValue] | None


@dataclass(frozen=True)
class Me:
    """Everything about one user."""

    user_id: str
    name: str
    email: str | None
    verified: bool
    roles: frozenset[RoleName]
    events: tuple[MyEvent, ...]


class Myself:
    """All that is known about one user."""

    def __init__(self, festival: Festival, looking: Looking, drafts: Drafts) -> None:
        self._festival = festival
        self._looking = looking
        self._drafts = drafts

    async def read(self, by_user: Caller) -> Me:
        """What hangs on the user, and on the address if it is verified. [1c, 1d]"""
        by_link, roles, drafts = await self._hanging(by_user)
        people = await self._people(by_user, by_link)
        names = sorted({*people, *roles, *drafts})
        found = await asyncio.gather(
            *(
                self._event(each, people.get(each), roles.get(each, frozenset()), drafts.get(each))
                for each in names
            )
        )
        who = by_user.principal
        return Me(
            who.id,
            who.name,
            by_user.email,
            by_user.verified,
            by_user.roles,
            tuple(each for each in found if each is not None),
        )

    # --- inside ----------------------------------------------------------------------------------

    async def _hanging(
        self, by: Caller
    ) -> tuple[dict[str, str], dict[str, frozenset[RoleName]], dict[str, dict[str, JsonValue]]]:
        """By event: the participant, the roles, and the draft."""
        pages = await asyncio.gather(
            *(self._festival.db.run(reads.me(each)) for each in self._festival.access.hashes_of(by))
        )
        links = {each.event_id: each.target for page in pages for each in page.links}
        drafts = {
            each.event_id: self._drafts.opened(each).data for page in pages for each in page.drafts
        }
        roles: dict[str, frozenset[RoleName]] = {}
        for each in (role for page in pages for role in page.roles):
            roles[each.event_id] = roles.get(each.event_id, frozenset()) | each.roles
        return links, roles, drafts

    async def _people(self, by: Caller, links: dict[str, str]) -> dict[str, str]:
        """The participants, also those who registered with the same address as another user."""
        if by.email is None or not by.verified:
            return links
        op = lists.registrations_of_email(self._festival.privacy.blind.email(by.email))
        found = {}
        async for each in self._festival.db.iterate(op):
            found[each.event_id] = each.participant_id
        return found | links

    async def _event(
        self,
        event_id: str,
        participant_id: str | None,
        roles: frozenset[RoleName],
        draft: dict[str, JsonValue] | None,
    ) -> MyEvent | None:
        try:
            config = await self._festival.events.config(event_id)
        except Problem:
            return None  # the event is gone; so is what was there
        person = None if participant_id is None else await self._person(event_id, participant_id)
        (status, leads, payments), certificates = await asyncio.gather(
            self._team(event_id, person), self._certificates(event_id, person)
        )
        return MyEvent(
            event_id,
            config.event_name,
            person,
            status,
            leads,
            payments,
            certificates,
            roles,
            draft,
        )

    async def _person(self, event_id: str, participant_id: str) -> PersonView | None:
        try:
            page = await page_of(self._festival.db, event_id, participant_id)
        except Problem:
            return None  # erased since the link was read
        return await self._looking.view(page, "full")

    async def _certificates(
        self, event_id: str, person: PersonView | None
    ) -> tuple[CheckedCertificate, ...]:
        if person is None:
            return ()
        return tuple(await self._festival.certificates.of(event_id, person.participant_id))

    async def _team(
        self, event_id: str, person: PersonView | None
    ) -> tuple[TeamStatus | None, bool, tuple[TeamPayment, ...]]:
        if person is None or person.team_id is None:
            return None, False, ()
        db = self._festival.db
        team, payments = await asyncio.gather(
            db.run(reads.team(event_id, person.team_id)),
            db.run(lists.payments_of_team(event_id, person.team_id)),
        )
        if team is None:
            return None, False, ()
        leads = team.leader_participant_id == person.participant_id
        return team.payment_status, leads, tuple(payments)
