"""What hangs on a person, and goes with them. Each step may be repeated at any time."""

from __future__ import annotations

import asyncio
import secrets
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import Incomplete, TransactionCancelled
from tablewright.service.conflicts import RETRIES, busy, outdated, refused, settled
from tablewright.service.kit.outbox.sinks.chosen import mail_folder
from tablewright.service.kit.outbox.sinks.people import erase_mails
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import text_of

if TYPE_CHECKING:
    from tablewright.model import Op
    from tablewright.systems.kurukshetra.service.festival import Festival

BUSY = "BUSY"
#: The sweeper comes by within this after a hold is over.
_SWEPT = timedelta(seconds=30)
#: Answers that one transaction has room for, with all the rest of a person.
_ANSWERS = 80
#: Nobody waits for a seat, or holds one, in these states.
_AT_REST = ("paid", "refunded", "cancelled")


class Steps:
    """One person after the other."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._db = festival.db

    # --- the books -------------------------------------------------------------------------------

    async def payments(self, erasure: m.Erasure) -> None:
        """Payments stay, under a reference that leads to nobody."""
        person = await self._db.run(m.participant(erasure.event_id, erasure.participant_id))
        teams = {erasure.team_id, None if person is None else person.team_id} - {None}
        known = {erasure.participant_id, erasure.uid_hash, erasure.email_hash}
        for team_id in teams:
            lines = self._db.iterate(m.payments_of_team(erasure.event_id, team_id or ""))
            for line in [each async for each in lines]:
                payment = await self._db.run(m.payment(erasure.event_id, line.payment_id))
                if payment is not None and payment.payer_ref in known:
                    await self.unname(payment)

    async def unname(self, payment: m.Payment) -> None:
        """One write: a reference that is nobody's."""
        ref = secrets.token_hex(16)
        await self._db.run(m.forget_payer(payment, ref, self._festival.now()))

    async def certificates(self, erasure: m.Erasure) -> None:
        """Their names are on them: the page that checks codes does not know them any more."""
        await self._festival.certificates.erase(erasure.event_id, erasure.participant_id)

    async def mails(self, erasure: m.Erasure) -> None:
        """Copies of mails to the person, where mails are written to files, are deleted."""
        folder = mail_folder(self._festival.runtime.settings)
        person = await self._db.run(m.participant(erasure.event_id, erasure.participant_id))
        if folder is None or person is None or person.email is None:
            return
        address = text_of(self._festival.privacy.vault.opened(person).email)
        await asyncio.to_thread(erase_mails, folder, address)

    # --- the person ------------------------------------------------------------------------------

    async def empty(self, erasure: m.Erasure) -> None:
        """The row stays, with nothing in it, and the person leaves the team.

        One transaction on what was read: the row at its version, the team at its, the locks, links,
        answers and draft. Who changes one of them meanwhile has it read again. Of very many answers
        some go before, which takes a transaction of its own for each part of them.
        """
        for _ in range(RETRIES + 1):
            op = await self._emptying(erasure)
            if op is None:
                return
            try:
                await settled(self._db, lambda: op, code=BUSY)  # noqa: B023 - called at once
            except TransactionCancelled as cancelled:
                if not (refused(cancelled) or outdated(cancelled)):
                    raise
        raise busy(BUSY)

    async def _emptying(self, erasure: m.Erasure) -> Op[object] | None:
        """The write; None if there is nothing to empty any more."""
        try:
            page = await self._db.run(m.participant_page(erasure.event_id, erasure.participant_id))
        except Incomplete:
            return None
        if page.participant.erased_at is not None:
            return None
        person, now = page.participant, self._festival.now()
        if more := page.answers[_ANSWERS : 2 * _ANSWERS]:
            return m.edit_participant(person, person.phone_hash, (), now, more)
        return m.erase_participant(person, page.answers, now, await self._leaving(person))

    async def _leaving(self, person: m.Participant) -> m.Leaving | None:
        if person.team_id is None:
            return None
        page = await self._team_page(person.event_id, person.team_id)
        if page is None:
            return None
        others = [each for each in page.members if each.participant_id != person.participant_id]
        if page.team.leader_participant_id != person.participant_id or not others:
            return m.Leaving(page.team)
        earliest = min(others, key=lambda each: (each.joined_at, each.participant_id))
        return m.Leaving(page.team, earliest.participant_id)

    # --- the team --------------------------------------------------------------------------------

    async def team(self, erasure: m.Erasure) -> datetime | None:
        """A team that nobody is left in disbands; until when its seat is held, if it is."""
        for _ in range(RETRIES + 1):
            page = await self._left_alone(erasure)
            if page is None or page.team.payment_status in _AT_REST:
                return None
            if page.team.hold_expires_at is not None:
                return await self._over(page.team)
            try:
                await settled(self._db, lambda: self._ending(page), code=BUSY)  # noqa: B023
            except TransactionCancelled as cancelled:
                if not (refused(cancelled) or outdated(cancelled)):
                    raise
        raise busy(BUSY)

    def _ending(self, page: m.TeamPage) -> Op[object]:
        """Out of the queue first, then it disbands."""
        now, team = self._festival.now(), page.team
        if team.payment_status == "waitlisted":
            return m.leave_queue(team, now)
        return m.disband_team(team, page.members, page.invited, page.submission, now)

    async def _over(self, team: m.Team) -> datetime:
        config = await self._festival.events.config(team.event_id)
        assert team.hold_expires_at is not None
        end = team.hold_expires_at + timedelta(minutes=config.grace_minutes) + _SWEPT
        return max(end, self._festival.now() + _SWEPT)

    async def _left_alone(self, erasure: m.Erasure) -> m.TeamPage | None:
        """The team of a row that is empty: only who was alone has kept it."""
        person = await self._db.run(m.participant(erasure.event_id, erasure.participant_id))
        if person is None or person.team_id is None:
            return None
        return await self._team_page(erasure.event_id, person.team_id)

    async def _team_page(self, event_id: str, team_id: str) -> m.TeamPage | None:
        try:
            return await self._db.run(m.team_page(event_id, team_id))
        except Incomplete:
            return None
