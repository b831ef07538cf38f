"""Demo data: what agents have found and what it has cost, a job that runs and one that does not."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from decimal import Decimal

from tablewright.model import Entity
from tablewright.systems.vibejudge.analysis import (
    AgentScore,
    AnalysisJob,
    CostRecord,
    Evidence,
    Fingerprint,
    Reservation,
    Run,
    SubmissionSummary,
    Task,
    WeightedScore,
)
from tablewright.systems.vibejudge.demo_hackathons import (
    DONE,
    FAILING,
    HALTED,
    JOB_RUNNING,
    JUDGED,
    LATER,
    NOW,
    OPEN,
    ORG,
    QUEUED,
    RETURNED,
    RUBRIC,
    RUNNING,
    STOPPED,
    SUBMISSIONS,
    WAITING,
    commit,
    cost_of,
    day,
    demo_id,
)
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.table import Agent

SCORES: dict[Agent, dict[str, str]] = {
    "bug_hunter": {
        "code_quality": "7.5",
        "security": "6",
        "test_coverage": "8",
        "error_handling": "5.5",
        "dependency_hygiene": "7",
    },
    "performance": {
        "architecture": "8",
        "database_design": "7",
        "api_design": "8.5",
        "scalability": "6.5",
        "resource_efficiency": "7.5",
    },
    "innovation": {
        "technical_novelty": "9",
        "creative_problem_solving": "8.5",
        "architecture_elegance": "7.5",
        "readme_quality": "8",
        "demo_potential": "7",
    },
    "ai_detection": {
        "commit_authenticity": "8.5",
        "development_velocity": "7",
        "authorship_consistency": "9",
        "iteration_depth": "8",
        "ai_generation_indicators": "3",
    },
}
OVERALL: dict[Agent, str] = {
    "bug_hunter": "67.75",
    "performance": "75.5",
    "innovation": "82.25",
    "ai_detection": "81.666666667",
}


def run_of(submission: Submission, run_id: str, at: datetime, **more: object) -> Run:
    values: dict[str, object] = {
        "sub_id": submission.sub_id,
        "run_id": run_id,
        "hack_id": submission.hack_id,
        "commit_sha": commit(submission.repo_name),
        "provider": "bedrock",
        "rubric": RUBRIC,
        "prompt_version": "2026-11-01",
        "rules_version": "3",
        "rate_version": "2026-11-01",
        "status": "completed",
        "created_at": at,
        "updated_at": at,
        **more,
    }
    return Run.model_validate(values)


def score_of(submission: Submission, run_id: str, agent: Agent, at: datetime) -> AgentScore:
    values: dict[str, object] = {
        "sub_id": submission.sub_id,
        "run_id": run_id,
        "agent_name": agent,
        "hack_id": submission.hack_id,
        "model_id": "amazon.nova-lite-v1:0",
        "scores": SCORES[agent],
        "static_scores": SCORES[agent],
        "overall_score": OVERALL[agent],
        "confidence": "0.9",
        "evidence": [
            Evidence(
                file="src/app.py",
                line=42,
                severity="medium",
                message="The answer of the model is trusted without a look at it",
                excerpt="return eval(answer)",
            )
        ],
        "summary": "Solid work with few weak spots.",
        "raw_blob_key": f"{run_id}/{agent}.json",
        "latency_ms": 1840,
        "created_at": at,
    }
    return AgentScore.model_validate(values)


def summary_of(submission: Submission, run_id: str, at: datetime) -> SubmissionSummary:
    weighted = {
        each.name: _weighted(Decimal(OVERALL[each.agent]) / 10, each.weight)
        for each in RUBRIC.dimensions
    }
    return SubmissionSummary(
        sub_id=submission.sub_id,
        hack_id=submission.hack_id,
        run_id=run_id,
        team_name=submission.team_name,
        weighted_scores=weighted,
        overall_score=submission.overall_score or Decimal("76.82"),
        agent_scores={agent: Decimal(points) for agent, points in OVERALL.items()},
        confidence=Decimal("0.5"),
        strengths=["technical_novelty", "authorship_consistency", "api_design"],
        weaknesses=["error_handling"],
        recommendation="solid_submission",
        total_cost_usd=Decimal("0.0701"),
        total_tokens=10_500,
        analysis_duration_ms=41_300,
        created_at=at,
        updated_at=at,
    )


def _weighted(raw: Decimal, weight: Decimal) -> WeightedScore:
    return WeightedScore(raw=raw, weight=weight, weighted=raw * weight)


def paid_call(submission: Submission, run_id: str, agent: Agent, at: datetime) -> CostRecord:
    return CostRecord(
        sub_id=submission.sub_id,
        run_id=run_id,
        agent_name=agent,
        attempt=1,
        call=1,
        hack_id=submission.hack_id,
        model_id="amazon.nova-lite-v1:0",
        input_tokens=9_000,
        output_tokens=1_500,
        total_tokens=10_500,
        input_cost_usd=Decimal("0.00054"),
        output_cost_usd=Decimal("0.00036"),
        total_cost_usd=Decimal("0.0009"),
        latency_ms=1840,
        created_at=at,
    )


def set_aside(
    submission: Submission, run_id: str, agent: Agent, amount: str, at: datetime
) -> Reservation:
    """Money for the first call of an agent; the answer may have 2048 tokens."""
    answer = Decimal("0.00049152")
    asked = Decimal(amount) - answer
    return Reservation(
        hack_id=submission.hack_id,
        run_id=run_id,
        agent_name=agent,
        attempt=1,
        call=1,
        sub_id=submission.sub_id,
        org_id=ORG.org_id,
        model_id="amazon.nova-lite-v1:0",
        label="quick",
        input_tokens=int(asked / Decimal("0.00000006")),
        output_tokens=2048,
        input_cost_usd=asked,
        output_cost_usd=answer,
        amount_usd=Decimal(amount),
        created_at=at,
    )


def results_of(submission: Submission) -> list[Entity]:
    """All that a completed run has left."""
    assert submission.run_id is not None
    run_id, at = submission.run_id, submission.updated_at
    return [
        run_of(submission, run_id, at),
        *(score_of(submission, run_id, agent, at) for agent in SCORES),
        summary_of(submission, run_id, at),
        paid_call(submission, run_id, "bug_hunter", at),
        fingerprint_of(submission, at),
    ]


def fingerprint_of(submission: Submission, at: datetime) -> Fingerprint:
    return Fingerprint(
        hack_id=submission.hack_id,
        sub_id=submission.sub_id,
        minhash=hashlib.sha512(submission.repo_name.encode()).digest(),
        created_at=at,
    )


# --- jobs ----------------------------------------------------------------------------------------


def job_of(hackathon: HackathonDetail, job_id: str, at: datetime, **more: object) -> AnalysisJob:
    values: dict[str, object] = {
        "hack_id": hackathon.hack_id,
        "job_id": job_id,
        "enumerated": True,
        "started_at": at,
        "created_at": at,
        "updated_at": at,
        **more,
    }
    return AnalysisJob.model_validate(values)


def task_of(job: AnalysisJob, submission: Submission, **more: object) -> Task:
    values: dict[str, object] = {
        "job_id": job.job_id,
        "sub_id": submission.sub_id,
        "hack_id": job.hack_id,
        "created_at": job.created_at,
        "updated_at": job.created_at,
        **more,
    }
    return Task.model_validate(values)


RUNNING_JOB = job_of(RUNNING, JOB_RUNNING, day(20, 11), status="running", total_submissions=4)
STOPPED_JOB = job_of(
    STOPPED,
    demo_id(10, 31),
    day(10),
    status="cancelled",
    total_submissions=1,
    cancelled_submissions=1,
    completed_at=day(10, 10),
    expires_at=LATER,
)
LEASED = {"state": "leased", "attempt": 1, "lease_until": NOW + timedelta(seconds=60)}
FAILING_RUN = run_of(FAILING, demo_id(20, 44), day(20, 11), status="running")
FAILING_TASK = task_of(
    RUNNING_JOB,
    FAILING,
    **LEASED,
    lease_owner="worker-1",
    due_at=NOW + timedelta(seconds=60),
    run_id=FAILING_RUN.run_id,
)
WAITING_RUN = run_of(WAITING, demo_id(20, 45), day(20, 11), status="running")
WAITING_TASK = task_of(
    RUNNING_JOB,
    WAITING,
    **LEASED,
    lease_owner="worker-2",
    due_at=NOW + timedelta(seconds=60),
    run_id=WAITING_RUN.run_id,
)
RETURNED_RUN = run_of(RETURNED, demo_id(20, 47), day(20, 11), status="running")
RETURNED_TASK = task_of(
    RUNNING_JOB,
    RETURNED,
    **LEASED,
    lease_owner="worker-2",
    due_at=NOW + timedelta(seconds=60),
    run_id=RETURNED_RUN.run_id,
)
QUEUED_TASK = task_of(RUNNING_JOB, QUEUED, due_at=day(20, 11))
HALTED_TASK = task_of(
    STOPPED_JOB, HALTED, state="cancelled", error_code="cancelled", expires_at=LATER
)
ORPHAN = set_aside(WAITING, WAITING_RUN.run_id, "performance", "0.25", day(20, 11))
RUNNING_COST = cost_of(RUNNING)
RUNNING_COST.budget_remaining_usd -= ORPHAN.amount_usd


def analysis_items() -> list[Entity]:
    """All of it, each item once."""
    return [
        cost_of(JUDGED, "0.0027", analyzed=3),
        RUNNING_COST,
        cost_of(OPEN),
        cost_of(STOPPED),
        cost_of(DONE, "0.0009", analyzed=1),
        *(item for each in SUBMISSIONS if each.run_id for item in results_of(each)),
        RUNNING_JOB,
        STOPPED_JOB,
        FAILING_RUN,
        FAILING_TASK,
        WAITING_RUN,
        WAITING_TASK,
        RETURNED_RUN,
        RETURNED_TASK,
        QUEUED_TASK,
        HALTED_TASK,
        ORPHAN,
    ]
