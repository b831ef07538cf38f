"""Submissions that were analysed: with their runs, what agents found, and their scorecards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge.support import submission

from tablewright.model import new_ulid, put
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import AgentScore, Evidence, Run, SubmissionSummary
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS, agent_overall
from tablewright.systems.vibejudge.rules.verdicts import Totals, verdict
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.table import Agent

SHA = "a" * 40
#: What scenario 2 gives: 67.75, 75.50, 82.25 and 81.67 without signs of AI; 76.82 in all.
GIVEN: Mapping[Agent, str] = {
    "bug_hunter": "7.5 6 8 5.5 7",
    "performance": "8 7 8.5 6.5 7.5",
    "innovation": "9 8.5 7.5 8 7",
    "ai_detection": "8.5 7 9 8 3",
}


@dataclass(frozen=True)
class Scored:
    submission: Submission
    run: Run
    scores: Mapping[Agent, AgentScore]
    summary: SubmissionSummary


async def scored(
    courtroom: Courtroom,
    hackathon: HackathonDetail,
    given: Mapping[Agent, str] = GIVEN,
    flags: tuple[str, ...] = (),
    **changes: Any,
) -> Scored:
    """A submission that was analysed by the rubric of now."""
    made = await submission(courtroom, hackathon)
    return await analysed(courtroom, hackathon, made, given, flags, **changes)


async def analysed(
    courtroom: Courtroom,
    hackathon: HackathonDetail,
    made: Submission,
    given: Mapping[Agent, str] = GIVEN,
    flags: tuple[str, ...] = (),
    **changes: Any,
) -> Scored:
    now, run_id = courtroom.now(), new_ulid()
    run = Run(
        sub_id=made.sub_id,
        run_id=run_id,
        hack_id=made.hack_id,
        commit_sha=SHA,
        provider="static",
        rubric=hackathon.rubric,
        prompt_version="1",
        rules_version="1",
        rate_version="1",
        status="completed",
        created_at=now,
        updated_at=now,
    )
    scores = {agent: score_of(made, run, agent, text) for agent, text in given.items()}
    missing = [each for each in hackathon.agents_enabled if each not in scores]
    totals = Totals(Decimal("0.25"), 100, 1500)
    found = verdict(hackathon, scores, missing, flags, totals)
    assert found is not None
    db = courtroom.db
    previous = await db.run(reads.submission_summary(made.sub_id))
    summary = found.summary(made, run_id, now, previous)
    for each in (run, *scores.values(), summary):
        await db.run(put(each))
    latest = await db.require(reads.submission(made.hack_id, made.sub_id))
    ranked = {
        "status": "completed",
        "run_id": run_id,
        "overall_score": summary.overall_score,
        "rank_score": summary.overall_score,
        "confidence": summary.confidence,
        "partial": summary.partial,
        "recommendation": summary.recommendation,
    }
    await db.run(put(latest.model_copy(update={**ranked, **changes})).replace())
    after = await db.require(reads.submission(made.hack_id, made.sub_id))
    stored = await db.require(reads.submission_summary(made.sub_id))
    return Scored(after, run, scores, stored)


def score_of(made: Submission, run: Run, agent: Agent, text: str) -> AgentScore:
    given = [None if each == "-" else Decimal(each) for each in text.split()]
    scores = dict(zip(WEIGHTS[agent], given, strict=True))
    return AgentScore(
        sub_id=made.sub_id,
        run_id=run.run_id,
        agent_name=agent,
        hack_id=made.hack_id,
        model_id="static",
        scores=scores,
        overall_score=agent_overall(agent, scores, "ai_assisted") or Decimal(0),
        confidence=Decimal("0.9"),
        evidence=[Evidence(file="app/main.py", line=3, severity="high", message="Look here")],
        summary="Solid work.",
        latency_ms=10,
        created_at=run.created_at,
    )
