"""What a judge has said before, and looks at once more to say something else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.service.problems import not_found
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Comparison, HumanScore, Round
from tablewright.systems.vibejudge.rules.ids import is_id
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Submissions that are read at once.
_AT_ONCE = 8


@dataclass(frozen=True)
class Look:
    """A submission that was given to a judge, and what they said of it, if anything."""

    hackathon: HackathonDetail
    round: Round
    submission: Submission
    score: HumanScore | None


@dataclass(frozen=True)
class Given:
    """All that a judge has said, with the names of what they said it of."""

    hackathon: HackathonDetail
    rounds: Mapping[int, Round]
    submissions: Mapping[str, Submission]
    scores: tuple[HumanScore, ...]
    comparisons: tuple[Comparison, ...]


class LookingBack:
    """What judges have said before."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def one(self, caller: Caller, hack_id: str, number: int, sub_id: str) -> Look:
        """A problem 404 if it was not given to the judge, or is not any more."""
        seat = await self._courtroom.judging.desk.seat(caller, hack_id)
        round_ = (await self._rounds(hack_id)).get(number)
        if round_ is None or not is_id(sub_id) or sub_id in seat.judge.conflicts:
            raise not_found("assignment")
        db, judge_id = self._courtroom.db, seat.judge.judge_id
        duty = await db.run(patterns.assignment(hack_id, number, judge_id, sub_id))
        submission = await db.run(reads.submission(hack_id, sub_id))
        if duty is None or duty.state == "skipped" or submission is None:
            raise not_found("assignment")
        score = await db.run(patterns.human_score(sub_id, number, judge_id))
        return Look(seat.hackathon, round_, submission, score)

    async def all(self, caller: Caller, hack_id: str) -> Given:
        """The latest first."""
        desk = self._courtroom.judging.desk
        seat = await desk.seat(caller, hack_id)
        scores = await desk.scores(caller, hack_id)
        pairs = await desk.comparisons(caller, hack_id)
        named = {each.sub_id for each in scores}
        named |= {sub_id for each in pairs for sub_id in (each.first_id, each.second_id)}
        return Given(
            seat.hackathon,
            await self._rounds(hack_id),
            await self._submissions(hack_id, named),
            tuple(sorted(scores, key=lambda each: each.created_at, reverse=True)),
            tuple(sorted(pairs, key=lambda each: each.created_at, reverse=True)),
        )

    async def _rounds(self, hack_id: str) -> dict[int, Round]:
        """Those that have begun."""
        found = await self._courtroom.judging.rounds.all(hack_id)
        return {each.round_number: each for each in found if each.state != "setup"}

    async def _submissions(self, hack_id: str, sub_ids: Iterable[str]) -> dict[str, Submission]:
        gets = (self._courtroom.db.run(reads.submission(hack_id, each)) for each in sub_ids)
        found = await at_most(_AT_ONCE, gets)
        return {each.sub_id: each for each in found if each is not None}
