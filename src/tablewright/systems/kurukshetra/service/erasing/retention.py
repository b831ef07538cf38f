"""Everybody at an event, when it was over long enough ago; and what only a look at all can find.

Nothing is remembered but what is stored: who is still listed says what there is to do. So it may be
stopped and run again at any time, and after a restore it does by itself what it had done before.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, get_args

from tablewright.service.auth.principal import system_principal
from tablewright.service.in_turn import in_turn
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.base import SHARDS
from tablewright.systems.kurukshetra.fields import TeamStatus
from tablewright.systems.kurukshetra.rules.retention import people_due
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

STATUSES: tuple[TeamStatus, ...] = get_args(TeamStatus)


class Retention:
    """Events that are long over."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._by = system_principal("kurukshetra", "retention")

    async def run(self) -> int:
        """Forget who is to be forgotten by now; how many people that were."""
        events = [each async for each in self._festival.db.iterate(m.events())]
        forgotten = sum(await in_turn(events, self._event, lambda each: f"event/{each.event_id}"))
        await self.sweep()
        return forgotten

    async def _event(self, event: m.Event) -> int:
        config = await self._festival.db.run(m.config(event.event_id))
        if config is None or not people_due(config, self._festival.now()):
            return 0
        forgotten = await self._people(config.event_id)
        await self._repositories(config.event_id)
        await self._festival.erasing.archive.keep(config)
        if forgotten:
            detail = {"people": forgotten}
            subject, now = f"event/{config.event_id}", self._festival.now()
            noted = recorded(self._by, "event.retention", subject, at=now, detail=detail)
            await self._festival.db.run(noted)
        return forgotten

    async def _people(self, event_id: str) -> int:
        """Everybody who is listed, one after the other: two of a team would be in each other's way.

        No line of the journal is written: what time alone decides is decided again by itself.
        """
        forgotten = 0
        async for person in self._listed(event_id):
            erasing = self._festival.erasing
            await erasing.go_on(await erasing.begin(person))
            forgotten += 1
        return forgotten

    async def _listed(self, event_id: str) -> AsyncIterator[m.Participant]:
        for shard in range(SHARDS):
            async for link in self._festival.db.iterate(m.people(event_id, shard)):
                person = await self._festival.db.run(m.participant(event_id, link.participant_id))
                if person is not None and person.erased_at is None:
                    yield person

    async def _repositories(self, event_id: str) -> None:
        db = self._festival.db
        for status in STATUSES:
            async for line in db.iterate(m.teams_by_status(event_id, status)):
                submission = await db.run(m.submission(event_id, line.team_id))
                if submission is not None:
                    await db.run(m.forget_repository(submission))

    # --- what keys do not lead to ----------------------------------------------------------------

    async def sweep(self) -> int:
        """Take away what only a look at all can find; how many erasures that ends.

        An invitation lies with its team, and a payment with the team it was made for, even if the
        payer has left it: all are looked at at once, and only if somebody was erased. What was
        written later is somebody's new doing.
        """
        db = self._festival.db
        gone = [each async for each in db.iterate(m.erasures()) if each.gone]
        if gone:
            await self._invitations({each.email_hash: each for each in gone})
            await self._payers({(each.event_id, each.uid_hash): each for each in gone})
        for each in gone:
            await db.run(m.end_erasure(each))
        return len(gone)

    async def _invitations(self, wanted: Mapping[str | None, m.Erasure]) -> None:
        db = self._festival.db
        async for invited in db.iterate(m.every_invited()):
            erasure = wanted.get(invited.email_hash)
            if erasure is not None and invited.updated_at <= erasure.created_at:
                op = m.withdraw_invitation(invited.event_id, invited.team_id, invited.email_hash)
                await db.run(op)

    async def _payers(self, wanted: Mapping[tuple[str, str | None], m.Erasure]) -> None:
        async for payment in self._festival.db.iterate(m.every_payment()):
            erasure = wanted.get((payment.event_id, payment.payer_ref))
            if erasure is not None and payment.created_at <= erasure.created_at:
                await self._festival.erasing.steps.unname(payment)
