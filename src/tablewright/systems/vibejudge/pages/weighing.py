"""What each dimension of a rubric weighs under a policy on AI, as people see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.systems.vibejudge.entities import TOLERANCE, Dimension, PolicyMode
from tablewright.systems.vibejudge.rules.scoring import effective_weights, to_nine
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import HackathonDetail

AGENT_NAMES: Final[dict[Agent, str]] = {
    "bug_hunter": "Bug hunter",
    "performance": "Performance",
    "innovation": "Innovation",
    "ai_detection": "AI detection",
}
POLICY_NAMES: Final[dict[PolicyMode, str]] = {
    "full_vibe": "Full vibe",
    "ai_assisted": "AI-assisted",
    "traditional": "Traditional",
    "custom": "Custom",
}
#: What a policy does, where it is chosen and where it is published.
POLICIES: Final[dict[PolicyMode, str]] = {
    "full_vibe": "What was built counts: authenticity weighs 5 %.",
    "ai_assisted": "Assistants are welcome: authenticity weighs what the rubric says.",
    "traditional": "Written by hand: authenticity weighs 30 %, and signs of AI count.",
    "custom": "Authenticity weighs what you say, up to 50 %.",
}


@dataclass(frozen=True)
class Weight:
    """One dimension."""

    dimension: Dimension
    #: Percent.
    effective: Decimal

    @property
    def rubric(self) -> Decimal:
        return plain(self.dimension.weight * 100)

    @property
    def shifted(self) -> bool:
        """Whether the policy makes it another than the rubric's."""
        return self.effective != plain(round(self.dimension.weight * 100, 1))


@dataclass(frozen=True)
class Weighing:
    """All dimensions, and whether they come to a whole."""

    weights: list[Weight]
    #: Percent.
    total: Decimal
    policy: str

    @property
    def whole(self) -> bool:
        return abs(self.total - 100) <= TOLERANCE * 100


def plain(value: Decimal) -> Decimal:
    """Without zeros at its end, and without an exponent."""
    return Decimal(f"{value:f}".rstrip("0").rstrip(".")) if "." in f"{value:f}" else value


def weighed(dimensions: Sequence[Dimension], hackathon: HackathonDetail) -> Weighing:
    """Under the hackathon's own policy."""
    config = hackathon.ai_policy_config
    authenticity = None if config is None else config.authenticity_weight
    return weighed_by(dimensions, hackathon.ai_policy_mode, authenticity)


def weighed_by(
    dimensions: Sequence[Dimension], mode: PolicyMode, authenticity: Decimal | None
) -> Weighing:
    found = effective_weights(dimensions, mode, authenticity)
    weights = [
        Weight(each, plain(round(to_nine(found[each.name]) * 100, 1))) for each in dimensions
    ]
    total = sum((each.weight for each in dimensions), Decimal(0)) * 100
    return Weighing(weights, plain(total), POLICIES[mode])
