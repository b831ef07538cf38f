"""People, as far as somebody may see them.

=============================  ================================================
oneself, organizer, admin      everything
auditor                        everything, with masks in place of the person
volunteer                      the name, and the team
finance                        nothing: they deal with payments
everybody else                 that there is no such participant
=============================  ================================================
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.client import AsyncDb
from tablewright.model.errors import Incomplete
from tablewright.service.problems import forbidden, not_found
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.events import Question
from tablewright.systems.kurukshetra.people import Answer, CheckIn, Participant
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.reads import ParticipantPage
from tablewright.systems.kurukshetra.rules import answers
from tablewright.systems.kurukshetra.rules.answers import Given
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.teams import Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

Detail: TypeAlias = Literal["full", "masked", "name"]


@dataclass(frozen=True)
class PersonView:
    """Somebody at an event, opened; what the caller may not see is None."""

    event_id: str
    participant_id: str
    detail: Detail
    first_name: str
    last_name: str
    email: str | None
    phone: str | None
    github_username: str | None
    linkedin: str | None
    college: str | None
    year: str | None
    student_status: bool | None
    team_id: str | None
    team_name: str | None
    answers: Mapping[str, Given] | None
    checkins: tuple[CheckIn, ...] | None
    version: int
    created_at: datetime
    updated_at: datetime


async def page_of(db: AsyncDb, event_id: str, participant_id: str) -> ParticipantPage:
    """A person with all that hangs on them; a problem 404 if there is none, or not any more."""
    if not is_uuid(participant_id):
        raise not_found("participant")
    try:
        page = await db.run(reads.participant_page(event_id, participant_id))
    except Incomplete:
        raise not_found("participant") from None
    if page.participant.erased_at is not None:
        raise not_found("participant")
    return page


def detail_for(by: Caller, participant_id: str) -> Detail:
    """How much of a person a caller may see; a problem if nothing."""
    if by.participant_id == participant_id or by.has("organizer"):
        return "full"
    if by.has("auditor"):
        return "masked"
    if by.has("volunteer"):
        return "name"
    raise forbidden() if by.has("finance") else not_found("participant")


class Looking:
    """People, as far as somebody may see them."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def read(self, by: Caller, participant_id: str) -> PersonView:
        """Somebody at the caller's event."""
        detail = detail_for(by, participant_id)
        page = await page_of(self._festival.db, by.event_id, participant_id)
        return await self.view(page, detail)

    async def view(self, page: ParticipantPage, detail: Detail) -> PersonView:
        """A person that was read, with their team and the event's questions."""
        team, setup = await asyncio.gather(
            self._team(page.participant),
            self._festival.events.setup(page.participant.event_id),
        )
        return self._made(page, detail, team, setup.questions)

    async def _team(self, person: Participant) -> Team | None:
        if person.team_id is None:
            return None
        return await self._festival.db.run(reads.team(person.event_id, person.team_id))

    def _made(
        self,
        page: ParticipantPage,
        detail: Detail,
        team: Team | None,
        questions: tuple[Question, ...],
    ) -> PersonView:
        asked = {each.question_id: each for each in questions}
        person, given = self._shown(page, detail, {each for each in asked if asked[each].pii})
        more = detail != "name"
        said = {
            each.question_id: answers.shown(asked.get(each.question_id), text_of(each.value))
            for each in given
        }
        return PersonView(
            event_id=person.event_id,
            participant_id=person.participant_id,
            detail=detail,
            first_name=text_of(person.first_name),
            last_name=text_of(person.last_name),
            email=text_of(person.email) if more else None,
            phone=text_of(person.phone) if more else None,
            github_username=text_of(person.github_username) if more else None,
            linkedin=text_of(person.linkedin) if more else None,
            college=person.college if more else None,
            year=person.year if more else None,
            student_status=person.student_status if more else None,
            team_id=person.team_id,
            team_name=None if team is None else team.name,
            answers=said if more else None,
            checkins=page.checkins if more else None,
            version=person.version,
            created_at=person.created_at,
            updated_at=person.updated_at,
        )

    def _shown(
        self, page: ParticipantPage, detail: Detail, personal: Set[str]
    ) -> tuple[Participant, tuple[Answer, ...]]:
        """Opened, or with masks in place of what is sealed, or should be."""
        privacy, person = self._festival.privacy, page.participant
        if detail != "masked":
            opened = tuple(privacy.vault.opened(each) for each in page.answers)
            return privacy.vault.opened(person), opened
        who = person.email_hash or person.participant_id
        masks = privacy.masks
        masked = tuple(
            masks.masked(each, who, always=each.question_id in personal) for each in page.answers
        )
        return masks.masked(person, who), masked
