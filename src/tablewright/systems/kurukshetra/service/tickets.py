"""Tickets: what people show at the door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.model import Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import busy, outdated, settled
from tablewright.service.keys import SigningKeys
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import conflict, not_found
from tablewright.systems.kurukshetra import reads, registering
from tablewright.systems.kurukshetra.people import Participant
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.teams import Team
from tablewright.systems.kurukshetra.tickets import qr
from tablewright.systems.kurukshetra.tickets.token import KEYS, Ticket, TicketReader, issue

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

_ATTEMPTS = 8


@dataclass(frozen=True)
class Issued:
    """A ticket, as its holder sees it."""

    text: str
    version: int
    event_name: str
    first_name: str
    last_name: str
    #: To be said or typed at the door.
    short_code: str
    team: Team

    @property
    def svg(self) -> str:
        """Its QR code, to be shown as it is."""
        return qr.svg(self.text, "Your ticket")


class Tickets:
    """Tickets: one for each member of a team that has paid."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    @property
    def keys(self) -> SigningKeys:
        return self._festival.keys.signing(KEYS)

    def reader(self) -> TicketReader:
        """Checks tickets, with the keys that there are now."""
        return TicketReader.of_jwks(self.keys.jwks())

    async def ticket(self, by: Caller) -> Issued:
        """The caller's own; 409 ``NOT_PAID`` before the team has paid."""
        return await self._issued(await self._person(by.event_id, by.participant()))

    async def renew(self, by: Caller) -> Issued:
        """A new one for somebody who has lost theirs; those before are worthless."""
        return await self._issued(await self._raise(by, by.participant()))

    async def revoke(self, by: Caller, p: str) -> None:
        """Somebody's tickets are worthless; they get another one when they ask for it."""
        by.require("organizer")
        await self._raise(by, p)

    async def _raise(self, by: Caller, p: str) -> Participant:
        for _ in range(_ATTEMPTS):
            if await self._raised(by, await self._person(by.event_id, p)):
                return await self._person(by.event_id, p)
        raise busy("BUSY")

    async def _raised(self, by: Caller, person: Participant) -> bool:
        """One transaction: the higher version, on condition that the person is as was read, and the
        audit entry, if it is somebody else's ticket. False if somebody was faster."""
        now = self._festival.now()
        op = together(registering.revoke_tickets(person, now), *_noted(by, person, now))
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if not outdated(cancelled):
                raise
            return False
        return True

    async def _person(self, e: str, p: str) -> Participant:
        found = None
        if is_uuid(p):
            found = await self._festival.db.run(reads.participant(e, p))
        if found is None or found.erased_at is not None:
            raise not_found("participant")
        return found

    async def _issued(self, person: Participant) -> Issued:
        config = await self._festival.events.config(person.event_id)
        team = None
        if person.team_id is not None:
            team = await self._festival.db.run(reads.team(person.event_id, person.team_id))
        if team is None or team.payment_status != "paid":
            raise conflict("NOT_PAID", "There are tickets as soon as your team has paid.")
        ticket = Ticket(person.event_id, person.participant_id, person.ticket_version)
        opened = self._festival.privacy.vault.opened(person)
        return Issued(
            text=issue(ticket, self.keys.current),
            version=person.ticket_version,
            event_name=config.event_name,
            first_name=text_of(opened.first_name),
            last_name=text_of(opened.last_name),
            short_code=self._festival.door.directories.code_of(ticket),
            team=team,
        )


def _noted(by: Caller, person: Participant, at: datetime) -> tuple[Put[AuditEntry], ...]:
    """Nothing for oneself: the log would say who signs in as whom, longer than they are here."""
    if by.participant_id == person.participant_id:
        return ()
    subject = f"participant/{by.event_id}/{person.participant_id}"
    return (recorded(by.principal, "ticket.revoke", subject, at=at),)
