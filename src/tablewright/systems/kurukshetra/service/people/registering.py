"""Registering: one row for a person, on condition that neither user nor address has one."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

from tablewright.model import Transaction, together
from tablewright.model.errors import TablewrightError, TransactionCancelled
from tablewright.service.conflicts import refused_at, settled
from tablewright.service.problems import Problem, conflict
from tablewright.systems.kurukshetra import reads, registering
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import EmailLock, Participant, UidLink
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.rules import emails, windows
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.people.profiles import Said
from tablewright.systems.kurukshetra.service.refusing import closed

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Registered:
    """A participant, sealed as stored; and whether they are one since now."""

    participant: Participant
    new: bool


class Registering:
    """Registering for an event."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def register(self, by: Caller, body: RegistrationIn) -> Registered:
        """Take part in an event, with the verified address of the sign-in. [T0]

        One transaction: the person, their answers and their lines in lists; the address and the
        user, each on condition that it is new to the event; statistics; and the mail. Who is there
        already, or sends it twice, is given as they are: a retry does no harm.
        """
        address = by.address()
        known = await self._known(by)
        if known is not None:
            return Registered(known, False)
        setup = await self._festival.events.setup_now(by.event_id)
        self._check(setup.config, address)
        required = setup.config.required_fields
        said = Said(body, setup.questions, self._festival.options.country, required)
        person = self._person(by, address, said)
        op = self._written(setup.config, person, said)
        try:
            stored, *_ = await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            return await self._refused(by, cancelled)
        self._festival.access.forget(by)
        await self._drop_draft(by)
        assert isinstance(stored, Participant)
        return Registered(stored, True)

    # --- inside ----------------------------------------------------------------------------------

    async def _known(self, by: Caller) -> Participant | None:
        """Who the user is at the event, as it is now."""
        db = self._festival.db
        link = await db.run(reads.participant_of_user(by.uid_hash, by.event_id))
        return None if link is None else await db.run(reads.participant(by.event_id, link.target))

    def _check(self, config: Config, address: str) -> None:
        now = self._festival.now()
        if not windows.is_open(config, now):
            raise closed(config, now)
        if not emails.is_allowed(address, config.allowed_domains):
            detail = "This event is for addresses of certain domains, and yours is not of them."
            raise Problem(403, "DOMAIN_NOT_ALLOWED", detail)

    def _person(self, by: Caller, address: str, said: Said) -> Participant:
        now, blind = self._festival.now(), self._festival.privacy.blind
        made = Participant.model_validate(
            {
                **said.profile(blind),
                "event_id": by.event_id,
                "participant_id": str(uuid4()),
                "email": Plain(address),
                "email_hash": blind.email(address),
                "firebase_uid": by.uid_hash,
                "created_at": now,
                "updated_at": now,
            }
        )
        return self._festival.privacy.vault.sealed(made)

    def _written(
        self, config: Config, person: Participant, said: Said
    ) -> Transaction[tuple[object, ...]]:
        moment, vault = self._festival.events.moment(config), self._festival.privacy.vault
        answers = [vault.sealed(each) for each in said.answers(person, moment.at)]
        told = self._festival.messages.welcome(config, person.participant_id)
        return together(registering.register(person, answers, moment), told)

    async def _refused(self, by: Caller, cancelled: TransactionCancelled) -> Registered:
        if refused_at(cancelled, UidLink):
            # The same user was quicker, in another tab.
            self._festival.access.forget(by)
            known = await self._known(by)
            if known is not None:
                return Registered(known, False)
        if refused_at(cancelled, EmailLock):
            raise conflict("DUPLICATE_EMAIL", "Somebody has registered with this address.")
        raise cancelled

    async def _drop_draft(self, by: Caller) -> None:
        """If there is one: to look is cheaper than to delete what is not there."""
        db = self._festival.db
        try:
            if await db.run(reads.draft(by.uid_hash, by.event_id)) is not None:
                await db.run(registering.drop_draft(by.uid_hash, by.event_id))
        except TablewrightError:
            # It ends by itself, and the registration holds.
            log.warning("a draft that was sent could not be dropped", exc_info=True)
