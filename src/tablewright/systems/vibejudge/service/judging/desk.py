"""What a judge does: looks at the next one, scores it, prefers one of two, or skips it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.gathering import at_most
from tablewright.service.problems import FieldError, Problem, conflict, invalid, not_found
from tablewright.service.remembered import Remembered
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.judging import ComparisonIn, ScoreIn, SkipIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import (
    Assignment,
    Comparison,
    HumanScore,
    Judge,
    Round,
)
from tablewright.systems.vibejudge.rules.assigning import mixed
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.rules.pairs import Board, Pair, next_pair
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.assigning import takes_part
from tablewright.systems.vibejudge.service.judging.latest import check_judged, on_latest
from tablewright.systems.vibejudge.service.judging.rounds import OVER, round_over

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: How old what others have compared may be: it only decides which pair is shown.
_BOARD_SECS = 10.0
#: Scores that are read at once.
_AT_ONCE = 8


@dataclass(frozen=True)
class Seat:
    """A judge who may act, in their hackathon."""

    judge: Judge
    hackathon: HackathonDetail


@dataclass(frozen=True)
class Next:
    """What is looked at next: one, two, or none."""

    hackathon: HackathonDetail
    round: Round | None
    submissions: tuple[Submission, ...]
    assigned: int
    done: int


class Desk:
    """The desk of each judge."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._boards: Remembered[tuple[str, int], Board] = Remembered(
            self._board, courtroom.runtime.clock, secs=_BOARD_SECS, size=1000
        )

    async def seat(self, caller: Caller, hack_id: str) -> Seat:
        """A problem 404 if the caller judges another hackathon, or 403 if no more at all."""
        own, judge_id = caller.judging()
        if own != hack_id:
            raise not_found("hackathon")
        db = self._courtroom.db
        judge, hackathon = await asyncio.gather(
            db.run(patterns.judge(hack_id, judge_id)), db.run(reads.hackathon(hack_id))
        )
        if hackathon is None or judge is None:
            raise not_found("hackathon")
        if judge.state != "active":
            raise Problem(403, "NOT_A_JUDGE", "You are not a judge of this hackathon any more.")
        return Seat(judge, hackathon)

    # --- the next one ----------------------------------------------------------------------------

    async def next(self, caller: Caller, hack_id: str) -> Next:
        """Of the first round that is open and has something left for the judge."""
        seat = await self.seat(caller, hack_id)
        assigned = done = 0
        for round_ in await self._courtroom.judging.rounds.all(hack_id):
            if round_.state != "open":
                continue
            own = await self._own(seat, round_)
            assigned += len(own)
            done += sum(1 for each in own if each.state == "done")
            if found := await self._found(seat, round_, own):
                return Next(seat.hackathon, round_, found, assigned, done)
        return Next(seat.hackathon, None, (), assigned, done)

    async def _own(self, seat: Seat, round_: Round) -> list[Assignment]:
        """What the judge has in a round, without what they skipped."""
        judge_id = seat.judge.judge_id
        op = patterns.assignments(round_.hack_id, round_.round_number, judge_id=judge_id)
        found = [each async for each in self._courtroom.db.iterate(op)]
        return [
            each
            for each in found
            if each.state != "skipped" and each.sub_id not in seat.judge.conflicts
        ]

    async def _found(
        self, seat: Seat, round_: Round, own: Sequence[Assignment]
    ) -> tuple[Submission, ...]:
        if round_.method == "rubric":
            return await self._next_one(seat, own)
        return await self._next_two(seat, round_, {each.sub_id for each in own})

    async def _next_one(self, seat: Seat, own: Sequence[Assignment]) -> tuple[Submission, ...]:
        waiting = [each.sub_id for each in own if each.state == "assigned"]
        for sub_id in sorted(waiting, key=lambda sub_id: mixed(seat.judge.judge_id, sub_id)):
            if found := await self._seen(seat, (sub_id,)):
                return found
        return ()

    async def _next_two(self, seat: Seat, round_: Round, own: set[str]) -> tuple[Submission, ...]:
        board = await self._boards.get((round_.hack_id, round_.round_number))
        compared = [(each.first_id, each.second_id) for each in await self._compared(seat, round_)]
        while pair := await asyncio.to_thread(next_pair, board, own, compared):
            if found := await self._seen(seat, pair):
                return found
            own = own - await self._gone(seat, pair)
        return ()

    async def _seen(self, seat: Seat, sub_ids: Sequence[str]) -> tuple[Submission, ...]:
        """All of them, or none if one does not take part any more."""
        found = await self._submissions(seat, sub_ids)
        there = [each for each in found if each is not None and takes_part(each)]
        return tuple(there) if len(there) == len(sub_ids) else ()

    async def _gone(self, seat: Seat, pair: Pair) -> set[str]:
        found = await self._submissions(seat, pair)
        there = {each.sub_id for each in found if each is not None and takes_part(each)}
        return set(pair) - there

    async def _submissions(self, seat: Seat, sub_ids: Sequence[str]) -> Sequence[Submission | None]:
        hack_id, db = seat.hackathon.hack_id, self._courtroom.db
        return await asyncio.gather(*(db.run(reads.submission(hack_id, each)) for each in sub_ids))

    async def _board(self, key: tuple[str, int]) -> Board:
        said = [each async for each in self._courtroom.db.iterate(patterns.comparisons(*key))]
        return await asyncio.to_thread(Board.of, [win_of(each) for each in said])

    async def _compared(self, seat: Seat, round_: Round) -> list[Comparison]:
        judge_id = seat.judge.judge_id
        op = patterns.comparisons(round_.hack_id, round_.round_number, judge_id=judge_id)
        return [each async for each in self._courtroom.db.iterate(op)]

    # --- what was said ---------------------------------------------------------------------------

    async def scores(self, caller: Caller, hack_id: str) -> list[HumanScore]:
        """What the judge gave, in all rounds."""
        seat = await self.seat(caller, hack_id)
        found: list[HumanScore | None] = []
        for round_ in await self._courtroom.judging.rounds.all(hack_id):
            if round_.method == "rubric":
                found += await self._given(seat, round_)
        return [each for each in found if each is not None]

    async def _given(self, seat: Seat, round_: Round) -> list[HumanScore | None]:
        done = [each for each in await self._own(seat, round_) if each.state == "done"]
        gets = (
            patterns.human_score(each.sub_id, each.round_number, each.judge_id) for each in done
        )
        return list(await at_most(_AT_ONCE, map(self._courtroom.db.run, gets)))

    async def comparisons(self, caller: Caller, hack_id: str) -> list[Comparison]:
        """What the judge preferred, in all rounds."""
        seat = await self.seat(caller, hack_id)
        rounds = await self._courtroom.judging.rounds.all(hack_id)
        pairwise = [each for each in rounds if each.method == "pairwise"]
        return [found for each in pairwise for found in await self._compared(seat, each)]

    # --- deciding --------------------------------------------------------------------------------

    async def score(self, caller: Caller, hack_id: str, body: ScoreIn) -> HumanScore:
        """A judge scores what was assigned. [T11]

        One transaction: the score, which replaces an earlier one; the assignment, on condition that
        it is there and was not skipped; and the round, on condition that it is open.
        """
        seat, round_ = await self._ready(caller, hack_id, body.round_number, "rubric")
        await self._duty(seat, round_, body.sub_id)
        _check_scores(seat.hackathon, body)
        now = self._courtroom.now()
        made = HumanScore(
            sub_id=body.sub_id,
            round_number=round_.round_number,
            judge_id=seat.judge.judge_id,
            hack_id=hack_id,
            scores=body.scores,
            comment=(body.comment or "").strip() or None,
            created_at=now,
        )
        await self._said(patterns.score_submission(made, now), seat, round_, [made.sub_id])
        return made

    async def compare(self, caller: Caller, hack_id: str, body: ComparisonIn) -> Comparison:
        """A judge prefers one of two that were assigned. [T11]

        One transaction: the comparison, which replaces an earlier one of the same two; both
        assignments, on condition that they are there and were not skipped; and the round, on
        condition that it is open.
        """
        seat, round_ = await self._ready(caller, hack_id, body.round_number, "pairwise")
        if body.winner == body.loser:
            raise invalid(FieldError("body.loser", "must be another one than the winner"))
        first, second = sorted((body.winner, body.loser))
        for each in (first, second):
            await self._duty(seat, round_, each)
        now = self._courtroom.now()
        made = Comparison(
            hack_id=hack_id,
            round_number=round_.round_number,
            judge_id=seat.judge.judge_id,
            first_id=first,
            second_id=second,
            winner=body.winner,
            created_at=now,
        )
        await self._said(patterns.compare_submissions(made, now), seat, round_, [first, second])
        return made

    async def skip(self, caller: Caller, hack_id: str, body: SkipIn) -> Assignment:
        """A judge cannot judge something; somebody else gets it with that.

        One transaction: the assignment, on condition that nothing was said of it yet; the round, on
        condition that it is open; that of the judge who steps in, if there is one, on condition
        that it is new; and with a conflict of interest, the judge, and the request for final scores
        without what they said of it.
        """
        seat, round_ = await self._ready(caller, hack_id, body.round_number, None)

        async def skipped() -> Op[tuple[object, ...]]:
            duty = await self._duty(seat, round_, body.sub_id)
            if duty.state == "done":
                raise conflict("ALREADY_JUDGED", "You have judged it; it cannot be skipped now.")
            op = patterns.skip_assignment(
                duty,
                body.reason.strip(),
                self._courtroom.now(),
                successor=await self._courtroom.judging.assigning.instead(round_, duty),
                conflict=body.conflict,
            )
            # They may have judged it in a round before, which does not count then.
            blending = self._courtroom.judging.blending
            return together(op, blending.request(hack_id)) if body.conflict else op

        try:
            await on_latest(self._courtroom.db, skipped)
        except TransactionCancelled as cancelled:
            await self._explain(cancelled, seat, round_, [body.sub_id])
        if body.conflict:
            self._courtroom.judging.blending.nudge(hack_id)
        return await self._stored(seat, round_, body.sub_id)

    async def _ready(
        self, caller: Caller, hack_id: str, number: int, method: str | None
    ) -> tuple[Seat, Round]:
        """The judge and an open round of the right kind; else the problem."""
        seat = await self.seat(caller, hack_id)
        check_judged(seat.hackathon)
        round_ = await self._open(hack_id, number)
        if method is not None and round_.method != method:
            raise conflict("WRONG_METHOD", f"This round is {round_.method}.")
        return seat, round_

    async def _open(self, hack_id: str, number: int) -> Round:
        rounds = await self._courtroom.judging.rounds.all(hack_id)
        found = [each for each in rounds if each.round_number == number]
        if not found or found[0].state == "setup":
            raise not_found("round")
        if found[0].state in OVER:
            raise round_over(found[0])
        if found[0].state == "paused":
            raise conflict("ROUND_PAUSED", "The round is paused; it goes on later.")
        return found[0]

    async def _duty(self, seat: Seat, round_: Round, sub_id: str) -> Assignment:
        """What was given to the judge; a problem 404 if it was not."""
        found = await self._stored(seat, round_, sub_id)
        if found.state == "skipped":
            raise conflict("SKIPPED", "You have skipped it; somebody else judges it.")
        return found

    async def _stored(self, seat: Seat, round_: Round, sub_id: str) -> Assignment:
        found = None
        if is_id(sub_id):
            key = (round_.hack_id, round_.round_number, seat.judge.judge_id, sub_id)
            found = await self._courtroom.db.run(patterns.assignment(*key))
        if found is None:
            raise not_found("assignment")
        return found

    async def _said(
        self, op: Op[object], seat: Seat, round_: Round, sub_ids: Sequence[str]
    ) -> None:
        try:
            await settled(self._courtroom.db, lambda: op)
        except TransactionCancelled as cancelled:
            await self._explain(cancelled, seat, round_, sub_ids)

    async def _explain(
        self,
        error: TransactionCancelled | ConditionFailed,
        seat: Seat,
        round_: Round,
        sub_ids: Sequence[str],
    ) -> None:
        """What was refused was allowed a moment ago: say what is different now."""
        if refused(error):
            await self._open(round_.hack_id, round_.round_number)
            for each in sub_ids:
                await self._duty(seat, round_, each)
        raise error


def win_of(comparison: Comparison) -> Pair:
    """The winner first."""
    first, second = comparison.first_id, comparison.second_id
    return (first, second) if comparison.winner == first else (second, first)


def _check_scores(hackathon: HackathonDetail, body: ScoreIn) -> None:
    names = {each.name for each in hackathon.rubric.dimensions}
    errors = [
        *(FieldError(f"body.scores.{name}", "is needed") for name in names - body.scores.keys()),
        *(
            FieldError("body.scores", "has a dimension that the rubric has not")
            for _ in list(body.scores.keys() - names)[:1]
        ),
    ]
    if not errors and all(each is None for each in body.scores.values()):
        errors = [FieldError("body.scores", "something has to apply")]
    if errors:
        raise invalid(*sorted(errors, key=lambda each: each.field))
