"""A hackathon that was analysed, with judges who have come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge.support import hackathon, organizer, submission

from tablewright.model import new_ulid, put
from tablewright.systems.vibejudge import demo_analysis, reads
from tablewright.systems.vibejudge.bodies.judges import JudgeIn, RoundChange, RoundIn
from tablewright.systems.vibejudge.bodies.judging import ComparisonIn, ScoreIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Round
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.judging.judges import principal_of

RUBRIC = {
    "name": "Two",
    "dimensions": [
        {"name": "idea", "weight": "0.5", "agent": "innovation"},
        {"name": "code", "weight": "0.5", "agent": "bug_hunter"},
    ],
}


@dataclass(frozen=True)
class World:
    """All that a round needs."""

    courtroom: Courtroom
    olga: Caller
    hackathon: HackathonDetail
    submissions: Sequence[Submission]
    judges: Sequence[Caller]

    @property
    def hack_id(self) -> str:
        return self.hackathon.hack_id

    async def opened(self, method: str = "rubric", weight: str = "1") -> Round:
        """A round that is open."""
        rounds = self.courtroom.judging.rounds
        body = RoundIn.model_validate({"method": method, "weight": weight})
        made = await rounds.add(self.olga, self.hack_id, body)
        return await self.moved(made, "open")

    async def moved(self, round_: Round, state: Any) -> Round:
        return await self.courtroom.judging.rounds.change(
            self.olga, self.hack_id, round_.round_number, RoundChange(state=state)
        )

    async def score(self, judge: Caller, sub: Submission, points: int, number: int = 1) -> None:
        """So many points for both dimensions: 0 to 100."""
        said = {"idea": Decimal(points) / 10, "code": Decimal(points) / 10}
        body = ScoreIn(round_number=number, sub_id=sub.sub_id, scores=said, comment=f"{points}!")
        await self.courtroom.judging.desk.score(judge, self.hack_id, body)

    async def prefer(self, judge: Caller, one: str, other: str, number: int = 1) -> None:
        body = ComparisonIn(round_number=number, winner=one, loser=other)
        await self.courtroom.judging.desk.compare(judge, self.hack_id, body)

    async def now(self, sub: Submission) -> Submission:
        return await self.courtroom.db.require(reads.submission(self.hack_id, sub.sub_id))

    async def finals(self) -> list[Decimal | None]:
        return [(await self.now(each)).final_score for each in self.submissions]


async def world(
    courtroom: Courtroom, ai: Sequence[str] = ("60", "60", "60"), judges: int = 2, **said: Any
) -> World:
    """Submissions with these scores of agents, and so many judges."""
    olga = await organizer(courtroom)
    made = await hackathon(courtroom, olga, rubric=RUBRIC, **said)
    submissions = [await analysed(courtroom, made, score) for score in ai]
    callers = [await judge(courtroom, olga, made, f"Judge {number}") for number in range(judges)]
    return World(courtroom, olga, made, submissions, callers)


async def analysed(courtroom: Courtroom, made: HackathonDetail, score: str) -> Submission:
    """A submission that has a summary."""
    sub = await submission(
        courtroom,
        made,
        status="completed",
        overall_score=Decimal(score),
        rank_score=Decimal(score),
        run_id=new_ulid(),
    )
    summary = demo_analysis.summary_of(sub, sub.run_id or "", courtroom.now())
    await courtroom.db.run(put(summary.model_copy(update={"overall_score": Decimal(score)})))
    return sub


async def judge(
    courtroom: Courtroom, olga: Caller, made: HackathonDetail, name: str, *conflicts: str
) -> Caller:
    """Somebody who was invited and has come."""
    judges = courtroom.judging.judges
    invited = await judges.invite(olga, made.hack_id, JudgeIn(name=name, conflicts=list(conflicts)))
    return as_caller(await judges.followed(invited.token))


def as_caller(found: Any) -> Caller:
    return Caller(principal_of(found), judge=(found.hack_id, found.judge_id))
