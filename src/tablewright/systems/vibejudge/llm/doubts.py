"""What makes an answer less credible: flags for people, and a confidence that is no higher than."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from tablewright.systems.vibejudge.llm.citations import Checked
from tablewright.systems.vibejudge.rules.scoring import (
    FALSE_EVIDENCE,
    FEW_COMMITS,
    FEW_COMMITS_CONFIDENCE,
    STATIC_CONFIDENCE,
    Scores,
    agent_confidence,
    suspiciously_good,
)
from tablewright.systems.vibejudge.table import Agent

#: A sub-score further than that from the static one is flagged.
FAR = Decimal(4)


@dataclass(frozen=True, slots=True)
class Doubts:
    confidence: Decimal
    flags: tuple[str, ...]


def doubts(
    agent: Agent,
    scores: Scores,
    static_scores: Scores,
    *,
    stated: Decimal,
    false_share: Decimal,
    commits: int,
) -> Doubts:
    """How far to believe an answer. No model is believed more than rules are."""
    few = agent == "ai_detection" and commits < FEW_COMMITS
    said = min(stated, FEW_COMMITS_CONFIDENCE if few else STATIC_CONFIDENCE)
    flags = [
        *(f"far_from_static:{agent}.{name}" for name in far_from(scores, static_scores)),
        *([f"all_high:{agent}"] if suspiciously_good({agent: scores}) else []),
        *([f"all_equal:{agent}"] if _all_equal(scores) else []),
        *([f"false_citations:{agent}"] if false_share > FALSE_EVIDENCE else []),
    ]
    return Doubts(agent_confidence(said, scores, false_share), tuple(flags))


def is_credible(agent: Agent, scores: Scores, checked: Checked) -> bool:
    """Tell whether an answer may count: not if it cites what is not there.

    Nor if it praises everything and has no place in the code to show for it.
    """
    if checked.false_share > FALSE_EVIDENCE:
        return False
    return bool(checked.kept) or not suspiciously_good({agent: scores})


def far_from(scores: Scores, static_scores: Scores) -> list[str]:
    """Names of sub-scores that differ by more than four from the static ones."""
    found = []
    for name, score in scores.items():
        static = static_scores.get(name)
        if score is not None and static is not None and abs(score - static) > FAR:
            found.append(name)
    return found


def _all_equal(scores: Scores) -> bool:
    given = [each for each in scores.values() if each is not None]
    return len(given) > 1 and len(set(given)) == 1
