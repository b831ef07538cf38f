"""One person at one event, forgotten step by step.

1. A line of the journal, and an :class:`Erasure` with the audit entry: from here on it will be
   done, whoever dies.
2. Payments that name the payer get a reference that leads to nobody; certificates go, and copies of
   mails that lie in files.
3. One transaction: the row is emptied, its locks, links, answers and draft go, and the person
   leaves the team, whose earliest member leads it from then on.
4. A team that nobody is left in gives up its place in the queue and disbands, unless it has paid;
   while it holds a seat, that has to end first.
5. Invitations to other teams, and payments for teams they had left, are looked for by the retention
   worker, for everybody together, which then takes the erasure away.

Every step may be done twice. Payments, refunds, statistics and the audit log stay.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.model import together
from tablewright.model.errors import ConditionFailed, KeyValueError, NotFound, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.in_turn import in_turn
from tablewright.service.kit.audit import Actor
from tablewright.service.problems import forbidden, not_found
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.erasing.archive import Archive
from tablewright.systems.kurukshetra.service.erasing.journal import ACTION, Journal, Who
from tablewright.systems.kurukshetra.service.erasing.retention import Retention
from tablewright.systems.kurukshetra.service.erasing.steps import Steps
from tablewright.systems.kurukshetra.service.noting import recorded

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

BUSY = "BUSY"


@dataclass(frozen=True)
class Myself:
    """Somebody who erases themselves: the log keeps who it was here, not who signs in."""

    id: str
    kind: str = "participant"


@dataclass(frozen=True)
class Replayed:
    """What a restore had brought back."""

    #: Lines of the journal, and how many of those people were there again.
    known: int = 0
    erased: int = 0


class Erasing:
    """People who are forgotten, and when."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self.journal = Journal(festival)
        self.steps = Steps(festival)
        self.archive = Archive(festival)
        self.retention = Retention(festival)

    # --- asking for it ---------------------------------------------------------------------------

    async def erase(self, by: Caller, participant_id: str) -> None:
        """Forget somebody at the event: themselves, or as its organiser.

        One transaction begins it: the erasure, on condition that the person is there; the audit
        entry. To ask again is no mistake.
        """
        _allowed(by, participant_id)
        who = Who(by.event_id, participant_id)
        person = await self._person(who)
        if person is None:
            raise not_found("participant")
        own = by.participant_id == participant_id
        await self._forget(Myself(who.subject) if own else by.principal, person)
        self._festival.access.forget_event(by.event_id)

    async def erase_me(self, by: Caller) -> int:
        """Forget a signed-in user: at all events, with drafts and roles; at how many they were.

        All are begun before the first is gone on with, so that what was asked for is done.
        """
        hashes, people = self._festival.access.hashes_of(by), await self._people(by)
        begun = [await self._begin(Myself(_who(each).subject), each) for each in people]
        for each in hashes:
            await self._loose_ends(each)
        await in_turn(begun, self.go_on, _named)
        for person in people:
            self._festival.access.forget_event(person.event_id)
        return len(people)

    async def _people(self, by: Caller) -> list[m.Participant]:
        """Who a user is at all events, and who registered there with the address."""
        found: set[Who] = set()
        for each in self._festival.access.hashes_of(by):
            me = await self._festival.db.run(m.me(each))
            found.update(Who(link.event_id, link.target) for link in me.links)
        for each in self._festival.access.hashes_of(by)[1:]:
            async for row in self._festival.db.iterate(m.registrations_of_email(each)):
                found.add(Who(row.event_id, row.participant_id))
        people = [await self._person(who) for who in sorted(found)]
        return [each for each in people if each is not None]

    async def _loose_ends(self, uid_hash: str) -> None:
        """Drafts, and roles with what they were given to: each a write of its own."""
        db = self._festival.db
        me = await db.run(m.me(uid_hash))
        for draft in me.drafts:
            await db.run(m.drop_draft(uid_hash, draft.event_id))
        for role in me.roles:
            await db.run(m.revoke_roles(uid_hash, role.event_id))
            self._festival.access.forget_event(role.event_id)

    async def forget(self, actor: Actor, who: Who) -> bool:
        """The same for who needs no rights; whether the person was there."""
        person = await self._person(who)
        if person is None or person.erased_at is not None:
            return False
        await self._forget(actor, person)
        return True

    async def replay(self, actor: Actor) -> Replayed:
        """Erase everybody again whom a restore of the table has brought back."""
        known = erased = 0
        async for who in self.journal.all():
            known += 1
            erased += await self.forget(actor, who)
        await self.work()
        return Replayed(known, erased)

    # --- doing it --------------------------------------------------------------------------------

    async def work(self) -> int:
        """Go on with what is to be erased and was left, or had to wait; how many are done."""
        now = self._festival.now()
        due = [each async for each in self._begun() if each.resume_at <= now and not each.gone]
        return sum(await in_turn(due, self.go_on, _named))

    async def go_on(self, erasure: m.Erasure) -> bool:
        """Every step, from the first; whether nothing is left that keys lead to."""
        db, now = self._festival.db, self._festival.now()
        await self.steps.payments(erasure)
        await self.steps.certificates(erasure)
        await self.steps.mails(erasure)
        await self.steps.empty(erasure)
        held_until = await self.steps.team(erasure)
        if held_until is not None:
            with suppress(ConditionFailed, NotFound):
                await db.run(m.put_off_erasure(erasure, held_until, now))
            return False
        # Another process may have been at its end before.
        with suppress(ConditionFailed, NotFound):
            await db.run(m.nearly_erased(erasure, now))
        return True

    async def begin(self, person: m.Participant) -> m.Erasure:
        """What is to be done for somebody, without a word in the log. One transaction."""
        return await self._begin(None, person)

    async def _forget(self, actor: Actor, person: m.Participant) -> None:
        if person.erased_at is None:
            await self.go_on(await self._begin(actor, person))
            return
        # It was begun before, and perhaps not ended.
        async for erasure in self._begun():
            if _who(erasure) == _who(person) and not erasure.gone:
                await self.go_on(erasure)

    async def _begin(self, actor: Actor | None, person: m.Participant) -> m.Erasure:
        now, who = self._festival.now(), _who(person)
        erasure = m.Erasure(
            event_id=who.event_id,
            participant_id=who.participant_id,
            email_hash=person.email_hash,
            uid_hash=person.firebase_uid,
            team_id=person.team_id,
            resume_at=now,
            created_at=now,
            updated_at=now,
        )
        op = m.begin_erasure(erasure)
        if actor is not None:
            await self.journal.note(who, now)
            op = together(op, recorded(actor, ACTION, who.subject, at=now))  # type: ignore[assignment]
        try:
            await settled(self._festival.db, lambda: op, code=BUSY)
        except TransactionCancelled as cancelled:
            # It is under way already, or was at its end a moment ago: going on does no harm.
            if not refused(cancelled):
                raise
        return erasure

    async def _person(self, who: Who) -> m.Participant | None:
        try:
            return await self._festival.db.run(m.participant(*who))
        except KeyValueError:  # no id at all
            return None

    def _begun(self) -> AsyncIterator[m.Erasure]:
        return self._festival.db.iterate(m.erasures())


def _who(item: m.Participant | m.Erasure) -> Who:
    return Who(item.event_id, item.participant_id)


def _named(erasure: m.Erasure) -> str:
    return f"erasing {_who(erasure).subject}"


def _allowed(by: Caller, participant_id: str) -> None:
    if by.participant_id == participant_id or by.has("organizer"):
        return
    raise forbidden() if by.roles else not_found("participant")
