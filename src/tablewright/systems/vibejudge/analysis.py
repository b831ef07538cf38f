"""The analysis of submissions: jobs, tasks and runs, what agents found, and what it has cost."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel

from tablewright.model import Field, IsoSeconds, Key, Ttl, Ulid, new_ulid
from tablewright.systems.vibejudge.entities import Rubric, SubmissionStatus
from tablewright.systems.vibejudge.table import (
    Agent,
    Changing,
    CommitSha,
    Count,
    DueShard,
    Lasting,
    Points,
    Provider,
    Recommendation,
    Score,
    Share,
    SubScore,
    Usd,
    due_shard,
    vibejudge,
)

JobScope: TypeAlias = Literal["all", "failed", "one"]
JobStatus: TypeAlias = Literal["queued", "running", "completed", "failed", "cancelled"]
TaskState: TypeAlias = Literal["queued", "leased", "done", "failed", "blocked", "cancelled"]
RunStatus: TypeAlias = Literal["running", "completed", "failed", "timeout", "cancelled"]
Severity: TypeAlias = Literal["critical", "high", "medium", "low", "info"]
#: Of a task within its run, and of a call within an attempt; two digits in keys.
Number: TypeAlias = Annotated[int, Field(ge=1, le=99)]

#: Jobs and tasks are kept for so long after their end.
KEPT = timedelta(days=30)
#: A reservation that nobody has settled by then is an orphan.
ORPHANED = timedelta(minutes=15)
LEASE = timedelta(seconds=120)
#: How wrong a clock may be; a lease that ends later than any can was written by a wrong one.
SKEW = timedelta(minutes=10)


# --- jobs ----------------------------------------------------------------------------------------


class AnalysisJob(
    Changing,
    table=vibejudge,
    type="ANALYSIS_JOB",
    keys={
        "primary": Key("HACK#{hack_id}", "JOB#{job_id}"),
        "by_status": Key("JOB_STATUS#{status}", "{created_at}", on="GSI2"),
    },
):
    hack_id: Ulid
    job_id: Ulid = Field(default_factory=new_ulid)
    status: JobStatus = "queued"
    #: Which submissions it analyses: all, those that failed before, or one.
    scope: JobScope = "all"
    sub_id: Ulid | None = None
    #: It has begun before the end of the hackathon, which goes on taking submissions.
    trial: bool = False
    #: What the hackathon was before, and is again if the job does not complete it.
    hackathon_was: Literal["configured", "completed"] = "configured"
    total_submissions: Count = 0
    completed_submissions: Count = 0
    failed_submissions: Count = 0
    blocked_submissions: Count = 0
    cancelled_submissions: Count = 0
    #: All tasks are there; before that, an early end would miss some.
    enumerated: bool = False
    #: Somebody wants it to end. It does once the last task in work has stopped.
    cancel_asked_at: IsoSeconds | None = None
    started_at: IsoSeconds | None = None
    completed_at: IsoSeconds | None = None
    expires_at: Ttl | None = None


class Task(
    Changing,
    table=vibejudge,
    type="TASK",
    keys={
        "primary": Key("JOB#{job_id}", "TASK#{sub_id}"),
        "due": Key("TASK_DUE#{shard}", "{due_at}", on="GSI2", when={"state": {"queued", "leased"}}),
    },
):
    """One submission of a job. A worker leases it; a lease that ran out is up for another one."""

    job_id: Ulid
    sub_id: Ulid
    hack_id: Ulid
    state: TaskState = "queued"
    due_at: IsoSeconds | None = None
    shard: DueShard = Field(default_factory=lambda data: due_shard(data["sub_id"]))
    lease_owner: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    lease_until: IsoSeconds | None = None
    #: Of its run, over all resumptions: a call of a model is never numbered like another.
    attempt: Annotated[int, Field(ge=0, le=99)] = 0
    #: Attempts since it was queued; so many are given up after.
    tries: Annotated[int, Field(ge=0, le=99)] = 0
    run_id: Ulid | None = None
    #: What the submission was before, for a task that is cancelled.
    submission_was: SubmissionStatus | None = None
    error_code: Annotated[str, Field(max_length=100)] | None = None
    expires_at: Ttl | None = None


# --- runs and what they find ---------------------------------------------------------------------


class Run(
    Changing,
    table=vibejudge,
    type="RUN",
    keys={"primary": Key("SUB#{sub_id}", "RUN#{run_id}")},
):
    """One analysis of a submission, and all that makes it repeatable."""

    sub_id: Ulid
    run_id: Ulid = Field(default_factory=new_ulid)
    hack_id: Ulid
    #: Pinned once; a retry looks at the same commit.
    commit_sha: CommitSha | None = None
    provider: Provider
    rubric: Rubric
    prompt_version: str
    rules_version: str
    rate_version: str
    status: RunStatus = "running"
    flags: list[str] = Field(default_factory=list)


class Evidence(BaseModel):
    file: str
    line: Annotated[int, Field(ge=1)]
    severity: Severity
    message: Annotated[str, Field(max_length=500)]
    excerpt: Annotated[str, Field(max_length=200)] = ""


class SubScoreNote(BaseModel):
    """Why a sub-score is what it is, or why it was not assessed, with one place that shows it."""

    text: Annotated[str, Field(max_length=500)]
    file: str | None = None
    line: Annotated[int, Field(ge=1)] | None = None


class AgentScore(
    Lasting,
    table=vibejudge,
    type="AGENT_SCORE",
    keys={"primary": Key("SUB#{sub_id}", "SCORE#{run_id}#{agent_name}")},
):
    """What one agent says; it shows once the summary names its run."""

    sub_id: Ulid
    run_id: Ulid
    agent_name: Agent
    hack_id: Ulid
    model_id: str
    scores: dict[str, SubScore]
    static_scores: dict[str, SubScore] = Field(default_factory=dict)
    overall_score: Points
    confidence: Share
    evidence: Annotated[list[Evidence], Field(max_length=20)] = Field(default_factory=list)
    #: Findings there were in all; the most telling of them are ``evidence``.
    evidence_total: Count = 0
    #: By sub-score, those that were not assessed included.
    notes: dict[str, SubScoreNote] = Field(default_factory=dict)
    summary: Annotated[str, Field(max_length=2000)]
    #: What is odd about the answer: a retry does not ask again, and must not forget it.
    flags: list[str] = Field(default_factory=list)
    #: The whole answer is too large for an item; it lies elsewhere, for 90 days.
    raw_blob_key: str | None = None
    latency_ms: Count


class WeightedScore(BaseModel):
    raw: Decimal
    weight: Share
    weighted: Decimal


class Highlight(BaseModel):
    """A strength or a weakness, in a sentence, with the place that shows it."""

    name: str
    agent: Agent
    score: Annotated[Decimal, Field(ge=0, le=10)]
    text: Annotated[str, Field(max_length=500)]
    file: str | None = None
    line: Annotated[int, Field(ge=1)] | None = None


class SubmissionSummary(
    Changing,
    table=vibejudge,
    type="SUBMISSION_SUMMARY",
    keys={"primary": Key("SUB#{sub_id}", "SUMMARY")},
):
    """The scorecard of the run that counts."""

    sub_id: Ulid
    hack_id: Ulid
    run_id: Ulid
    team_name: str
    weighted_scores: dict[str, WeightedScore]
    overall_score: Score
    agent_scores: dict[Agent, Points]
    missing_agents: list[Agent] = Field(default_factory=list)
    confidence: Share
    partial: bool = False
    flags: list[str] = Field(default_factory=list)
    strengths: Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)
    weaknesses: Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)
    strength_notes: Annotated[list[Highlight], Field(max_length=3)] = Field(default_factory=list)
    weakness_notes: Annotated[list[Highlight], Field(max_length=3)] = Field(default_factory=list)
    recommendation: Recommendation
    total_cost_usd: Usd = Decimal(0)
    total_tokens: Count = 0
    analysis_duration_ms: Count = 0
    #: What the organiser has decided instead, if so.
    final_score: Score | None = None
    override_id: Ulid | None = None


class Fingerprint(
    Lasting,
    table=vibejudge,
    type="FINGERPRINT",
    keys={"primary": Key("HACK#{hack_id}", "FP#{sub_id}")},
):
    """A MinHash of a submission's code, to find those that resemble each other."""

    hack_id: Ulid
    sub_id: Ulid
    minhash: Annotated[bytes, Field(min_length=1, max_length=4096)]


# --- costs ---------------------------------------------------------------------------------------


class CostRecord(
    Lasting,
    table=vibejudge,
    type="COST_RECORD",
    keys={
        "primary": Key("SUB#{sub_id}", "COST#{run_id}#{agent_name}#{attempt:02d}-{call:02d}"),
    },
):
    """One call of a model. A run again costs again, so nothing is overwritten."""

    sub_id: Ulid
    run_id: Ulid
    agent_name: Agent
    attempt: Number
    call: Number
    hack_id: Ulid
    model_id: str
    service_tier: Literal["standard", "flex"] = "standard"
    input_tokens: Count
    output_tokens: Count
    cache_read_tokens: Count = 0
    cache_write_tokens: Count = 0
    total_tokens: Count
    input_cost_usd: Usd
    output_cost_usd: Usd
    cache_cost_usd: Usd = Decimal(0)
    total_cost_usd: Usd
    latency_ms: Count
    #: The call was made, but what it cost was never told.
    estimated: bool = False


class HackathonCost(
    Changing,
    table=vibejudge,
    type="HACKATHON_COST",
    keys={"primary": Key("HACK#{hack_id}", "COST#SUMMARY")},
):
    """What a hackathon has cost, and what is left to reserve."""

    hack_id: Ulid
    total_cost_usd: Usd = Decimal(0)
    total_input_tokens: Count = 0
    total_output_tokens: Count = 0
    submissions_analyzed: Count = 0
    # Empty maps from the beginning: a number can only be added inside a map that is there.
    cost_by_agent: dict[Agent, Usd] = Field(default_factory=dict)
    cost_by_model: dict[str, Usd] = Field(default_factory=dict)
    budget_remaining_usd: Decimal


class Reservation(
    Lasting,
    table=vibejudge,
    type="RESERVATION",
    keys={
        "primary": Key("HACK#{hack_id}", "RESV#{run_id}#{agent_name}#{attempt:02d}-{call:02d}"),
        "due": Key("TASK_DUE#{shard}", "{due_at}", on="GSI2"),
    },
):
    """Money set aside for one call, until its cost is known.

    It says all that a record of the call would: whoever finds it left behind can charge for it.
    """

    hack_id: Ulid
    run_id: Ulid
    agent_name: Agent
    attempt: Number
    call: Number
    sub_id: Ulid
    org_id: Ulid
    model_id: str
    #: What model selection knows the model by.
    label: str
    service_tier: Literal["standard", "flex"] = "standard"
    #: At the most, as its cost.
    input_tokens: Count
    output_tokens: Count
    input_cost_usd: Usd
    output_cost_usd: Usd
    amount_usd: Usd
    call_started_at: IsoSeconds | None = None
    due_at: IsoSeconds = Field(default_factory=lambda data: data["created_at"] + ORPHANED)
    shard: DueShard = Field(default_factory=lambda data: due_shard(data["run_id"]))
