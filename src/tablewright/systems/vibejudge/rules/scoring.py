"""How scores come about: pure formulas, exact until they are rounded, and rounded once.

An agent gives sub-scores from 0 to 10; their weighted mean, times ten, is the agent's score. The
dimensions of a rubric weigh agents, the policy on AI shifts these weights, and their weighted mean
is the score that people read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import TypeAlias

from tablewright.systems.vibejudge.entities import Dimension, PolicyMode
from tablewright.systems.vibejudge.table import Agent, Recommendation

#: Of one agent: a sub-score by name; None does not apply.
Scores: TypeAlias = Mapping[str, Decimal | None]

WEIGHTS: Mapping[Agent, Mapping[str, Decimal]] = {
    "bug_hunter": {
        "code_quality": Decimal("0.30"),
        "security": Decimal("0.30"),
        "test_coverage": Decimal("0.15"),
        "error_handling": Decimal("0.15"),
        "dependency_hygiene": Decimal("0.10"),
    },
    "performance": {
        "architecture": Decimal("0.30"),
        "database_design": Decimal("0.20"),
        "api_design": Decimal("0.20"),
        "scalability": Decimal("0.20"),
        "resource_efficiency": Decimal("0.10"),
    },
    "innovation": {
        "technical_novelty": Decimal("0.30"),
        "creative_problem_solving": Decimal("0.25"),
        "architecture_elegance": Decimal("0.20"),
        "readme_quality": Decimal("0.15"),
        "demo_potential": Decimal("0.10"),
    },
    "ai_detection": {
        "commit_authenticity": Decimal("0.30"),
        "development_velocity": Decimal("0.20"),
        "authorship_consistency": Decimal("0.20"),
        "iteration_depth": Decimal("0.20"),
        "ai_generation_indicators": Decimal("0.10"),
    },
}
#: Signs of AI are held against a submission only where AI is not wanted.
INDICATORS = "ai_generation_indicators"
#: What the dimensions of ai_detection weigh together; other modes leave the rubric's.
AUTHENTICITY: Mapping[PolicyMode, Decimal] = {
    "full_vibe": Decimal("0.05"),
    "traditional": Decimal("0.30"),
}
#: From the best: at least so many points for each.
RECOMMENDATIONS: tuple[tuple[Decimal, Recommendation], ...] = (
    (Decimal(80), "strong_contender"),
    (Decimal(65), "solid_submission"),
    (Decimal(45), "needs_improvement"),
)
STRONG, WEAK, NAMED = Decimal(7), Decimal(6), 3
HUNDREDTH = Decimal("0.01")


# --- agents --------------------------------------------------------------------------------------


def agent_points(agent: Agent, scores: Scores, mode: PolicyMode) -> Fraction | None:
    """0 to 100, exact; None if nothing that counts applies."""
    counted = {
        name: (Fraction(weight), Fraction(score))
        for name, weight in WEIGHTS[agent].items()
        if (score := scores.get(name)) is not None and _counts(name, mode)
    }
    whole = sum((weight for weight, _ in counted.values()), Fraction(0))
    if not whole:
        return None
    return 10 * sum((w * score for w, score in counted.values()), Fraction(0)) / whole


def _counts(name: str, mode: PolicyMode) -> bool:
    return name != INDICATORS or mode == "traditional"


def agent_overall(agent: Agent, scores: Scores, mode: PolicyMode) -> Decimal | None:
    """The same with nine decimals, for an item; what is ranked is made of the exact one."""
    points = agent_points(agent, scores, mode)
    return None if points is None else to_nine(points)


def to_nine(value: Fraction) -> Decimal:
    """Nine decimals, for an item that others are not computed from."""
    return _rounded(value, Decimal("0.000000001")).normalize()


def clamped(value: Decimal | Fraction | int | float) -> Decimal:
    """A sub-score: 0 to 10, with two decimals."""
    exact = Fraction(value)
    return _rounded(min(Fraction(10), max(Fraction(0), exact)), HUNDREDTH)


def rounded(value: Fraction | Decimal) -> Decimal:
    """Two decimals, half up."""
    return _rounded(Fraction(value), HUNDREDTH)


def _rounded(value: Fraction, step: Decimal) -> Decimal:
    # Whole steps by integers: a division of decimals would round before it is rounded.
    steps = value / Fraction(step)
    whole = (2 * steps.numerator + steps.denominator) // (2 * steps.denominator)
    return (Decimal(whole) * step).quantize(step, ROUND_HALF_UP)


# --- policy --------------------------------------------------------------------------------------


def effective_weights(
    dimensions: Sequence[Dimension], mode: PolicyMode, authenticity: Decimal | None = None
) -> dict[str, Fraction]:
    """What each dimension weighs under a policy, by name. They sum to what the rubric's do, or 1.

    ``authenticity`` is what a custom policy sets. Rubrics with none or only dimensions of
    ai_detection stay as they are.
    """
    rubric = {each.name: Fraction(each.weight) for each in dimensions}
    own = [each.name for each in dimensions if each.agent == "ai_detection"]
    wanted = authenticity if mode == "custom" else AUTHENTICITY.get(mode)
    rest = sum((weight for name, weight in rubric.items() if name not in own), Fraction(0))
    if wanted is None or not own or not rest:
        return rubric
    share, held = Fraction(wanted), sum((rubric[name] for name in own), Fraction(0))
    result = {}
    for name, weight in rubric.items():
        if name not in own:
            result[name] = weight * (1 - share) / rest
        else:
            result[name] = share * weight / held if held else share / len(own)
    return result


# --- the whole -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Weighted:
    """One dimension of a scorecard. ``raw`` is 0 to 10; None if its agent did not answer."""

    name: str
    agent: Agent
    raw: Fraction | None
    weight: Fraction

    @property
    def weighted(self) -> Fraction | None:
        return None if self.raw is None else self.raw * self.weight


@dataclass(frozen=True, slots=True)
class Overall:
    """What a submission comes to. No score at all means that it has failed."""

    score: Decimal | None
    dimensions: tuple[Weighted, ...]
    missing: tuple[Agent, ...]
    #: The share of the weights whose agents have answered.
    answered: Fraction

    @property
    def partial(self) -> bool:
        return bool(self.missing)


def overall(
    dimensions: Sequence[Dimension],
    results: Mapping[Agent, Scores],
    mode: PolicyMode,
    authenticity: Decimal | None = None,
) -> Overall:
    """The score of a submission from the agents that answered; one that failed is not in there."""
    weights = effective_weights(dimensions, mode, authenticity)
    points = {agent: agent_points(agent, scores, mode) for agent, scores in results.items()}
    rows = tuple(_weighted(each, points.get(each.agent), weights) for each in dimensions)
    answered = [each for each in rows if each.raw is not None]
    whole = sum((each.weight for each in rows), Fraction(0))
    held = sum((each.weight for each in answered), Fraction(0))
    # Those that answered may weigh nothing: then there is nothing to go by.
    total = sum((each.weighted or Fraction(0) for each in answered), Fraction(0))
    score = rounded(10 * total / held) if held else None
    missing = tuple(dict.fromkeys(each.agent for each in rows if each.raw is None))
    return Overall(score, rows, missing, held / whole if whole else Fraction(0))


def _weighted(
    dimension: Dimension, points: Fraction | None, weights: Mapping[str, Fraction]
) -> Weighted:
    raw = None if points is None else points / 10
    return Weighted(dimension.name, dimension.agent, raw, weights[dimension.name])


def recommend(overall_score: Decimal | None, final_score: Decimal | None) -> Recommendation | None:
    """Recommend by the score that ranks a submission: the final one, else the agents'."""
    score = overall_score if final_score is None else final_score
    return None if score is None else recommendation(score)


def recommendation(score: Decimal) -> Recommendation:
    for least, word in RECOMMENDATIONS:
        if score >= least:
            return word
    return "concerns_flagged"


@dataclass(frozen=True, slots=True)
class Named:
    """A sub-score that stands out."""

    agent: Agent
    name: str
    score: Decimal


def strengths(results: Mapping[Agent, Scores], mode: PolicyMode) -> list[Named]:
    """The three best of those that are good."""
    found = [each for each in _named(results, mode) if each.score >= STRONG]
    return sorted(found, key=lambda each: (-each.score, each.agent, each.name))[:NAMED]


def weaknesses(results: Mapping[Agent, Scores], mode: PolicyMode) -> list[Named]:
    """The three worst of those that are not."""
    found = [each for each in _named(results, mode) if each.score < WEAK]
    return sorted(found, key=lambda each: (each.score, each.agent, each.name))[:NAMED]


def _named(results: Mapping[Agent, Scores], mode: PolicyMode) -> Iterable[Named]:
    for agent, scores in results.items():
        for name, score in scores.items():
            if score is not None and _counts(name, mode):
                yield Named(agent, name, score)


# --- confidence ----------------------------------------------------------------------------------

#: Fewer lines of code are too few for rules to be sure, or to give full marks.
ENOUGH_LINES = 150
STATIC_CONFIDENCE = Decimal("0.9")
INNOVATION_CONFIDENCE = Decimal("0.6")
FEW_COMMITS, FEW_COMMITS_CONFIDENCE = 5, Decimal("0.49")
#: Above this share of false evidence, an agent is not believed much.
FALSE_EVIDENCE, FALSE_CONFIDENCE = Decimal("0.3"), Decimal("0.5")
#: An agent that gives the same for everything has not looked.
ALL_EQUAL_CONFIDENCE = Decimal("0.3")
REVIEWED_BELOW = Fraction("0.5")
SUSPICIOUS = Decimal(9)


def static_confidence(agent: Agent, commits: int, scores: Scores, lines: int) -> Decimal:
    """Tell how far to believe the rules of an agent without a model.

    The less of its sub-scores could be assessed and the less code there is, the less.
    """
    base = INNOVATION_CONFIDENCE if agent == "innovation" else STATIC_CONFIDENCE
    weights = WEIGHTS[agent]
    assessed = sum((weights[name] for name in weights if scores.get(name) is not None), Decimal(0))
    share = Fraction(assessed) / Fraction(sum(weights.values()))
    enough = min(Fraction(1), Fraction(lines, ENOUGH_LINES))
    found = rounded(Fraction(base) * (1 + share) / 2 * (1 + 2 * enough) / 3)
    few = agent == "ai_detection" and commits < FEW_COMMITS
    return min(found, FEW_COMMITS_CONFIDENCE) if few else found


def agent_confidence(said: Decimal, scores: Scores, false_share: Decimal = Decimal(0)) -> Decimal:
    """What an agent says of itself, lowered by what speaks against it."""
    applied = [each for each in scores.values() if each is not None]
    bounds = [said]
    if false_share > FALSE_EVIDENCE:
        bounds.append(FALSE_CONFIDENCE)
    if len(applied) > 1 and len(set(applied)) == 1:
        bounds.append(ALL_EQUAL_CONFIDENCE)
    return max(Decimal(0), min(Decimal(1), *bounds))


def overall_confidence(agents: Iterable[tuple[Decimal, Fraction]], answered: Fraction) -> Fraction:
    """Average the agents' confidence by what each weighs, times the share that has answered."""
    weighed = [(Fraction(sure), weight) for sure, weight in agents if weight]
    whole = sum((weight for _, weight in weighed), Fraction(0))
    if not whole:
        return Fraction(0)
    return sum((sure * weight for sure, weight in weighed), Fraction(0)) / whole * answered


def needs_review(confidence: Fraction, agents: Iterable[Decimal] = ()) -> bool:
    """Tell whether a person has to look: the whole or one of the agents is not sure enough.

    The comparison is exact: .496 is not enough, though it reads .50.
    """
    return any(each < REVIEWED_BELOW for each in (confidence, *map(Fraction, agents)))


def suspiciously_good(results: Mapping[Agent, Scores]) -> bool:
    """Everything at nine and above: rather a grader that was talked to than a miracle."""
    given = [score for scores in results.values() for score in scores.values() if score is not None]
    return bool(given) and min(given) >= SUSPICIOUS
