"""The scorecard of a submission, as that of a repository that somebody has just looked at."""

from __future__ import annotations

from decimal import Decimal

from tablewright.service.repo_urls import BadRepoUrl, RepoUrl, parse
from tablewright.systems.vibejudge.analysing import Analysis
from tablewright.systems.vibejudge.analysis import AgentScore, SubmissionSummary
from tablewright.systems.vibejudge.cli.asked import Asked
from tablewright.systems.vibejudge.cli.cards import Card, Standing
from tablewright.systems.vibejudge.entities import RepoMeta, Rubric, Submission
from tablewright.systems.vibejudge.rules.verdicts import OUTSIDE_DATES, Totals, Verdict, Yardstick
from tablewright.systems.vibejudge.service.scorecards import Scorecard
from tablewright.systems.vibejudge.static.results import AgentResult


def card_of(stored: Scorecard) -> Card:
    """What is stored of the run that counts."""
    submission, summary, run = stored.submission, stored.summary, stored.run
    return Card(
        asked=_asked(submission),
        analysis=Analysis(
            sha=(run.commit_sha if run else None) or submission.frozen_sha or "",
            default_branch=submission.default_branch,
            meta=submission.repo_meta or _nothing(submission),
            results={each.agent_name: _result(each) for each in stored.agents},
            rules_version=run.rules_version if run else "unknown",
            # A run without code has no scorecard.
            code_lines=1,
            notes=(),
            outside_window=_outside(summary),
            fingerprint=b"",
        ),
        verdict=_verdict(summary),
        by=Yardstick(
            _rubric(stored), stored.hackathon.ai_policy_mode, stored.hackathon.ai_policy_config
        ),
        seconds=summary.analysis_duration_ms / 1000,
        standing=_standing(stored),
    )


def _standing(stored: Scorecard) -> Standing:
    submission, run = stored.submission, stored.run
    return Standing(
        hackathon=stored.hackathon.name,
        rank=stored.rank,
        final_score=submission.final_score,
        overridden=submission.override_id is not None,
        disqualified_reason=submission.disqualified_reason,
        models=run is not None and run.provider != "static",
        cost_usd=stored.summary.total_cost_usd,
    )


def _asked(submission: Submission) -> Asked:
    return Asked(submission.repo_url, submission.team_name, None, _repo(submission.repo_url))


def _repo(url: str) -> RepoUrl | None:
    try:
        return parse(url)
    except BadRepoUrl:
        return None  # a repository of this machine


def _result(score: AgentScore) -> AgentResult:
    return AgentResult(
        score.scores,
        tuple(score.evidence),
        score.summary,
        score.confidence,
        notes=score.notes,
        evidence_total=score.evidence_total,
    )


def _verdict(summary: SubmissionSummary) -> Verdict:
    return Verdict(
        weighted_scores=summary.weighted_scores,
        overall_score=summary.overall_score,
        agent_scores=summary.agent_scores,
        missing_agents=tuple(summary.missing_agents),
        confidence=summary.confidence,
        partial=summary.partial,
        flags=tuple(summary.flags),
        strengths=tuple(summary.strengths),
        weaknesses=tuple(summary.weaknesses),
        strength_notes=tuple(summary.strength_notes),
        weakness_notes=tuple(summary.weakness_notes),
        recommendation=summary.recommendation,
        totals=Totals(summary.total_cost_usd, summary.total_tokens, summary.analysis_duration_ms),
    )


def _rubric(stored: Scorecard) -> Rubric:
    """That the summary was made by: the hackathon's, unless it has another one by now."""
    now = stored.hackathon.rubric
    known = {each.name for each in now.dimensions}
    if stored.run is None or set(stored.summary.weighted_scores) <= known:
        return now
    return stored.run.rubric


def _outside(summary: SubmissionSummary) -> int:
    counts = [each.partition(":")[2] for each in summary.flags if each.startswith(OUTSIDE_DATES)]
    return int(counts[0]) if counts and counts[0].isdigit() else 0


def _nothing(submission: Submission) -> RepoMeta:
    """Of a repository of which nothing more is known."""
    at = submission.created_at
    return RepoMeta(
        commit_count=0,
        branch_count=0,
        contributor_count=0,
        total_files=0,
        total_lines=0,
        has_readme=False,
        has_tests=False,
        has_ci=False,
        has_dockerfile=False,
        first_commit_at=at,
        last_commit_at=at,
        development_duration_hours=Decimal(0),
    )
