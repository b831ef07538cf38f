"""What volunteers do at the door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tablewright.model import together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.gathering import at_most
from tablewright.service.problems import conflict, not_found
from tablewright.systems.kurukshetra import organising, reads
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import Scan, ScanResult
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service.door.directory import Directories
from tablewright.systems.kurukshetra.service.door.scanning import (
    NonceReused,
    Passing,
    Scanning,
    correct_times,
)
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.tickets import short_codes
from tablewright.systems.kurukshetra.tickets.door import Scanned, in_order
from tablewright.systems.kurukshetra.tickets.token import issue

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: People of a batch who are looked at side by side.
_BESIDE: Final = 8
#: Of whom a volunteer is told who they are.
_NAMED: Final[frozenset[ScanResult]] = frozenset({"ok", "already_redeemed", "unpaid"})


@dataclass(frozen=True)
class Outfit:
    """What a door takes along to check tickets without a connection."""

    event_id: str
    event_name: str
    lists: tuple[str, ...]
    #: A JSON Web Key Set of public keys.
    jwks: dict[str, list[dict[str, str]]]


class Door:
    """The door: tickets are scanned."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._scanning = Scanning(festival)
        #: Who can be found at the door without a ticket.
        self.directories = Directories(festival)

    async def outfit(self, by: Caller) -> Outfit:
        """What a door needs to know before it goes offline."""
        config = await self._config(by)
        return Outfit(by.event_id, config.event_name, tuple(config.checkin_lists), self.jwks())

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """The public keys of tickets, as a JSON Web Key Set."""
        return self._festival.tickets.keys.jwks()

    async def scan(self, by: Caller, ticket: str, list_id: str, nonce: str) -> Passing:
        """Redeem one ticket, or its short code, now. The same nonce gets the same answer."""
        config = await self._config(by)
        scanned = Scanned(nonce, await self._ticket(by, ticket), list_id, self._festival.now())
        try:
            return await self._told(await self._scanning.result(by, config, scanned))
        except NonceReused:
            detail = "This nonce was used for another ticket. Scan the ticket again with a new one."
            raise conflict("NONCE_REUSED", detail) from None

    async def check_in(self, by: Caller, p: str, list_id: str, reason: str, nonce: str) -> Passing:
        """Check somebody in by hand, who was found by name and has no ticket with them."""
        config = await self._config(by)
        if not is_uuid(p) or list_id not in config.checkin_lists:
            raise not_found("participant or list")
        scanned = Scanned(nonce, reason, list_id, self._festival.now())
        try:
            return await self._told(await self._scanning.by_hand(by, config, scanned, p))
        except NonceReused:
            detail = "This nonce was used for somebody else. Try again with a new one."
            raise conflict("NONCE_REUSED", detail) from None

    async def _ticket(self, by: Caller, text: str) -> str:
        """The text of a ticket; a short code stands for the ticket that it belongs to."""
        code = short_codes.parse_code(text)
        ticket = None if code is None else await self.directories.ticket_of_code(by.event_id, code)
        return text if ticket is None else issue(ticket, self._festival.tickets.keys.current)

    async def batch(
        self, by: Caller, scans: Sequence[Scanned], sent_at: datetime | None = None
    ) -> list[Passing]:
        """Redeem what a door has scanned offline; results in the order in which it was sent.

        Each is written by itself. What is sent again after an answer was lost is answered as
        before. ``sent_at`` is what the door's clock shows now, and corrects the times of scans.
        """
        config = await self._config(by)
        queues: dict[str, list[Scanned]] = {}
        for each in in_order(correct_times(scans, config, self._festival.now(), sent_at)):
            queues.setdefault(each.text, []).append(each)
        work = (self._one_by_one(by, config, queue) for queue in queues.values())
        found = {each.nonce: each for queue in await at_most(_BESIDE, work) for each in queue}
        return [found[each.nonce] for each in scans]

    async def _one_by_one(
        self, by: Caller, config: Config, queue: Sequence[Scanned]
    ) -> list[Passing]:
        return [await self._passed(by, config, each) for each in queue]

    async def _passed(self, by: Caller, config: Config, scanned: Scanned) -> Passing:
        try:
            return await self._told(await self._scanning.result(by, config, scanned))
        except NonceReused:
            return Passing(scanned.nonce, "nonce_reused", scanned.at)

    async def undo(self, by: Caller, p: str, list_id: str) -> None:
        """A ticket that was scanned by mistake can be redeemed again.

        One transaction: the check-in, on condition that it is redeemed; the count; the audit entry.
        """
        config = await self._config(by)
        if not is_uuid(p) or list_id not in config.checkin_lists:
            raise not_found("check-in")
        now = self._festival.events.moment(config)
        subject = f"participant/{by.event_id}/{p}"
        noted = recorded(
            by.principal, "checkin.undo", subject, at=now.at, detail={"list_id": list_id}
        )
        undone = organising.undo_check_in(by.event_id, p, list_id, by.uid_hash, now)
        op = together(undone, noted)
        try:
            await settled(self._festival.db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if not refused(cancelled):
                raise
            raise conflict("NOT_REDEEMED", "The ticket is not redeemed on this list.") from None

    async def _config(self, by: Caller) -> Config:
        by.require("volunteer", "organizer")
        return await self._festival.events.config(by.event_id)

    async def _told(self, scan: Scan) -> Passing:
        """With what a volunteer may see: the name, as on an identity card, and the team."""
        told = Passing(scan.nonce, scan.result, scan.at)
        if scan.participant_id is None or scan.result not in _NAMED:
            return told
        e, p, db = scan.event_id, scan.participant_id, self._festival.db
        person = await db.run(reads.participant(e, p))
        if person is None or person.erased_at is not None:
            return told
        team = None if person.team_id is None else await db.run(reads.team(e, person.team_id))
        there = None
        if scan.result == "already_redeemed":
            there = await db.run(reads.check_in_of(e, p, scan.list_id))
        opened = self._festival.privacy.vault.opened(person)
        return Passing(
            scan.nonce,
            scan.result,
            scan.at,
            p,
            text_of(opened.first_name),
            text_of(opened.last_name),
            "" if team is None else team.name,
            None if there is None else there.at,
        )
