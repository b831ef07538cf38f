"""What people are told while they are not looking.

Each message joins the transaction of what it tells of. It names events and ids, never people or
teams: it is stored, and goes to webhooks, as it is. Whom it is for is its ``person``. Address and
names, which stand in the mail for ``{name}``, ``{team}`` and ``{inviter}``, are looked up when it
is sent, and only then: whoever was erased gets nothing, and what a team is told goes to its leader
at that moment.

==============================  =======================================================
``participant/{e}/{p}``         one person at one event
``leader/{e}/{t}``              who leads a team when the mail is sent
``invited/{e}/{t}/{h}``         somebody who is invited, and not forgotten yet
``bulk/{e}/{p}``                one person, but the mail can wait: it is one of very many
==============================  =======================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.model import Put
from tablewright.model.errors import Incomplete
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox import message
from tablewright.service.kit.outbox.sinks.people import Recipient
from tablewright.systems.kurukshetra import reads
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.payments import Payment
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules.ids import is_uuid
from tablewright.systems.kurukshetra.service import mail_texts
from tablewright.systems.kurukshetra.service.mail_texts import Mail, RefundReason
from tablewright.systems.kurukshetra.teams import Invited, Member, Team

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

WELCOME: Final = "kurukshetra.person.registered"
INVITED: Final = "kurukshetra.team.invited"
PAID: Final = "kurukshetra.payment.confirmed"
TICKET: Final = "kurukshetra.ticket.ready"
FAILED: Final = "kurukshetra.payment.failed"
HOLD_ENDED: Final = "kurukshetra.hold.ended"
REFUNDED: Final = "kurukshetra.payment.refunded"
OFFERED: Final = "kurukshetra.seat.offered"
REMINDER: Final = "kurukshetra.reminder"
CERTIFICATE: Final = "kurukshetra.certificate.issued"
BROADCAST: Final = "kurukshetra.broadcast"


class Messages:
    """Messages to people, and where they get them."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    # --- to one person ---------------------------------------------------------------------------

    def welcome(self, config: Config, p: str) -> Put[OutboxEntry]:
        """Somebody has registered: what comes next. Joins T0."""
        return self._to_person(WELCOME, config, p, mail_texts.welcome(config))

    def certificate(self, config: Config, p: str, code: str) -> Put[OutboxEntry]:
        mail = mail_texts.certificate(code)
        return self._to_person(CERTIFICATE, config, p, mail, {"code": code})

    def broadcast(
        self, config: Config, p: str, subject: str, text: str, *, job_id: str = ""
    ) -> Put[OutboxEntry]:
        """What the organisers say to many."""
        mail = mail_texts.broadcast(config, subject, text)
        data: dict[str, JsonValue] = {"job_id": job_id} if job_id else {}
        return self._to_person(BROADCAST, config, p, mail, data, bulk=True)

    def reminder(
        self, config: Config, team: Team, hours: int, p: str | None = None
    ) -> Put[OutboxEntry]:
        """Before the start for who has paid, before registration ends for who has not.

        ``p`` is the member it is for; without one it is the leader.
        """
        starts = team.payment_status == "paid"
        mail = mail_texts.starting(config) if starts else mail_texts.closing(config)
        data: dict[str, JsonValue] = {"team_id": team.team_id, "hours": hours}
        to = p or team.leader_participant_id
        return self._to_person(REMINDER, config, to, mail, data, bulk=True)

    def invitation(self, config: Config, team: Team, invited: Invited) -> Put[OutboxEntry]:
        """Without the code, which would be the same as a seat in the team: the address counts."""
        where = f"{team.event_id}/{team.team_id}/{invited.email_hash}"
        mail = mail_texts.invitation(config, team.team_id)
        data: dict[str, JsonValue] = {"team_id": team.team_id}
        return self._message(INVITED, config, f"invited/{where}", mail, data)

    # --- to who leads a team ---------------------------------------------------------------------

    def confirmation(self, config: Config, team: Team, payment: Payment) -> Put[OutboxEntry]:
        """The team is paid. Joins T4."""
        mail = mail_texts.confirmation(config, payment)
        return self._to_leader(PAID, config, team, mail, _paid(payment, payment.amount))

    def tickets(
        self, config: Config, team: Team, members: Iterable[Member]
    ) -> list[Put[OutboxEntry]]:
        """Tell the members of a paid team where their tickets are. Joins the capture.

        The leader is left out: the confirmation links to the leader's own ticket.
        """
        mail = mail_texts.ticket(config)
        data: dict[str, JsonValue] = {"team_id": team.team_id}
        return [
            self._to_person(TICKET, config, each.participant_id, mail, data)
            for each in members
            if each.participant_id != team.leader_participant_id
        ]

    def hold_ended(self, config: Config, team: Team) -> Put[OutboxEntry]:
        """Tell a team that its seat is no longer held, and how to pay again. Joins T5."""
        mail = mail_texts.hold_ended(
            config, self._festival.now(), offered=team.payment_status == "offered"
        )
        return self._to_leader(HOLD_ENDED, config, team, mail, {})

    def payment_failed(self, config: Config, team: Team, payment: Payment) -> Put[OutboxEntry]:
        mail = mail_texts.payment_failed(config, payment)
        return self._to_leader(FAILED, config, team, mail, _paid(payment, payment.amount))

    def refund(
        self,
        config: Config,
        team: Team,
        payment: Payment,
        amount: int,
        why: RefundReason = "organizer",
    ) -> Put[OutboxEntry]:
        """Money goes back; ``why`` is the refund's origin, not what somebody has written."""
        mail = mail_texts.refund(config, payment, amount, why)
        data = {**_paid(payment, amount), "origin": why}
        return self._to_leader(REFUNDED, config, team, mail, data)

    def offer(self, config: Config, team: Team, until: datetime) -> Put[OutboxEntry]:
        """A seat for a team that waited. Joins T6."""
        mail = mail_texts.offer(config, until)
        data: dict[str, JsonValue] = {"until": f"{until:%Y-%m-%dT%H:%M:%SZ}"}
        return self._to_leader(OFFERED, config, team, mail, data)

    # --- where mails go --------------------------------------------------------------------------

    async def address_of(self, person: str) -> Recipient | None:
        """Find who gets a mail now, with the names in it; None if they are gone.

        Counts the mail as one of the day's. When there have been enough, the message is put off.
        """
        kind, *ids = person.split("/")
        recipient = await self._recipient(kind, ids)
        if recipient is None:
            return None
        await self._festival.mailing.allow_one(bulk=kind == "bulk")
        config = await self._festival.events.config(ids[0])
        return replace(recipient, reply_to=config.contact_email)

    async def _recipient(self, kind: str, ids: list[str]) -> Recipient | None:
        if kind == "invited" and len(ids) == 3:
            return await self._of_invited(*ids)
        if kind not in ("participant", "bulk", "leader") or len(ids) != 2 or not is_uuid(ids[1]):
            return None
        event_id, one = ids
        if kind == "leader":
            team = await self._festival.db.run(reads.team(event_id, one))
            if team is None:
                return None
            one = team.leader_participant_id
        return await self._of_person(event_id, one)

    async def _of_person(self, event_id: str, p: str) -> Recipient | None:
        found = await self._festival.db.run(reads.participant(event_id, p))
        if found is None or found.email is None:
            return None
        opened = self._festival.privacy.vault.opened(found)
        team = None
        if found.team_id is not None:
            team = await self._festival.db.run(reads.team(event_id, found.team_id))
        names = {
            "name": text_of(opened.first_name),
            "team": "your team" if team is None else team.name,
        }
        return Recipient(text_of(opened.email), names)

    async def _name_of(self, event_id: str, p: str) -> str:
        found = await self._festival.db.run(reads.participant(event_id, p))
        if found is None or found.erased_at is not None:
            return "Your team leader"
        opened = self._festival.privacy.vault.opened(found)
        return f"{text_of(opened.first_name)} {text_of(opened.last_name)}".strip()

    async def _of_invited(self, event_id: str, t: str, email_hash: str) -> Recipient | None:
        if not is_uuid(t):
            return None
        try:
            page = await self._festival.db.run(reads.team_page(event_id, t))
        except Incomplete:
            return None
        for each in page.invited:
            if each.email_hash == email_hash:
                inviter = await self._name_of(event_id, page.team.leader_participant_id)
                address = text_of(self._festival.privacy.vault.opened(each).email)
                return Recipient(address, {"inviter": inviter, "team": page.team.name})
        return None

    # --- how -------------------------------------------------------------------------------------

    def _to_person(
        self,
        kind: str,
        config: Config,
        p: str,
        mail: Mail,
        data: Mapping[str, JsonValue] | None = None,
        *,
        bulk: bool = False,
    ) -> Put[OutboxEntry]:
        person = f"{'bulk' if bulk else 'participant'}/{config.event_id}/{p}"
        return self._message(kind, config, person, mail, {"participant_id": p, **(data or {})})

    def _to_leader(
        self, kind: str, config: Config, team: Team, mail: Mail, data: Mapping[str, JsonValue]
    ) -> Put[OutboxEntry]:
        person = f"leader/{config.event_id}/{team.team_id}"
        return self._message(kind, config, person, mail, {"team_id": team.team_id, **data})

    def _message(
        self, kind: str, config: Config, person: str, mail: Mail, data: Mapping[str, JsonValue]
    ) -> Put[OutboxEntry]:
        """What one person or team is told leaves in its order, and holds up nobody else."""
        link = f"{self._festival.runtime.settings.url}/kurukshetra{mail.page}"
        body: dict[str, JsonValue] = {
            "person": person,
            "title": f"{config.event_name}: {mail.title}",
            "text": f"{config.event_name}\n\n{mail.title}\n\n{mail.text}\n\n{link}\n",
            "url": link,
            "event_id": config.event_id,
            "event": config.event_name,
            **data,
        }
        return message(kind, person, body, at=self._festival.now())


def _paid(payment: Payment, amount: int) -> dict[str, JsonValue]:
    return {"payment_id": payment.payment_id, "amount": amount, "currency": payment.currency}
