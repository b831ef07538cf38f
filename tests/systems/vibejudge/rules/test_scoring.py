"""The formulas, with the numbers of the specification."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.vibejudge.entities import ALL_AGENTS, Dimension, PolicyMode
from tablewright.systems.vibejudge.rules import scoring
from tablewright.systems.vibejudge.rules.scoring import WEIGHTS
from tablewright.systems.vibejudge.table import Agent

GIVEN: dict[Agent, str] = {
    "bug_hunter": "7.5 6 8 5.5 7",
    "performance": "8 7 8.5 6.5 7.5",
    "innovation": "9 8.5 7.5 8 7",
    "ai_detection": "8.5 7 9 8 3",
}


def scores_of(agent: Agent, text: str) -> dict[str, Decimal | None]:
    return dict(zip(WEIGHTS[agent], map(Decimal, text.split()), strict=True))


RESULTS = {agent: scores_of(agent, text) for agent, text in GIVEN.items()}


def rubric(**weights: str) -> list[Dimension]:
    agents: dict[str, Agent] = {
        "bugs": "bug_hunter",
        "speed": "performance",
        "new": "innovation",
        "real": "ai_detection",
        "real_too": "ai_detection",
    }
    return [
        Dimension(name=name, weight=Decimal(weight), agent=agents[name])
        for name, weight in weights.items()
    ]


RUBRIC = rubric(bugs="0.25", speed="0.25", new="0.30", real="0.20")


def test_weights_of_every_agent_sum_to_one() -> None:
    assert set(WEIGHTS) == set(ALL_AGENTS)
    for weights in WEIGHTS.values():
        assert len(weights) == 5
        assert sum(weights.values()) == 1


@pytest.mark.parametrize(
    ("agent", "mode", "points"),
    [
        ("bug_hunter", "ai_assisted", "67.75"),
        ("performance", "ai_assisted", "75.50"),
        ("innovation", "ai_assisted", "82.25"),
        ("ai_detection", "traditional", "76.50"),
        ("ai_detection", "ai_assisted", "81.67"),
        ("ai_detection", "full_vibe", "81.67"),
    ],
)
def test_scenario_02_agents(agent: Agent, mode: PolicyMode, points: str) -> None:
    exact = scoring.agent_points(agent, RESULTS[agent], mode)
    assert exact is not None
    assert scoring.rounded(exact) == Decimal(points)


@pytest.mark.parametrize(
    ("mode", "points"),
    [("ai_assisted", "76.82"), ("full_vibe", "75.91"), ("traditional", "75.88")],
)
def test_scenario_02_overall(mode: PolicyMode, points: str) -> None:
    found = scoring.overall(RUBRIC, RESULTS, mode)
    assert found.score == Decimal(points)
    assert not found.partial
    assert found.answered == 1


def test_scenario_03_innovation_fails() -> None:
    answered = {agent: scores for agent, scores in RESULTS.items() if agent != "innovation"}
    found = scoring.overall(RUBRIC, answered, "ai_assisted")
    assert found.score == Decimal("74.49")
    assert found.partial
    assert found.missing == ("innovation",)
    assert found.answered == Fraction(7, 10)
    sure = [(Decimal("0.9"), Fraction(1))]
    assert scoring.overall_confidence(sure, found.answered) == Fraction("0.63")


def test_no_agent_answers() -> None:
    found = scoring.overall(RUBRIC, {}, "ai_assisted")
    assert found.score is None
    assert found.answered == 0


def test_what_does_not_apply_is_left_out_of_the_weights() -> None:
    scores = {**RESULTS["performance"], "database_design": None, "api_design": None}
    # (.3 x 8 + .2 x 6.5 + .1 x 7.5) / .6
    assert scoring.agent_points("performance", scores, "ai_assisted") == Fraction(
        "44.5"
    ) / Fraction("0.6")
    nothing = dict.fromkeys(WEIGHTS["performance"])
    assert scoring.agent_points("performance", nothing, "ai_assisted") is None


def test_custom_policy_and_several_dimensions_of_one_agent() -> None:
    held = rubric(bugs="0.6", real="0.3", real_too="0.1")
    found = scoring.effective_weights(held, "custom", Decimal("0.2"))
    assert found == {
        "bugs": Fraction(4, 5),
        "real": Fraction(3, 20),
        "real_too": Fraction(1, 20),
    }


@pytest.mark.parametrize("mode", ["full_vibe", "traditional"])
@pytest.mark.parametrize("names", [{"bugs": "1"}, {"real": "0.5", "real_too": "0.5"}])
def test_rubrics_with_none_or_only_authenticity_stay(
    mode: PolicyMode, names: dict[str, str]
) -> None:
    held = rubric(**names)
    weights = {each.name: Fraction(each.weight) for each in held}
    assert scoring.effective_weights(held, mode) == weights


def test_a_weight_of_nothing_for_authenticity_is_shared() -> None:
    held = rubric(bugs="1", real="0", real_too="0")
    found = scoring.effective_weights(held, "traditional")
    assert found["real"] == found["real_too"] == Fraction(3, 20)
    assert sum(found.values()) == 1


@given(
    st.lists(st.integers(0, 100), min_size=4, max_size=4).filter(any),
    st.sampled_from(["full_vibe", "ai_assisted", "traditional"]),
    st.data(),
)
def test_scores_stay_in_their_bounds(
    parts: list[int], mode: PolicyMode, data: st.DataObject
) -> None:
    names = ("bugs", "speed", "new", "real")
    held = rubric(**{n: str(Decimal(p) / sum(parts)) for n, p in zip(names, parts, strict=True)})
    value = st.one_of(st.none(), st.decimals(0, 10, places=2))
    results = {
        agent: {name: data.draw(value) for name in weights} for agent, weights in WEIGHTS.items()
    }
    found = scoring.overall(held, results, mode)
    assert found.score is None or 0 <= found.score <= 100


@pytest.mark.parametrize(
    ("exact", "shown"),
    [("76.225", "76.23"), ("76.2249", "76.22"), ("0.005", "0.01"), ("99.995", "100.00")],
)
def test_halves_go_up(exact: str, shown: str) -> None:
    assert scoring.rounded(Fraction(exact)) == Decimal(shown)


def test_clamped() -> None:
    assert scoring.clamped(Fraction(-3)) == 0
    assert scoring.clamped(12) == 10
    assert scoring.clamped(Fraction(1, 3)) == Decimal("0.33")


@pytest.mark.parametrize(
    ("score", "word"),
    [
        ("80", "strong_contender"),
        ("79.99", "solid_submission"),
        ("65", "solid_submission"),
        ("64.99", "needs_improvement"),
        ("45", "needs_improvement"),
        ("44.99", "concerns_flagged"),
    ],
)
def test_recommendation(score: str, word: str) -> None:
    assert scoring.recommendation(Decimal(score)) == word


def test_strengths_and_weaknesses() -> None:
    best = [each.name for each in scoring.strengths(RESULTS, "ai_assisted")]
    assert best == ["authorship_consistency", "technical_novelty", "commit_authenticity"]
    worst = scoring.weaknesses(RESULTS, "ai_assisted")
    assert [each.name for each in worst] == ["error_handling"]
    # Signs of AI are a weakness only where AI is not wanted.
    strict = scoring.weaknesses(RESULTS, "traditional")
    assert [each.name for each in strict] == ["ai_generation_indicators", "error_handling"]


def test_confidence() -> None:
    def static(agent: Agent, commits: int, lines: int = 150) -> Decimal:
        return scoring.static_confidence(agent, commits, RESULTS[agent], lines)

    assert static("bug_hunter", 3) == Decimal("0.9")
    assert static("innovation", 300) == Decimal("0.6")
    assert static("ai_detection", 4) == Decimal("0.49")
    assert static("ai_detection", 5) == Decimal("0.9")
    # A third of it does not need much code.
    assert static("bug_hunter", 300, 0) == Decimal("0.3")
    assert static("bug_hunter", 300, 75) == Decimal("0.6")
    # Half of it does not need much to be assessed.
    nothing: dict[str, Decimal | None] = dict.fromkeys(WEIGHTS["bug_hunter"])
    assert scoring.static_confidence("bug_hunter", 300, nothing, 150) == Decimal("0.45")
    scores = RESULTS["bug_hunter"]
    assert scoring.agent_confidence(Decimal("0.8"), scores) == Decimal("0.8")
    assert scoring.agent_confidence(Decimal("0.8"), scores, Decimal("0.3")) == Decimal("0.8")
    assert scoring.agent_confidence(Decimal("0.8"), scores, Decimal("0.31")) == Decimal("0.5")
    equal: dict[str, Decimal | None] = {"a": Decimal(7), "b": Decimal("7.0"), "c": None}
    assert scoring.agent_confidence(Decimal("0.8"), equal) == Decimal("0.3")
    assert scoring.needs_review(Fraction("0.4999"))
    assert not scoring.needs_review(Fraction("0.5"))
    assert scoring.needs_review(Fraction("0.9"), [Decimal("0.9"), Decimal("0.49")])
    # The whole is as sure as its parts are, by what they weigh.
    parts = [(Decimal("0.9"), Fraction("0.75")), (Decimal("0.5"), Fraction("0.25"))]
    assert scoring.overall_confidence(parts, Fraction(1)) == Fraction("0.8")


def test_suspiciously_good() -> None:
    assert not scoring.suspiciously_good(RESULTS)
    assert not scoring.suspiciously_good({})
    assert scoring.suspiciously_good({"bug_hunter": {"security": Decimal(9), "tests": None}})
