"""One scan, as transactions.

The same nonce hears the same, however often it is sent. Of all scans of one person on one list the
earliest counts, whenever it arrives: a door that was offline may tell of one that was made before
the scan that redeemed the ticket. Then that one has found a ticket that was redeemed already, and
its nonce says so from then on. So whatever order scans arrive in, one of them is ok in the end, and
always the same one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tablewright.model import Op, Put, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import busy, refused_at, settled
from tablewright.service.conflicts import refused as was_refused
from tablewright.service.kit.entities import AuditEntry
from tablewright.systems.kurukshetra import organising, reads
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.people import CheckIn, Participant, Scan, ScanResult
from tablewright.systems.kurukshetra.rules.local_time import moment_of
from tablewright.systems.kurukshetra.rules.retention import SCAN
from tablewright.systems.kurukshetra.service.noting import recorded
from tablewright.systems.kurukshetra.teams import Team
from tablewright.systems.kurukshetra.tickets.door import Scanned, is_current, refused
from tablewright.systems.kurukshetra.tickets.token import Ticket

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

#: A door that was offline has scanned nothing longer before the event, or before it sends.
_EARLIEST_SCAN: Final = timedelta(days=1)
#: A difference of clocks that is no more than the time a request takes.
_TRANSFER: Final = timedelta(seconds=10)
#: How often it is looked at anew when others are at the same ticket.
_ATTEMPTS: Final = 8


class NonceReused(Exception):
    """A nonce came again with another ticket or list: its answer is about somebody else."""


#: What a scan is answered; the last is not stored, since nothing was scanned under the nonce.
PassingResult: TypeAlias = ScanResult | Literal["nonce_reused"]


@dataclass(frozen=True)
class Passing:
    """What a scan says."""

    nonce: str
    result: PassingResult
    #: When the scan was made.
    at: datetime
    participant_id: str | None = None
    #: What a volunteer may see, of a ticket that is the person's own.
    first_name: str = ""
    last_name: str = ""
    team: str = ""
    #: When the ticket was redeemed, if another scan did it.
    redeemed_at: datetime | None = None


@dataclass(frozen=True)
class Try:
    """A scan that is being looked at."""

    by: Caller
    config: Config
    scanned: Scanned
    ticket: Ticket
    #: When it arrived.
    now: datetime
    #: What is written with it besides: the audit entry of a check-in by hand.
    notes: tuple[Put[AuditEntry], ...] = ()

    def scan(self, result: ScanResult) -> Scan:
        p = self.ticket.participant_id
        return stored_scan(self.by, self.scanned, result, p, self.now)

    def checkin(self) -> CheckIn:
        return CheckIn(
            event_id=self.by.event_id,
            participant_id=self.ticket.participant_id,
            list_id=self.scanned.list_id,
            at=self.scanned.at,
            by=self.by.uid_hash,
            nonce=self.scanned.nonce,
            created_at=self.now,
        )


class Scanning:
    """Looks at tickets, and remembers what it said."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._db = festival.db

    async def result(self, by: Caller, config: Config, scanned: Scanned) -> Scan:
        """Redeem a ticket, and store the answer, so that its nonce gets the same again.

        Raises :class:`NonceReused` for a nonce that has named somebody else.
        """
        ticket = self._festival.tickets.reader().read(scanned.text)
        known = await self._db.run(reads.scan_result(by.event_id, scanned.nonce))
        if known is not None:
            return _same_scan(known, scanned, ticket)
        now = self._festival.now()
        why = refused(ticket, by.event_id, scanned.list_id, config.checkin_lists)
        if why is not None or ticket is None:
            return await self._noted(stored_scan(by, scanned, why or "invalid", None, now))
        return await self._looked_at(Try(by, config, scanned, ticket, now))

    async def by_hand(self, by: Caller, config: Config, scanned: Scanned, p: str) -> Scan:
        """Check somebody in who has no ticket with them; ``scanned.text`` is the reason.

        The transaction is that of a scan, with an audit entry.
        """
        known = await self._db.run(reads.scan_result(by.event_id, scanned.nonce))
        person = await self._db.run(reads.participant(by.event_id, p))
        ticket = Ticket(by.event_id, p, 1 if person is None else person.ticket_version)
        if known is not None:
            return _same_scan(known, scanned, ticket)
        now = self._festival.now()
        detail = {"list_id": scanned.list_id, "reason": scanned.text}
        subject = f"participant/{by.event_id}/{p}"
        noted = recorded(by.principal, "checkin.manual", subject, at=now, detail=detail)
        return await self._looked_at(Try(by, config, scanned, ticket, now, (noted,)))

    async def _looked_at(self, this: Try) -> Scan:
        """A ticket that is one of ours; looked at again if something changes meanwhile."""
        e, p = this.by.event_id, this.ticket.participant_id
        for _ in range(_ATTEMPTS):
            person = await self._db.run(reads.participant(e, p))
            if not _holds(this.ticket, person):
                return await self._noted(this.scan("revoked"))
            if person is None or person.team_id is None:
                return await self._noted(this.scan("unpaid"))
            found = await self._redeemed(this, person.team_id)
            if found is not None:
                return found
        raise busy("BUSY")

    async def _redeemed(self, this: Try, team_id: str) -> Scan | None:
        """Redeem the ticket; None if it has to be looked at again.

        One transaction: the scan's nonce, which is new; the check-in, which is new or undone; on
        condition that the team has paid, and that the ticket is still this member's; the count.
        """
        scan, now = this.scan("ok"), moment_of(this.scanned.at, this.config.zone)
        version = this.ticket.version
        op = organising.check_in(scan, this.checkin(), team_id, version, now)
        cancelled = await self._tried(together(op, *this.notes))
        if cancelled is None:
            return scan
        if refused_at(cancelled, CheckIn) and not refused_at(cancelled, Team):
            return await self._second(this, team_id)
        return await self._refusal(this, cancelled)

    async def _second(self, this: Try, team_id: str) -> Scan | None:
        """The ticket was redeemed by another scan, which may have been a later one."""
        e, p, scanned = this.by.event_id, this.ticket.participant_id, this.scanned
        there = await self._db.run(reads.check_in_of(e, p, scanned.list_id))
        if there is None or there.state == "undone":
            return None
        if there.nonce == scanned.nonce:
            # Its answer was lost, or is forgotten by now.
            return await self._noted(this.scan("ok"))
        # In the same second who came first stays: that volunteer was told so already.
        if scanned.at >= there.at:
            return await self._noted(this.scan("already_redeemed"))
        return await self._earlier(this, team_id, there)

    async def _earlier(self, this: Try, team_id: str, later: CheckIn) -> Scan | None:
        """This scan counts, and the one that redeemed the ticket does not.

        One transaction: the nonce, which is new; the check-in, which has to be the one that was
        read; the conditions of every scan; and what the other scan says, if it is still known.
        """
        lost = await self._db.run(reads.scan_result(later.event_id, later.nonce or "none"))
        lost = lost if lost is not None and lost.result == "ok" else None
        scan, version = this.scan("ok"), this.ticket.version
        op = organising.check_in_earlier(scan, this.checkin(), team_id, version, later, lost)
        cancelled = await self._tried(op)
        return scan if cancelled is None else await self._refusal(this, cancelled)

    async def _refusal(self, this: Try, cancelled: TransactionCancelled) -> Scan | None:
        if refused_at(cancelled, Scan):
            # Sent twice at once: the other one has the answer. None if it was the lost scan.
            known = await self._db.run(reads.scan_result(this.by.event_id, this.scanned.nonce))
            return None if known is None else _same_scan(known, this.scanned, this.ticket)
        if refused_at(cancelled, Team) and not refused_at(cancelled, Participant):
            return await self._noted(this.scan("unpaid"))
        return None

    async def _tried(self, op: Op[object]) -> TransactionCancelled | None:
        try:
            await settled(self._db, lambda: op, code="BUSY")
        except TransactionCancelled as cancelled:
            if not was_refused(cancelled):
                raise
            return cancelled
        return None

    async def _noted(self, scan: Scan) -> Scan:
        """A scan that redeems nothing: its nonce, which is new; else what it said before."""
        try:
            await self._db.run(organising.note_scan(scan))
        except ConditionFailed:
            known = await self._db.run(reads.scan_result(scan.event_id, scan.nonce))
            return scan if known is None else known
        return scan


def _same_scan(known: Scan, scanned: Scanned, ticket: Ticket | None) -> Scan:
    """The stored answer of a nonce, if it is about this ticket and list."""
    person = None if ticket is None else ticket.participant_id
    if known.participant_id is None:
        return known
    if (known.participant_id, known.list_id) != (person, scanned.list_id):
        raise NonceReused
    return known


def _holds(ticket: Ticket, person: Participant | None) -> bool:
    if person is None or person.erased_at is not None:
        return False
    return is_current(ticket, person.ticket_version)


def stored_scan(
    by: Caller, scanned: Scanned, result: ScanResult, p: str | None, now: datetime
) -> Scan:
    return Scan(
        event_id=by.event_id,
        nonce=scanned.nonce,
        list_id=scanned.list_id,
        participant_id=p,
        result=result,
        at=scanned.at,
        by=by.uid_hash,
        ttl=now + SCAN,
        created_at=now,
    )


def correct_times(
    scans: Sequence[Scanned], config: Config, received_at: datetime, sent_at: datetime | None
) -> list[Scanned]:
    """The scans with times that can be true, since the earliest scan of a ticket counts.

    A door tells by ``sent_at`` what its clock shows when it sends: all times are moved by the
    difference. What is then later than now, or before the day that precedes the event and this
    moment, comes from a clock that was set wrong: such a scan counts from when it arrived.
    """
    offset = timedelta() if sent_at is None else received_at - sent_at
    earliest = min(config.event_start, received_at) - _EARLIEST_SCAN

    def corrected(scan: Scanned) -> Scanned:
        try:
            at = scan.at + offset if abs(offset) > _TRANSFER else scan.at
        except OverflowError:
            at = received_at
        return replace(scan, at=at if earliest <= at <= received_at else received_at)

    return [corrected(each) for each in scans]
