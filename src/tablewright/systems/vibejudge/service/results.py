"""What teams see of their own submissions, and say to it.

Whoever has a team's token sees its card, once results are released. Before that, and for whoever
has a wrong one, there is nothing there: the same answer for everything.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.client import Page
from tablewright.model import Op, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, refused_at, settled
from tablewright.service.gathering import at_most
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.judges import AnswerIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import APPEALED, Appeal, Override
from tablewright.systems.vibejudge.rules.result_tokens import matches, parse
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.rounds import OVER
from tablewright.systems.vibejudge.service.scorecards import Scorecard

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.bodies.results import AppealIn
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


#: Appeals that are read at once.
_AT_ONCE = 8


@dataclass(frozen=True)
class Card:
    """The result of one team."""

    hackathon: HackathonDetail
    submission: Submission
    rank: int | None
    #: None if it could not be analysed.
    scorecard: Scorecard | None
    #: Of judges; whose they are is not told.
    comments: tuple[str, ...]
    override: Override | None
    appeal: Appeal | None
    #: Until when an appeal can be made; None if there was one, or the time is over.
    appeal_until: datetime | None


class Results:
    """The cards of teams, and their appeals."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- teams -----------------------------------------------------------------------------------

    async def card(self, token: str) -> Card:
        """The card of the team with this token; a problem 404 if it is wrong, or too early."""
        hackathon, submission = await self._shown(token)
        appeal = await self._appeal_of(submission)
        return Card(
            hackathon=hackathon,
            submission=submission,
            rank=await self._courtroom.releases.rank_of(hackathon, submission),
            scorecard=await self._scorecard(hackathon, submission),
            comments=await self._comments(submission),
            override=await self._override(submission),
            appeal=appeal,
            appeal_until=self._appeal_until(hackathon, submission),
        )

    async def appeal(self, token: str, body: AppealIn) -> Appeal:
        """A team appeals.

        One transaction: the appeal, new; the submission, on condition that it has none; the
        hackathon, on condition that its results were released within 72 hours; and the message.
        """
        hackathon, submission = await self._shown(token)
        if submission.appeal_id is not None:
            raise _appealed()
        now = self._courtroom.now()
        made = Appeal(
            sub_id=submission.sub_id,
            hack_id=hackathon.hack_id,
            text=body.text,
            created_at=now,
            updated_at=now,
        )
        told = self._courtroom.messages.appeal_opened(hackathon, made)
        op: Op[tuple[object, ...]] = together(patterns.appeal(made, now), told)
        try:
            await settled(self._courtroom.db, lambda: op)
        except TransactionCancelled as cancelled:
            if refused_at(cancelled, Submission):
                raise _appealed() from None
            if refused(cancelled):
                raise _too_late() from None
            raise
        return made

    async def _shown(self, token: str) -> tuple[HackathonDetail, Submission]:
        said = parse(token)
        if said is None:
            raise _no_result()
        db = self._courtroom.db
        submission = await db.run(reads.submission(said.hack_id, said.sub_id))
        known = matches(said, None if submission is None else submission.result_token_hash)
        if submission is None or not known:
            raise _no_result()
        hackathon = await db.run(reads.hackathon(said.hack_id))
        if hackathon is None or hackathon.released_at is None:
            raise _no_result()
        return hackathon, submission

    async def _scorecard(
        self, hackathon: HackathonDetail, submission: Submission
    ) -> Scorecard | None:
        try:
            return await self._courtroom.scorecards.of(hackathon, submission)
        except Problem as problem:
            if problem.code == "NOT_SCORED":
                return None
            raise

    async def _comments(self, submission: Submission) -> tuple[str, ...]:
        """From rounds that are over, in no order that would tell whose they are."""
        rounds = await self._courtroom.judging.rounds.all(submission.hack_id)
        over = {each.round_number for each in rounds if each.state in OVER}
        found = self._courtroom.db.iterate(patterns.human_scores(submission.sub_id))
        said = [each.comment async for each in found if each.round_number in over]
        return tuple(sorted(each for each in said if each))

    async def _override(self, submission: Submission) -> Override | None:
        if submission.override_id is None:
            return None
        op = patterns.override(submission.sub_id, submission.override_id)
        return await self._courtroom.db.run(op)

    async def _appeal_of(self, submission: Submission) -> Appeal | None:
        if submission.appeal_id is None:
            return None
        found = await self._courtroom.db.run(patterns.appeals(submission.sub_id))
        return next((each for each in found if each.appeal_id == submission.appeal_id), None)

    def _appeal_until(self, hackathon: HackathonDetail, submission: Submission) -> datetime | None:
        if submission.appeal_id is not None or hackathon.released_at is None:
            return None
        until = hackathon.released_at + APPEALED
        return until if self._courtroom.now() <= until else None

    # --- organisers ------------------------------------------------------------------------------

    async def appeals(
        self, caller: Caller, hack_id: str, limit: int | None = None, cursor: str | None = None
    ) -> Page[Appeal]:
        """All appeals in a hackathon, in the order in which the teams handed in."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        page = await self._courtroom.db.run(patterns.appealed(hack_id), limit=limit, cursor=cursor)
        found = await at_most(_AT_ONCE, (self._appeal_of(each) for each in page))
        return Page(tuple(each for each in found if each is not None), page.cursor)

    async def appeal_of(self, caller: Caller, hack_id: str, sub_id: str) -> Appeal:
        """What a team has said; a problem 404 if it has said nothing."""
        _, submission = await self._courtroom.submissions.owned(caller, hack_id, sub_id)
        found = await self._appeal_of(submission)
        if found is None:
            raise not_found("appeal")
        return found

    async def answer(self, caller: Caller, hack_id: str, sub_id: str, body: AnswerIn) -> Appeal:
        """Uphold an appeal, or reject it. The score stays: an override changes it.

        One transaction: the appeal, on condition that it is open, and the audit entry.
        """
        found = await self.appeal_of(caller, hack_id, sub_id)
        now = self._courtroom.now()
        answered = patterns.answer_appeal(
            sub_id, found.appeal_id, body.state, body.answer.strip(), now
        )
        subject = f"hackathon/{hack_id}/submission/{sub_id}"
        noted = audit.record(caller.principal, f"appeal.{body.state}", subject, at=now)
        op: Op[tuple[object, ...]] = together(answered, noted)
        try:
            await settled(self._courtroom.db, lambda: op)
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise conflict("ANSWERED", "The appeal has been answered.") from None
            raise
        return await self.appeal_of(caller, hack_id, sub_id)


def _no_result() -> Problem:
    return not_found("result")


def _appealed() -> Problem:
    return conflict("ALREADY_APPEALED", "Your team has appealed; that can be done once.")


def _too_late() -> Problem:
    return conflict("APPEAL_CLOSED", "Appeals are made within 72 hours after the release.")
