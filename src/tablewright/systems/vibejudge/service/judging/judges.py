"""Judges: invited, known by their conflicts, and removed."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from tablewright.model import Op, Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.conflicts import refused, refused_at, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import FieldError, Problem, conflict, invalid, missing, not_found
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.judges import MOST_JUDGES, JudgeChange, JudgeIn
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.judging import Assignment, Invite, Judge, Round
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.service.callers import Caller, judge_owner
from tablewright.systems.vibejudge.service.judging.latest import (
    check_judged,
    check_scores_open,
    on_latest,
    released,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


@dataclass(frozen=True)
class Invited:
    """A judge, and the text that makes one of whoever has it. It is not kept."""

    judge: Judge
    token: str
    expires_at: datetime

    def __repr__(self) -> str:
        return f"Invited({self.judge.judge_id!r})"


@dataclass(frozen=True)
class Invitation:
    """Who is invited, to what, and until when."""

    judge: Judge
    hackathon: HackathonDetail
    expires_at: datetime


@dataclass(frozen=True)
class Accepted:
    """A judge who has begun, and the key that is theirs; it is shown once."""

    judge: Judge
    api_key: str

    def __repr__(self) -> str:
        return f"Accepted({self.judge.judge_id!r})"


@dataclass(frozen=True)
class Work:
    """How far a judge is in a round, or judges with a submission."""

    assigned: int
    done: int
    skipped: int

    @classmethod
    def of(cls, assignments: Sequence[Assignment]) -> Work:
        states = [each.state for each in assignments]
        skipped = states.count("skipped")
        return cls(len(states) - skipped, states.count("done"), skipped)


@dataclass(frozen=True)
class JudgeProgress:
    judge: Judge
    rounds: tuple[tuple[Round, Work], ...]


def principal_of(judge: Judge) -> Principal:
    """A judge as somebody who acts: of their hackathon, and nothing else."""
    owner = judge_owner(judge.hack_id, judge.judge_id)
    return Principal(
        id=owner,
        name=judge.name,
        kind="user",
        roles=frozenset({"judge"}),
        grants=frozenset({"vibejudge:judge"}),
        owner=owner,
    )


def token_hash(token: str) -> str:
    """What is kept of an invitation; it has 256 random bits, so a plain digest will do."""
    return sha256(token.encode()).hexdigest()


class Judges:
    """The judges of hackathons."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- looking ---------------------------------------------------------------------------------

    async def of(self, caller: Caller, hack_id: str) -> list[JudgeProgress]:
        """All judges, and how far each of them is, round by round."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        rounds = await self._courtroom.judging.rounds.all(hack_id)
        given = [await self._given(each) for each in rounds]
        found = list(zip(rounds, given, strict=True))

        def progress(judge: Judge) -> JudgeProgress:
            own = ((round_, Work.of(_own(judge, each))) for round_, each in found)
            return JudgeProgress(judge, tuple(own))

        return [progress(each) for each in await self.all(hack_id)]

    async def all(self, hack_id: str) -> list[Judge]:
        found = self._courtroom.db.iterate(patterns.judges(hack_id))
        return [each async for each in found]

    async def _given(self, round_: Round) -> list[Assignment]:
        op = patterns.assignments(round_.hack_id, round_.round_number)
        return [each async for each in self._courtroom.db.iterate(op)]

    async def one(self, caller: Caller, hack_id: str, judge_id: str) -> Judge:
        """A problem 404 if there is none, or the hackathon is not the caller's."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        found = None
        if is_id(judge_id):
            found = await self._courtroom.db.run(patterns.judge(hack_id, judge_id))
        if found is None:
            raise not_found("judge")
        return found

    # --- inviting --------------------------------------------------------------------------------

    async def invite(self, caller: Caller, hack_id: str, body: JudgeIn) -> Invited:
        """One transaction: the judge and the invitation, both new, and the audit entry."""
        check_scores_open(await self._courtroom.hackathons.owned(caller, hack_id))
        if len(await self.all(hack_id)) >= MOST_JUDGES:
            raise conflict("JUDGES_FULL", f"A hackathon has up to {MOST_JUDGES} judges.")
        now = self._courtroom.now()
        judge = Judge(
            hack_id=hack_id,
            name=body.name.strip(),
            conflicts=await self._conflicts(hack_id, body.conflicts),
            created_at=now,
            updated_at=now,
        )
        token, invite = self._invitation(judge)
        noted = self._noted(caller, "judge.invite", judge, {"conflicts": len(judge.conflicts)})
        await self._settle(together(patterns.invite_judge(judge, invite), noted))
        stored = await self.one(caller, hack_id, judge.judge_id)
        return Invited(stored, token, invite.expires_at)

    async def invite_again(self, caller: Caller, hack_id: str, judge_id: str) -> Invited:
        """Another invitation, for somebody who has lost theirs, or their key.

        One transaction: the invitation; the judge, on condition that nobody has removed them, to
        whom it is the only one from now on; and the audit entry.
        """
        judge = await self.one(caller, hack_id, judge_id)
        token, invite = self._invitation(judge)
        noted = self._noted(caller, "judge.invite", judge, {})
        try:
            await self._settle(
                together(patterns.invite_again(invite, self._courtroom.now()), noted)
            )
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise _removed() from None
            raise
        stored = await self.one(caller, hack_id, judge_id)
        return Invited(stored, token, invite.expires_at)

    def _invitation(self, judge: Judge) -> tuple[str, Invite]:
        token = secrets.token_urlsafe(32)
        invite = Invite(
            token_hash=token_hash(token),
            hack_id=judge.hack_id,
            judge_id=judge.judge_id,
            created_at=self._courtroom.now(),
        )
        return token, invite

    # --- accepting -------------------------------------------------------------------------------

    async def accept(self, token: str) -> Accepted:
        """An invitation is followed by a program: it gets a key.

        One transaction: the invitation, on condition that it is there, goes; the judge, on
        condition that nobody has removed or invited them anew, may begin; the key, that it is the
        judge's, and the audit entry.
        """
        judge, invite = await self._invited(token)
        actor = principal_of(judge)
        keys = self._courtroom.runtime.auth.api_keys
        key = keys.prepared(actor, name=judge.name, roles=["judge"], owner=actor.owner)
        await self._used(together(patterns.accept_invite(invite, self._courtroom.now()), *key.ops))
        return Accepted(await self._begun(judge), key.text)

    async def invitation(self, token: str) -> Invitation:
        """What an invitation says, before it is followed; a problem 404 if it is none."""
        judge, invite = await self._invited(token)
        hackathon = await self._courtroom.db.run(reads.hackathon(judge.hack_id))
        if hackathon is None:
            raise _no_invitation()
        return Invitation(judge, hackathon, invite.expires_at)

    async def followed(self, token: str) -> Judge:
        """The same by a browser, which starts a session for :func:`principal_of` the judge.

        One transaction: the invitation, the judge, and the audit entry.
        """
        judge, invite = await self._invited(token)
        now = self._courtroom.now()
        entry = audit.record(principal_of(judge), "judge.accept", _subject(judge), at=now)
        await self._used(together(patterns.accept_invite(invite, now), entry))
        return await self._begun(judge)

    async def _invited(self, token: str) -> tuple[Judge, Invite]:
        db = self._courtroom.db
        invite = await db.run(patterns.invite(token_hash(token)))
        if invite is None:
            raise _no_invitation()
        judge = await db.run(patterns.judge(invite.hack_id, invite.judge_id))
        # One that was replaced by another is none any more, whoever has found it.
        void = judge is None or judge.state == "removed" or judge.invite_hash != invite.token_hash
        if judge is None or void:
            raise _no_invitation()
        return judge, invite

    async def _used(self, op: Op[object]) -> None:
        try:
            await self._settle(op)
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise _no_invitation() from None
            raise

    async def _begun(self, judge: Judge) -> Judge:
        return await self._courtroom.db.require(patterns.judge(judge.hack_id, judge.judge_id))

    # --- changing --------------------------------------------------------------------------------

    async def change(
        self,
        caller: Caller,
        hack_id: str,
        judge_id: str,
        body: JudgeChange,
        said: Precondition = UNSAID,
    ) -> Judge:
        """Another name, other conflicts, or no judge any more.

        One transaction: the judge, on condition that it is the latest; with other conflicts, the
        request for final scores without what they said of these; and the audit entry. What a judge
        may not do any more is given to others next; a crash in between leaves that to whoever
        gives out the round again.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        check_judged(hackathon)
        given = body.model_dump(exclude_none=True)
        if body.conflicts is not None:
            # What judges said of a team they have to do with is taken out of its score.
            check_scores_open(hackathon)
            given["conflicts"] = await self._conflicts(hack_id, body.conflicts)

        async def changed() -> Op[tuple[object, ...]]:
            judge = await self.one(caller, hack_id, judge_id)
            said.check_if_given(judge.version)
            if judge.state == "removed":
                raise _removed()
            return self._changing(caller, judge, given)

        try:
            await on_latest(self._courtroom.db, changed)
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, HackathonDetail):
                raise released() from None
            raise
        if given.keys() & {"conflicts", "state"}:
            await self._handed_over(caller, hack_id, judge_id, removed="state" in given)
        return await self.one(caller, hack_id, judge_id)

    def _changing(
        self, caller: Caller, judge: Judge, given: dict[str, object]
    ) -> Op[tuple[object, ...]]:
        now = self._courtroom.now()
        after = judge.model_copy(update={**given, "updated_at": now})
        action = "judge.remove" if after.state == "removed" else "judge.change"
        noted = self._noted(caller, action, judge, {"changed": sorted(given)})
        if "conflicts" not in given:
            return together(patterns.change_judge(after), noted)
        asked = self._courtroom.judging.blending.request(judge.hack_id)
        scores_open = writes.check_scores_open(judge.hack_id)
        return together(patterns.change_judge(after), noted, asked, scores_open)

    async def _handed_over(
        self, caller: Caller, hack_id: str, judge_id: str, *, removed: bool
    ) -> None:
        judging = self._courtroom.judging
        judging.blending.nudge(hack_id)
        if removed:
            await self._courtroom.runtime.auth.api_keys.erase(judge_owner(hack_id, judge_id))
        for each in await judging.rounds.all(hack_id):
            if each.state in ("open", "paused"):
                await judging.assigning.hand_over(each)

    async def _conflicts(self, hack_id: str, given: Sequence[str]) -> set[str]:
        """The submissions that are meant; a problem 422 if one of them is none."""
        wanted = set(given)
        if not all(map(is_id, wanted)):
            raise _no_such_submission()
        gets = [self._courtroom.db.run(reads.submission(hack_id, each)) for each in wanted]
        if None in await asyncio.gather(*gets):
            raise _no_such_submission()
        return wanted

    async def _settle(self, op: Op[object]) -> None:
        await settled(self._courtroom.db, lambda: op)

    def _noted(
        self, caller: Caller, action: str, judge: Judge, detail: dict[str, object]
    ) -> Put[AuditEntry]:
        now = self._courtroom.now()
        return audit.record(caller.principal, action, _subject(judge), at=now, detail=detail)


def _own(judge: Judge, assignments: Sequence[Assignment]) -> list[Assignment]:
    return [each for each in assignments if each.judge_id == judge.judge_id]


def _subject(judge: Judge) -> str:
    return f"hackathon/{judge.hack_id}/judge/{judge.judge_id}"


def _removed() -> Problem:
    return conflict("REMOVED", "This judge was removed. Invite them anew.")


def _no_invitation() -> Problem:
    detail = "There is no such invitation. It is good once, for a week; ask for another one."
    return missing(detail)


def _no_such_submission() -> Problem:
    return invalid(FieldError("body.conflicts", "must be submissions of this hackathon"))
