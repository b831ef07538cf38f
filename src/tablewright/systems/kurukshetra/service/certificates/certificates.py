"""What organisers, participants and everybody do with certificates."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Final, get_args

from pydantic import JsonValue

from tablewright.model import together
from tablewright.service.conflicts import settled
from tablewright.service.problems import FieldError, conflict, invalid, not_found
from tablewright.service.typesetting import CannotPrint
from tablewright.systems.kurukshetra import organising, reads
from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.certificates.press import Kind, Press, Printed
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.people import Certificate
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.rules.local_time import local_day
from tablewright.systems.kurukshetra.service.certificates.issuing import Issuing, Order
from tablewright.systems.kurukshetra.service.jobs import Going
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.callers import Caller
    from tablewright.systems.kurukshetra.service.festival import Festival

JOB: Final = "certificates"
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)


@dataclass(frozen=True)
class CheckedCertificate:
    """What a code stands for. The name is the one that is printed: its holder shows both."""

    code: str
    event_id: str
    event_name: str
    kind: Kind
    name: str
    starts: date
    ends: date
    issued: date


class Certificates:
    """Certificates, for who was there."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._issuing = Issuing(festival)
        festival.jobs.handle(JOB, self._issue)

    def code_of(self, e: str, p: str, kind: Kind) -> str:
        """The code of a certificate, whether it is issued or not."""
        return codes.of(self._festival.keys.secret(codes.KEY), e, p, kind)

    def codes_of(self, e: str, p: str) -> tuple[str, ...]:
        """All codes that somebody's certificates can have: what is erased with them."""
        return tuple(self.code_of(e, p, kind) for kind in KINDS)

    # --- issuing ---------------------------------------------------------------------------------

    async def issue(
        self,
        by: Caller,
        kind: Kind,
        list_id: str,
        participants: Sequence[str] | None = None,
        *,
        check_only: bool = False,
    ) -> Job:
        """A job: one for each of the participants, or of all, who passed a list of the door.

        ``completion`` for all is for teams with a repository; winners have to be named. A name that
        no font has gets no certificate, and the job says whose it is. With ``check_only`` nothing
        is issued: the job tells beforehand who would get one.
        """
        by.require("organizer")
        config = await self._festival.events.config(by.event_id)
        if list_id not in config.checkin_lists:
            raise invalid(FieldError("body.list_id", "is no list of the door"))
        if kind == "winner" and participants is None:
            raise invalid(FieldError("body.participants", "has to name the winners"))
        people: JsonValue = None if participants is None else list(dict.fromkeys(participants))
        if not await asyncio.to_thread(self._press.can_print, config.event_name):
            detail = "No font has all letters of the event's name: certificates cannot be printed."
            raise conflict("CANNOT_PRINT", detail)
        wanted = {"kind": kind, "list_id": list_id, "participants": people}
        if check_only:
            wanted["check_only"] = True
        return await self._festival.jobs.start(by, JOB, wanted)

    async def _issue(self, going: Going) -> Mapping[str, JsonValue]:
        e, detail = going.job.event_id, going.job.detail
        config = await self._festival.events.config(e)
        kind = next(each for each in KINDS if each == detail["kind"])
        given = detail.get("participants")
        people = tuple(map(str, given)) if isinstance(given, list) else None
        check_only = detail.get("check_only") is True
        order = Order(config, kind, str(detail["list_id"]), people, check_only)
        return await self._issuing.run(going, order)

    async def can_print(self, name: str) -> bool:
        """Whether a name can be printed."""
        return await asyncio.to_thread(self._press.can_print, name)

    async def names_of(self, by: Caller, ids: Sequence[str]) -> list[str]:
        """The names of people whom a job has found, for who runs the event."""
        by.require("organizer")
        rows = await self._festival.lists.rows.of(by.event_id, ids, masked=False)
        names = (
            (text_of(row.participant.first_name), text_of(row.participant.last_name))
            for row in rows
        )
        return [" ".join(each).strip() for each in names]

    async def withdraw(self, by: Caller, code: str) -> None:
        """A certificate of the caller's event was a mistake: nobody knows its code any more.

        One transaction: the certificate, and the audit entry.
        """
        by.require("organizer")
        found = await self._found(code)
        if found.event_id != by.event_id:
            raise not_found("certificate")
        now = self._festival.now()
        subject = f"participant/{by.event_id}/{found.participant_id}"
        detail = {"kind": found.kind}
        noted = recorded(by.principal, "certificate.withdraw", subject, at=now, detail=detail)
        op = together(organising.erase_certificate(found.code), noted)
        await settled(self._festival.db, lambda: op, code="BUSY")

    async def erase(self, e: str, p: str) -> None:
        """Those of somebody who is to be forgotten: each a write, which may be repeated."""
        own = await self._festival.db.run(reads.certificates(self.codes_of(e, p)))
        for each in own:
            if each is not None:
                await self._festival.db.run(organising.erase_certificate(each.code))

    # --- looking at them -------------------------------------------------------------------------

    async def mine(self, by: Caller) -> list[CheckedCertificate]:
        """The caller's own at one event."""
        return await self.of(by.event_id, by.participant())

    async def of(self, e: str, p: str) -> list[CheckedCertificate]:
        """Those that a participant has."""
        found = await self._festival.db.run(reads.certificates(self.codes_of(e, p)))
        config = await self._festival.events.config(e)
        return [self._checked(each, config) for each in found if each is not None]

    async def check(self, code: str) -> CheckedCertificate:
        """What a code stands for; 404 if for nothing. For everybody: who has the code was shown
        the certificate."""
        found = await self._found(code)
        return self._checked(found, await self._festival.events.config(found.event_id))

    async def pdf(self, code: str) -> bytes:
        """The certificate to print; 409 ``CANNOT_PRINT`` if no font has the letters of its name."""
        checked = await self.check(code)
        printed = Printed(
            name=checked.name,
            event=checked.event_name,
            kind=checked.kind,
            code=checked.code,
            starts=checked.starts,
            ends=checked.ends,
            issued=checked.issued,
            address=self.address(checked.code),
        )
        try:
            return await asyncio.to_thread(lambda: self._press.pdf(printed))
        except CannotPrint as error:
            raise conflict("CANNOT_PRINT", f"It cannot be printed: {error}.") from None

    def address(self, code: str) -> str:
        """The page where everybody can check it."""
        return f"{self._festival.runtime.settings.url}/kurukshetra/certificates/{code}"

    @cached_property
    def _press(self) -> Press:
        return Press(self._festival.options.certificate_fonts)

    async def _found(self, code: str) -> Certificate:
        try:
            parsed = codes.parse(code)
        except BadCode:
            raise not_found("certificate") from None
        found = await self._festival.db.run(reads.certificate(parsed))
        if found is None:
            raise not_found("certificate")
        return found

    def _checked(self, certificate: Certificate, config: Config) -> CheckedCertificate:
        return CheckedCertificate(
            code=certificate.code,
            event_id=config.event_id,
            event_name=config.event_name,
            kind=certificate.kind,
            name=text_of(self._festival.privacy.vault.opened(certificate).name),
            starts=local_day(config.event_start, config.zone),
            ends=local_day(config.event_end, config.zone),
            issued=local_day(certificate.created_at, config.zone),
        )
