"""Editing a profile, by oneself or by who runs the event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.model import Transaction, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import outdated, refused, settled
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import forbidden, not_found
from tablewright.systems.kurukshetra import registering
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.people import Answer, Participant
from tablewright.systems.kurukshetra.reads import ParticipantPage
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.people.looking import page_of
from tablewright.systems.kurukshetra.service.people.profiles import Said
from tablewright.systems.kurukshetra.service.versions import check_seen, outdated_change

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Editing:
    """Editing a profile."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def edit(
        self, by: Caller, participant_id: str, body: RegistrationIn, said: Precondition
    ) -> None:
        """Another profile, from the one that was seen; the address stays.

        One transaction: the profile and the answers on condition that they are the latest, the link
        of the number if that is another, and the audit entry if somebody else did it.
        """
        if participant_id != by.participant_id and not by.has("organizer"):
            # Who may see people may know that they are there.
            raise forbidden() if by.roles else not_found("participant")
        page = await page_of(self._festival.db, by.event_id, participant_id)
        check_seen(said, page.participant.version)
        setup = await self._festival.events.setup_now(by.event_id)
        # An organiser may correct the profile of somebody who has not said everything.
        required = setup.config.required_fields if by.participant_id == participant_id else ()
        told = Said(body, setup.questions, self._festival.options.country, required)
        op = self._written(by, page, told)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if outdated(cancelled) or refused(cancelled):
                raise outdated_change() from None
            raise

    def _written(
        self, by: Caller, page: ParticipantPage, said: Said
    ) -> Transaction[tuple[object, ...]]:
        now, vault = self._festival.now(), self._festival.privacy.vault
        before = page.participant
        old = {each.question_id: each for each in page.answers}
        person = self._person(before, said)
        answers = [
            vault.sealed(each)
            for each in said.answers(before, now, old)
            if not self._same(each, old.get(each.question_id))
        ]
        gone = said.taken_back(old)
        op = registering.edit_participant(person, before.phone_hash, answers, now, gone)
        if before.participant_id == by.participant_id:
            return together(op)
        noted = self._festival.access.noted(
            by, "participant.edit", participant=before.participant_id
        )
        return together(op, noted)

    def _person(self, before: Participant, said: Said) -> Participant:
        privacy = self._festival.privacy
        changes = {**said.profile(privacy.blind), "updated_at": self._festival.now()}
        return privacy.vault.sealed(before.model_copy(update=changes))

    def _same(self, answer: Answer, old: Answer | None) -> bool:
        return old is not None and self._festival.privacy.vault.opened(old).value == answer.value
