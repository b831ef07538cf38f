"""A scorecard, as its page shows it: figures for pictures, and findings agent by agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tablewright.systems.vibejudge.bodies.scorecards import AgentOut, ScorecardOut
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.pages.paths import scorecard_path
from tablewright.systems.vibejudge.rules.scoring import INDICATORS, WEIGHTS
from tablewright.systems.vibejudge.rules.spoken import titled
from tablewright.systems.vibejudge.service.judging.reviews import Review

SEVERITIES: Final = ("critical", "high", "medium", "low", "info")
#: From so many points on a model and the fixed rules are far from each other.
_FAR: Final = 4


@dataclass(frozen=True)
class SubScore:
    """One aspect that an agent looks at, from 0 to 10."""

    name: str
    title: str
    score: float | None
    #: What the fixed rules say, beside a model.
    static: float | None
    #: Of its agent's score, in percent.
    weight: float
    #: Whether it counts under the policy.
    counts: bool
    #: Why it was not assessed, or what it rests on.
    why: str = ""

    @property
    def percent(self) -> float:
        return 0.0 if self.score is None else 10.0 * self.score

    @property
    def kind(self) -> str:
        """How good it is, for the colour of its bar."""
        score = 0.0 if self.score is None else self.score
        return "good" if score >= 7 else "warn" if score >= 4 else "bad"

    @property
    def far(self) -> bool:
        pair = (self.score, self.static)
        return pair[0] is not None and pair[1] is not None and abs(pair[0] - pair[1]) > _FAR


@dataclass(frozen=True)
class AgentLine:
    """What one agent found."""

    found: AgentOut
    scores: Sequence[SubScore]
    #: Whether a model was asked: then there is what the rules say to compare with.
    by_model: bool

    @property
    def not_assessed(self) -> list[SubScore]:
        return [each for each in self.scores if each.score is None and each.why]

    @property
    def severities(self) -> list[tuple[str, int]]:
        """How much there is of each, the worst first."""
        count = Counter(each.severity for each in self.found.evidence)
        return [(name, count[name]) for name in SEVERITIES if count[name]]


def _float(score: Decimal | None) -> float | None:
    return None if score is None else float(score)


def _why(found: AgentOut, name: str) -> str:
    note = found.notes.get(name)
    text = (note.text if note else None) or ""
    said = text.removeprefix("Not assessed: ")
    return said[:1].upper() + said[1:]


def agent_line(found: AgentOut, mode: str) -> AgentLine:
    weights = WEIGHTS[found.agent]
    scores = [
        SubScore(
            name,
            titled(name),
            _float(found.scores.get(name)),
            _float(found.static_scores.get(name)),
            float(100 * weight),
            counts=name != INDICATORS or mode == "traditional",
            why=_why(found, name),
        )
        for name, weight in weights.items()
    ]
    by_model = bool(found.static_scores) and found.static_scores != found.scores
    return AgentLine(found, scores, by_model)


@dataclass(frozen=True)
class Picture:
    """The dimensions of a scorecard as a chart."""

    x: Sequence[str]
    series: Sequence[Mapping[str, object]]

    @property
    def round(self) -> bool:
        """Whether it can be drawn around a middle: with two axes that is a line."""
        return len(self.x) > 2


def picture_of(card: ScorecardOut) -> Picture:
    """The dimensions that have a score."""
    told = [(titled(each.name), each.raw) for each in card.dimensions if each.raw is not None]
    values = [float(raw) for _, raw in told]
    return Picture([name for name, _ in told], [{"name": card.team_name, "values": values}])


@dataclass(frozen=True)
class AlikeLine:
    """Another submission whose code resembles this one's."""

    other: Submission
    percent: int

    @property
    def name(self) -> str:
        return self.other.team_name

    @property
    def path(self) -> str:
        return scorecard_path(self.other.hack_id, self.other.sub_id)


@dataclass(frozen=True)
class ReviewLine:
    """What one judge gave: a score for each dimension, and a comment."""

    review: Review
    scores: Sequence[tuple[str, Decimal | None]]


def review_line(review: Review) -> ReviewLine:
    return ReviewLine(
        review, [(titled(name), score) for name, score in review.score.scores.items()]
    )
