"""All that people do about themselves, in one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import JsonValue

from tablewright.service.preconditions import Precondition
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.people.drafts import Drafts, KeptDraft
from tablewright.systems.kurukshetra.service.people.editing import Editing
from tablewright.systems.kurukshetra.service.people.looking import Looking, PersonView
from tablewright.systems.kurukshetra.service.people.myself import Me, Myself
from tablewright.systems.kurukshetra.service.people.registering import Registered, Registering

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class People:
    """Registering, reading and editing, drafts, and oneself."""

    def __init__(self, festival: Festival) -> None:
        self._drafts = Drafts(festival)
        self._registering = Registering(festival)
        self._looking = Looking(festival)
        self._editing = Editing(festival)
        self._myself = Myself(festival, self._looking, self._drafts)

    async def register(self, by: Caller, body: RegistrationIn) -> Participant:
        """Take part in an event; who does already is given as they are. [T0]"""
        return (await self._registering.register(by, body)).participant

    async def enrol(self, by: Caller, body: RegistrationIn) -> Registered:
        """The same, and whether it is new."""
        return await self._registering.register(by, body)

    async def read(self, by: Caller, participant_id: str) -> PersonView:
        """Somebody, as far as the caller may see them."""
        return await self._looking.read(by, participant_id)

    async def edit(
        self, by: Caller, participant_id: str, body: RegistrationIn, said: Precondition
    ) -> PersonView:
        """Another profile, from the one that somebody has seen."""
        await self._editing.edit(by, participant_id, body, said)
        return await self._looking.read(by, participant_id)

    async def draft(self, by: Caller) -> KeptDraft | None:
        """The form that is not sent yet."""
        return await self._drafts.read(by)

    async def save_draft(self, by: Caller, data: dict[str, JsonValue]) -> KeptDraft:
        """Keep a form as far as it is filled in."""
        return await self._drafts.save(by, data)

    async def drop_draft(self, by: Caller) -> None:
        """Give a form up."""
        await self._drafts.drop(by)

    async def me(self, by_user: Caller) -> Me:
        """Everything that is known about a user, in all events."""
        return await self._myself.read(by_user)
