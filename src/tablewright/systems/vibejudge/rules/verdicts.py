"""What the findings of agents come to under a rubric: all that a scorecard is made of.

The same for a run that is published, for one that is scored again by another rubric, and for a
repository that somebody only wants to look at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Protocol, TypeAlias

from tablewright.systems.vibejudge.analysis import (
    Highlight,
    SubmissionSummary,
    SubScoreNote,
    WeightedScore,
)
from tablewright.systems.vibejudge.entities import PolicyConfig, PolicyMode, Rubric, Submission
from tablewright.systems.vibejudge.rules.scoring import (
    Named,
    Overall,
    Scores,
    Weighted,
    agent_overall,
    needs_review,
    overall,
    overall_confidence,
    recommendation,
    rounded,
    strengths,
    suspiciously_good,
    to_nine,
    weaknesses,
)
from tablewright.systems.vibejudge.rules.spoken import titled
from tablewright.systems.vibejudge.table import Agent, Recommendation

#: A person has to look: the agents are not sure.
HUMAN_REVIEW = "human_review"
#: Everything at nine and above.
ALL_HIGH = "all_high"
#: ``commits_outside_dates:3``
OUTSIDE_DATES = "commits_outside_dates"
#: Those that follow from the scores; under another rubric they are found anew.
_OF_SCORES = frozenset({HUMAN_REVIEW, ALL_HIGH})


class AgentFindings(Protocol):
    """What a verdict needs of an agent: its result, stored or new, with a model or without."""

    @property
    def scores(self) -> Mapping[str, Decimal | None]: ...

    @property
    def confidence(self) -> Decimal: ...

    @property
    def notes(self) -> Mapping[str, SubScoreNote]: ...


class Measure(Protocol):
    """What a submission is measured by: a hackathon, or as much of one as this."""

    @property
    def rubric(self) -> Rubric: ...

    @property
    def ai_policy_mode(self) -> PolicyMode: ...

    @property
    def ai_policy_config(self) -> PolicyConfig | None: ...


@dataclass(frozen=True, slots=True)
class Yardstick:
    """A measure without a hackathon."""

    rubric: Rubric
    ai_policy_mode: PolicyMode = "ai_assisted"
    ai_policy_config: PolicyConfig | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run took."""

    cost_usd: Decimal = Decimal(0)
    tokens: int = 0
    duration_ms: int = 0


Results: TypeAlias = Mapping[Agent, AgentFindings]


@dataclass(frozen=True, slots=True)
class Verdict:
    weighted_scores: Mapping[str, WeightedScore]
    overall_score: Decimal
    agent_scores: Mapping[Agent, Decimal]
    missing_agents: tuple[Agent, ...]
    confidence: Decimal
    partial: bool
    flags: tuple[str, ...]
    strengths: tuple[str, ...]
    weaknesses: tuple[str, ...]
    strength_notes: tuple[Highlight, ...]
    weakness_notes: tuple[Highlight, ...]
    recommendation: Recommendation
    totals: Totals = field(default_factory=Totals)

    def summary(
        self,
        submission: Submission,
        run_id: str,
        now: datetime,
        previous: SubmissionSummary | None = None,
    ) -> SubmissionSummary:
        """The scorecard to write; it takes the place of the previous one, and no other's.

        What the organiser has decided instead of the agents is added by whoever writes it.
        """
        return SubmissionSummary(
            sub_id=submission.sub_id,
            hack_id=submission.hack_id,
            run_id=run_id,
            team_name=submission.team_name,
            weighted_scores=dict(self.weighted_scores),
            overall_score=self.overall_score,
            agent_scores=dict(self.agent_scores),
            missing_agents=list(self.missing_agents),
            confidence=self.confidence,
            partial=self.partial,
            flags=list(self.flags),
            strengths=list(self.strengths),
            weaknesses=list(self.weaknesses),
            strength_notes=list(self.strength_notes),
            weakness_notes=list(self.weakness_notes),
            recommendation=self.recommendation,
            total_cost_usd=self.totals.cost_usd,
            total_tokens=self.totals.tokens,
            analysis_duration_ms=self.totals.duration_ms,
            created_at=previous.created_at if previous else now,
            updated_at=now,
            version=previous.version if previous else 0,
        )


def verdict(
    hackathon: Measure,
    results: Results,
    missing: Collection[Agent] = (),
    flags: Iterable[str] = (),
    totals: Totals | None = None,
) -> Verdict | None:
    """What it all comes to; None if no agent has given anything to go by: that has failed.

    ``missing`` are the agents that were asked and have not answered, ``flags`` what was noticed on
    the way. Flags that follow from the scores are added; each is told once. An agent without a
    dimension in the rubric is shown, and decides nothing.
    """
    mode = hackathon.ai_policy_mode
    scores = {agent: found.scores for agent, found in results.items()}
    whole = overall(hackathon.rubric.dimensions, scores, mode, _authenticity(hackathon))
    if whole.score is None:
        return None
    counted = {each.agent for each in whole.dimensions}
    weighed = {agent: found for agent, found in scores.items() if agent in counted}
    weights = _weight_of_agents(whole)
    sure = {agent: results[agent].confidence for agent in weighed if weights.get(agent)}
    confidence = overall_confidence(
        ((each, weights[agent]) for agent, each in sure.items()), whole.answered
    )
    best, worst = strengths(weighed, mode), weaknesses(weighed, mode)
    absent = tuple(dict.fromkeys([*whole.missing, *missing]))
    points = {agent: agent_overall(agent, each, mode) for agent, each in scores.items()}
    return Verdict(
        weighted_scores=_weighted(whole),
        overall_score=whole.score,
        agent_scores={agent: each for agent, each in points.items() if each is not None},
        missing_agents=absent,
        confidence=rounded(confidence),
        partial=bool(absent),
        flags=_flags(flags, weighed, needs_review(confidence, sure.values())),
        strengths=tuple(each.name for each in best),
        weaknesses=tuple(each.name for each in worst),
        strength_notes=tuple(_highlight(each, results) for each in best),
        weakness_notes=tuple(_highlight(each, results) for each in worst),
        recommendation=recommendation(whole.score),
        totals=totals or Totals(),
    )


def _weight_of_agents(whole: Overall) -> dict[Agent, Fraction]:
    """Sum what the dimensions of each agent weigh, for agents that have answered."""
    weights: dict[Agent, Fraction] = {}
    for each in whole.dimensions:
        if each.raw is not None:
            weights[each.agent] = weights.get(each.agent, Fraction(0)) + each.weight
    return weights


def _highlight(named: Named, results: Results) -> Highlight:
    """Explain why a sub-score stands out, by the agent's own note if it has one."""
    note = results[named.agent].notes.get(named.name)
    said = f"{named.score:.1f} of 10." if note is None else note.text
    text = f"{titled(named.name)}: {said}"[:500]
    return Highlight(
        name=named.name,
        agent=named.agent,
        score=named.score,
        text=text,
        file=None if note is None else note.file,
        line=None if note is None else note.line,
    )


def _flags(
    told: Iterable[str], weighed: Mapping[Agent, Scores], for_review: bool
) -> tuple[str, ...]:
    found = [each for each in told if each not in _OF_SCORES]
    if suspiciously_good(weighed):
        found.append(ALL_HIGH)
    if for_review:
        found.append(HUMAN_REVIEW)
    return tuple(dict.fromkeys(found))


def outside_dates(commits: int) -> tuple[str, ...]:
    """The flag for so many commits outside the dates, if there are any."""
    return (f"{OUTSIDE_DATES}:{commits}",) if commits else ()


def _authenticity(hackathon: Measure) -> Decimal | None:
    config = hackathon.ai_policy_config
    return None if config is None else config.authenticity_weight


def _weighted(whole: Overall) -> dict[str, WeightedScore]:
    """Dimensions whose agents have answered, each with what it weighs under the policy."""
    return {each.name: _row(each, each.raw) for each in whole.dimensions if each.raw is not None}


def _row(dimension: Weighted, raw: Fraction) -> WeightedScore:
    return WeightedScore(
        raw=to_nine(raw),
        weight=to_nine(dimension.weight),
        weighted=to_nine(raw * dimension.weight),
    )
