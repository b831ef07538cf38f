"""The four agents without a model.

Their scores depend on the commit, the dates and :data:`RULES_VERSION` alone: not on this machine,
the time, or the order of anything.

Without code there are no scores. With little code, a rule that finds no fault has not shown much:
sub-scores that rest on code can reach 10 only from :data:`ENOUGH_LINES` lines on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.metadata import version

from tablewright.systems.vibejudge.repos.snapshot import Snapshot
from tablewright.systems.vibejudge.rules.scoring import (
    ENOUGH_LINES,
    WEIGHTS,
    clamped,
    static_confidence,
)
from tablewright.systems.vibejudge.static.ai_detection import ai_detection
from tablewright.systems.vibejudge.static.bug_hunter import bug_hunter
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.innovation import innovation
from tablewright.systems.vibejudge.static.performance import performance
from tablewright.systems.vibejudge.static.rarity import dated
from tablewright.systems.vibejudge.static.results import (
    AgentResult,
    Scored,
    many,
    notes_of,
    summary_of,
    telling,
)
from tablewright.systems.vibejudge.static.window import Window
from tablewright.systems.vibejudge.table import Agent

#: Counted up whenever a rule changes what it says.
RULES = "2"
#: Sub-scores that do not rest on how much code there is.
_WITHOUT_CODE = frozenset({"dependency_hygiene", "readme_quality", "demo_potential"})
NO_CODE = "Not assessed: the repository has no source code."


def rules_version() -> str:
    """Which rules scores were made by; the programs that they ask are part of them."""
    return f"{RULES}/{dated()}/lizard-{version('lizard')}/ruff-{version('ruff')}"


def analyse(snapshot: Snapshot, window: Window | None = None) -> dict[Agent, AgentResult]:
    return analyse_facts(Facts(Codebase(snapshot)), window)


def analyse_facts(facts: Facts, window: Window | None) -> dict[Agent, AgentResult]:
    """Assess a codebase with all four agents; every sub-score is None if it has no code."""
    if not facts.base.product_lines:
        nothing = Scored(None, said=NO_CODE)
        return {
            agent: _result(agent, dict.fromkeys(weights, nothing), facts)
            for agent, weights in WEIGHTS.items()
        }
    bugs = bug_hunter(facts)
    holds = performance(facts)
    new = innovation(facts, holds["architecture"].score, bugs["code_quality"].score)
    how = ai_detection(facts, window)
    parts: dict[Agent, Mapping[str, Scored]] = {
        "bug_hunter": bugs,
        "performance": holds,
        "innovation": new,
        "ai_detection": how,
    }
    return {agent: _result(agent, scored, facts) for agent, scored in parts.items()}


def _result(agent: Agent, parts: Mapping[str, Scored], facts: Facts) -> AgentResult:
    lines = facts.own_lines
    parts = {name: _limited(name, part, lines) for name, part in parts.items()}
    scores = {name: part.score for name, part in parts.items()}
    findings = {finding for part in parts.values() for finding in part.findings}
    return AgentResult(
        scores=scores,
        evidence=telling(findings),
        summary=summary_of(parts),
        # Equal sub-scores make a model suspect; rules that find no fault give ten throughout.
        confidence=static_confidence(agent, facts.base.snapshot.commit_count, scores, lines),
        notes=notes_of(parts),
        evidence_total=len(findings),
    )


def _limited(name: str, part: Scored, lines: int) -> Scored:
    """Limit a sub-score that rests on too little code to mean what it says."""
    most = clamped(10 * Fraction(lines, ENOUGH_LINES))
    if name in _WITHOUT_CODE or part.score is None or part.score <= most:
        return part
    said = f"{part.said} Limited to {most}: there {_are(lines)} of code to judge by.".strip()
    return replace(part, score=most, said=said)


def _are(lines: int) -> str:
    return f"{'is' if lines == 1 else 'are'} only {many(lines, 'line')}"
