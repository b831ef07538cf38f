"""What findings come to: the numbers of a scorecard, flags, and the summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from tablewright.model import new_ulid
from tablewright.systems.vibejudge.analysis import SubScoreNote
from tablewright.systems.vibejudge.entities import (
    Dimension,
    PolicyConfig,
    PolicyMode,
    Rubric,
    Submission,
)
from tablewright.systems.vibejudge.rules.flags import said
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.rules.verdicts import (
    Totals,
    Yardstick,
    outside_dates,
    verdict,
)
from tablewright.systems.vibejudge.table import Agent

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
RUBRIC = TEMPLATES[0].rubric
GIVEN: dict[Agent, str] = {
    "bug_hunter": "7.5 6 8 5.5 7",
    "performance": "8 7 8.5 6.5 7.5",
    "innovation": "9 8.5 7.5 8 7",
    "ai_detection": "8.5 7 9 8 3",
}


@dataclass(frozen=True)
class Found:
    scores: dict[str, Decimal | None]
    confidence: Decimal = Decimal("0.9")
    notes: dict[str, SubScoreNote] = field(default_factory=dict)


def found(agent: Agent, text: str, confidence: str = "0.9") -> Found:
    given = [None if each == "-" else Decimal(each) for each in text.split()]
    return Found(dict(zip(WEIGHTS[agent], given, strict=True)), Decimal(confidence))


def all_of(but: Agent | None = None) -> dict[Agent, Found]:
    return {agent: found(agent, text) for agent, text in GIVEN.items() if agent != but}


@pytest.mark.parametrize(
    ("mode", "score"),
    [("ai_assisted", "76.82"), ("full_vibe", "75.91"), ("traditional", "75.88")],
)
def test_the_same_findings_under_three_policies(mode: PolicyMode, score: str) -> None:
    made = verdict(Yardstick(RUBRIC, mode), all_of())
    assert made is not None
    assert made.overall_score == Decimal(score)
    assert made.recommendation == "solid_submission"
    # What is weighed is what was scored: the parts sum to the whole.
    parts = sum(each.weighted for each in made.weighted_scores.values())
    assert abs(10 * parts - made.overall_score) < Decimal("0.006")


def test_an_agent_that_failed_makes_it_partial() -> None:
    made = verdict(Yardstick(RUBRIC), all_of("innovation"), missing=["innovation"])
    assert made is not None
    assert (made.overall_score, made.partial) == (Decimal("74.49"), True)
    assert made.missing_agents == ("innovation",)
    assert made.confidence == Decimal("0.63")  # 0.9 x 0.7
    assert "innovation" not in made.weighted_scores


def test_half_a_confidence_is_not_reached_by_rounding() -> None:
    dimensions = [
        Dimension(name="quality", weight=Decimal("0.9"), agent="bug_hunter"),
        Dimension(name="speed", weight=Decimal("0.1"), agent="performance"),
    ]
    rubric = Rubric(name="Two", dimensions=dimensions)
    sure: dict[Agent, Found] = {"bug_hunter": found("bug_hunter", GIVEN["bug_hunter"], "0.55")}
    made = verdict(Yardstick(rubric), sure, missing=["performance"])
    assert made is not None
    assert (made.confidence, made.flags) == (Decimal("0.50"), ("human_review",))  # .495


def test_nobody_has_answered() -> None:
    assert verdict(Yardstick(RUBRIC), {}, missing=list(GIVEN)) is None
    nothing = {"bug_hunter": found("bug_hunter", "- - - - -")}
    assert verdict(Yardstick(RUBRIC), nothing) is None


def test_flags_are_told_once_and_found_anew() -> None:
    high: dict[Agent, Found] = {agent: found(agent, "9 9.5 9 10 9", "0.4") for agent in GIVEN}
    flags = (*outside_dates(3), "injection:role:README.md:3", *outside_dates(3))
    made = verdict(Yardstick(RUBRIC), high, flags=flags)
    assert made is not None
    assert made.flags == (
        "commits_outside_dates:3",
        "injection:role:README.md:3",
        "all_high",
        "human_review",
    )
    # Under another measure, what followed from the scores does not follow any more.
    again = verdict(Yardstick(RUBRIC), all_of(), flags=made.flags)
    assert again is not None
    assert again.flags == made.flags[:2]
    assert outside_dates(0) == ()


def test_an_agent_without_a_dimension_decides_nothing() -> None:
    rubric = RUBRIC.model_copy(
        update={"dimensions": [RUBRIC.dimensions[0].model_copy(update={"weight": Decimal(1)})]}
    )
    unsure: dict[Agent, Found] = {
        "bug_hunter": found("bug_hunter", GIVEN["bug_hunter"]),
        "innovation": found("innovation", "0 0 0 0 0", "0.1"),
    }
    made = verdict(Yardstick(rubric), unsure)
    assert made is not None
    assert (made.overall_score, made.confidence) == (Decimal("67.75"), Decimal("0.90"))
    assert made.weaknesses == ("error_handling",)
    assert made.agent_scores["innovation"] == 0


def test_a_custom_policy_weighs_authenticity() -> None:
    config = PolicyConfig(authenticity_weight=Decimal("0.5"))
    made = verdict(Yardstick(RUBRIC, "custom", config), all_of())
    assert made is not None
    assert made.weighted_scores["authenticity"].weight == Decimal("0.5")


def test_a_summary_takes_the_place_of_the_one_before() -> None:
    submission = Submission(
        hack_id=new_ulid(),
        team_name="Team",
        repo_url="https://github.com/a/b",
        repo_owner="a",
        repo_name="b",
        created_at=NOW,
        updated_at=NOW,
    )
    made = verdict(Yardstick(RUBRIC), all_of(), totals=Totals(Decimal("0.5"), 10, 2000))
    assert made is not None
    first = made.summary(submission, new_ulid(), NOW)
    assert (first.version, first.total_tokens, first.team_name) == (0, 10, "Team")
    run_id, later = new_ulid(), NOW + timedelta(hours=1)
    second = made.summary(submission, run_id, later, first.model_copy(update={"version": 3}))
    assert (second.version, second.run_id) == (3, run_id)
    assert (second.created_at, second.updated_at) == (NOW, later)


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("commits_outside_dates:3", "Commits outside the dates of the hackathon: 3."),
        ("all_high:bug_hunter", "Every sub-score of bug hunter is at 9 or above, which is rare."),
        ("injection:role:a{}.md:3", "Text that speaks to the grader: role in a{}.md:3."),
        ("something_new:{0}", "something_new:{0}"),
    ],
)
def test_flags_in_words(flag: str, words: str) -> None:
    assert said(flag) == words
