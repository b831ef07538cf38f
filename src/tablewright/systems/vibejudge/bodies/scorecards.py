"""Scorecards, runs, and scoring again, as they are shown."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from pydantic import BaseModel, ConfigDict, Field

from tablewright.service.repo_urls import BadRepoUrl, parse
from tablewright.systems.vibejudge.analysis import (
    AgentScore,
    Evidence,
    Highlight,
    Run,
    RunStatus,
    Severity,
)
from tablewright.systems.vibejudge.bodies.common import NumberOut, ScoreOut, UsdOut
from tablewright.systems.vibejudge.bodies.hackathons import RubricOut, rubric_out
from tablewright.systems.vibejudge.entities import Dimension, PolicyMode, RepoMeta, SubmissionStatus
from tablewright.systems.vibejudge.rules.flags import said
from tablewright.systems.vibejudge.rules.permalinks import permalink
from tablewright.systems.vibejudge.rules.scoring import recommendation, rounded
from tablewright.systems.vibejudge.service.scorecards import Rescored, RunDetail, Scorecard
from tablewright.systems.vibejudge.table import Agent, Provider, Recommendation


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True)


class EvidenceOut(_Out):
    """What a score rests on: a line of the repository at the commit that was judged."""

    file: str
    line: int
    severity: Severity
    message: str
    excerpt: str
    link: str | None = Field(description="Where the line can be seen, if the host is known.")


class NoteOut(_Out):
    """Why a sub-score is what it is, or why it was not assessed."""

    assessed: bool
    text: str | None = Field(description="A sentence; null in results of earlier versions.")
    file: str | None = None
    line: int | None = None
    link: str | None = Field(default=None, description="Where the line can be seen.")


class HighlightOut(_Out):
    """A strength or a weakness in a sentence, with the place that shows it."""

    name: str
    agent: Agent
    score: ScoreOut
    text: str
    file: str | None = None
    line: int | None = None
    link: str | None = Field(default=None, description="Where the line can be seen.")


class AgentOut(_Out):
    """What one agent found."""

    agent: Agent
    model_id: str
    overall_score: ScoreOut | None = Field(description="0 to 100; null if it decides nothing.")
    confidence: ScoreOut
    scores: dict[str, ScoreOut | None] = Field(description="0 to 10; null was not assessed.")
    notes: dict[str, NoteOut] = Field(description="A sentence for every sub-score.")
    static_scores: dict[str, ScoreOut | None] = Field(
        description="What the fixed rules say, beside a model's scores."
    )
    summary: str
    evidence: list[EvidenceOut] = Field(description="The most telling findings, 20 at the most.")
    evidence_total: int = Field(description="How many findings there are in all.")
    latency_ms: int


class DimensionOut(_Out):
    """One dimension of the rubric; null where its agent has not answered."""

    name: str
    agent: Agent
    rubric_weight: NumberOut
    raw: ScoreOut | None = Field(description="0 to 10.")
    weight: NumberOut | None = Field(description="What it weighs under the policy.")
    weighted: ScoreOut | None

    @property
    def points(self) -> Decimal | None:
        """What it adds to a score of 100."""
        return None if self.weighted is None else rounded(10 * self.weighted)


class FlagOut(_Out):
    """Something for people to look into. It takes no points."""

    flag: str
    said: str


class ScorecardOut(_Out):
    """What a submission has come to."""

    hack_id: str
    sub_id: str
    team_name: str
    repo_url: str
    status: SubmissionStatus
    rank: int | None = Field(description="Equal scores share one; null outside of the ranking.")
    score: ScoreOut = Field(description="What it is ranked by: the final score, else the agents'.")
    overall_score: ScoreOut = Field(description="The agents'.")
    final_score: ScoreOut | None = Field(description="With what judges and organisers say.")
    overridden: bool
    recommendation: Recommendation = Field(description="By the score it is ranked by.")
    confidence: ScoreOut
    partial: bool
    missing_agents: list[Agent]
    flags: list[FlagOut]
    strengths: list[str] = Field(description="Names of sub-scores.")
    weaknesses: list[str] = Field(description="Names of sub-scores.")
    strength_notes: list[HighlightOut] = Field(description="The same as sentences.")
    weakness_notes: list[HighlightOut] = Field(description="The same as sentences.")
    dimensions: list[DimensionOut]
    agents: list[AgentOut]
    ai_policy_mode: PolicyMode
    run_id: str
    commit_sha: str | None
    provider: Provider | None
    rules_version: str | None
    prompt_version: str | None
    repo_meta: RepoMeta | None
    disqualified_reason: str | None
    total_cost_usd: UsdOut
    total_tokens: int
    analysis_duration_ms: int
    scored_at: datetime


class RunOut(_Out):
    """One analysis of a submission, and all that makes it repeatable."""

    run_id: str
    status: RunStatus
    commit_sha: str | None
    provider: Provider
    rubric: RubricOut
    prompt_version: str
    rules_version: str
    rate_version: str
    flags: list[str]
    created_at: datetime
    updated_at: datetime


class RunDetailOut(RunOut):
    """A run with what its agents found."""

    counts: bool = Field(description="Whether it is the one that the scorecard rests on.")
    agents: list[AgentOut]


class RescoredOut(_Out):
    """How far scoring again has come: if some are left, ask once more."""

    total: int = Field(description="Submissions that are completed.")
    rescored: int
    unchanged: int = Field(description="They come to the same.")
    skipped: int = Field(
        description="Analysed anew meanwhile, or without anything that the rubric looks at."
    )
    left: int = Field(description="There was no time for them.")


def scorecard_out(card: Scorecard) -> ScorecardOut:
    submission, summary, run = card.submission, card.summary, card.run
    sha = None if run is None else run.commit_sha
    final = submission.final_score
    return ScorecardOut(
        hack_id=submission.hack_id,
        sub_id=submission.sub_id,
        team_name=submission.team_name,
        repo_url=submission.repo_url,
        status=submission.status,
        rank=card.rank,
        score=summary.overall_score if final is None else final,
        overall_score=summary.overall_score,
        final_score=final,
        overridden=submission.override_id is not None,
        recommendation=recommendation(summary.overall_score if final is None else final),
        confidence=summary.confidence,
        partial=summary.partial,
        missing_agents=summary.missing_agents,
        flags=[FlagOut(flag=each, said=said(each)) for each in summary.flags],
        strengths=summary.strengths,
        weaknesses=summary.weaknesses,
        strength_notes=[
            highlight_out(each, submission.repo_url, sha) for each in summary.strength_notes
        ],
        weakness_notes=[
            highlight_out(each, submission.repo_url, sha) for each in summary.weakness_notes
        ],
        dimensions=[_dimension(card, each) for each in _rubric(card)],
        agents=[
            agent_out(each, submission.repo_url, sha, summary.agent_scores) for each in card.agents
        ],
        ai_policy_mode=card.hackathon.ai_policy_mode,
        run_id=summary.run_id,
        commit_sha=sha,
        provider=None if run is None else run.provider,
        rules_version=None if run is None else run.rules_version,
        prompt_version=None if run is None else run.prompt_version,
        repo_meta=submission.repo_meta,
        disqualified_reason=submission.disqualified_reason,
        total_cost_usd=summary.total_cost_usd,
        total_tokens=summary.total_tokens,
        analysis_duration_ms=summary.analysis_duration_ms,
        scored_at=summary.updated_at,
    )


def _rubric(card: Scorecard) -> list[Dimension]:
    """That the summary was made by: the hackathon's, unless it has another one by now."""
    now = card.hackathon.rubric.dimensions
    if card.run is None or set(card.summary.weighted_scores) <= {each.name for each in now}:
        return now
    return card.run.rubric.dimensions


def _dimension(card: Scorecard, dimension: Dimension) -> DimensionOut:
    found = card.summary.weighted_scores.get(dimension.name)
    return DimensionOut(
        name=dimension.name,
        agent=dimension.agent,
        rubric_weight=dimension.weight,
        raw=None if found is None else rounded(found.raw),
        weight=None if found is None else found.weight,
        weighted=None if found is None else found.weighted,
    )


def agent_out(
    score: AgentScore, repo_url: str, sha: str | None, points: dict[Agent, Decimal] | None = None
) -> AgentOut:
    """``points`` are those of a summary, whose rubric and policy may be others than the run's."""
    overall = score.overall_score if points is None else points.get(score.agent_name)
    return AgentOut(
        agent=score.agent_name,
        model_id=score.model_id,
        overall_score=None if overall is None else rounded(overall),
        confidence=score.confidence,
        scores=score.scores,
        static_scores=score.static_scores,
        notes={name: _note_out(score, name, repo_url, sha) for name in score.scores},
        summary=score.summary,
        evidence=[evidence_out(each, repo_url, sha) for each in score.evidence],
        # Results of earlier versions do not say how many there were.
        evidence_total=max(score.evidence_total, len(score.evidence)),
        latency_ms=score.latency_ms,
    )


def _note_out(score: AgentScore, name: str, repo_url: str, sha: str | None) -> NoteOut:
    note = score.notes.get(name)
    assessed = score.scores[name] is not None
    if note is None:
        return NoteOut(assessed=assessed, text=None)
    link = _link(note.file, note.line, repo_url, sha)
    return NoteOut(assessed=assessed, text=note.text, file=note.file, line=note.line, link=link)


def highlight_out(found: Highlight, repo_url: str, sha: str | None) -> HighlightOut:
    link = _link(found.file, found.line, repo_url, sha)
    return HighlightOut(**found.model_dump(), link=link)


def evidence_out(evidence: Evidence, repo_url: str, sha: str | None) -> EvidenceOut:
    link = _link(evidence.file, evidence.line, repo_url, sha)
    return EvidenceOut(**evidence.model_dump(), link=link)


def _link(file: str | None, line: int | None, repo_url: str, sha: str | None) -> str | None:
    if sha is None or file is None or line is None:
        return None
    try:
        return permalink(parse(repo_url), sha, file, line)
    except BadRepoUrl:
        return None  # a repository of this machine


def run_out(run: Run) -> RunOut:
    shown = run.model_dump(include=set(RunOut.model_fields) - {"rubric"})
    return RunOut(**shown, rubric=rubric_out(run.rubric))


def run_detail_out(found: RunDetail) -> RunDetailOut:
    run, repo_url = found.run, found.submission.repo_url
    return RunDetailOut(
        **run_out(run).model_dump(exclude={"rubric"}),
        rubric=rubric_out(run.rubric),
        counts=found.counts,
        agents=[agent_out(each, repo_url, run.commit_sha) for each in found.agents],
    )


def rescored_out(done: Rescored) -> RescoredOut:
    return RescoredOut(
        total=done.total,
        rescored=done.rescored,
        unchanged=done.unchanged,
        skipped=done.skipped,
        left=done.left,
    )
