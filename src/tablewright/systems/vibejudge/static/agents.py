"""The four agents without a model.

What they say depends on the commit, the dates and :data:`RULES_VERSION` alone: not on this
machine, the time, or the order of anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from tablewright.systems.vibejudge.repos.snapshot import Snapshot
from tablewright.systems.vibejudge.rules.scoring import static_confidence
from tablewright.systems.vibejudge.static.ai_detection import ai_detection
from tablewright.systems.vibejudge.static.bug_hunter import bug_hunter
from tablewright.systems.vibejudge.static.codebase import Codebase
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.innovation import innovation
from tablewright.systems.vibejudge.static.performance import performance
from tablewright.systems.vibejudge.static.rarity import dated
from tablewright.systems.vibejudge.static.results import AgentResult, Scored, summary_of, telling
from tablewright.systems.vibejudge.static.window import Window
from tablewright.systems.vibejudge.table import Agent

#: Counted up whenever a rule changes what it says.
RULES = "1"


def rules_version() -> str:
    """Which rules scores were made by; the programs that they ask are part of them."""
    return f"{RULES}/{dated()}/lizard-{version('lizard')}/ruff-{version('ruff')}"


def analyse(snapshot: Snapshot, window: Window | None = None) -> dict[Agent, AgentResult]:
    return analyse_facts(Facts(Codebase(snapshot)), window)


def analyse_facts(facts: Facts, window: Window | None) -> dict[Agent, AgentResult]:
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
    commits = facts.base.snapshot.commit_count
    return {agent: _result(agent, scored, commits) for agent, scored in parts.items()}


def _result(agent: Agent, parts: Mapping[str, Scored], commits: int) -> AgentResult:
    scores = {name: part.score for name, part in parts.items()}
    findings = [finding for part in parts.values() for finding in part.findings]
    return AgentResult(
        scores=scores,
        evidence=telling(findings),
        summary=summary_of(parts),
        # Equal sub-scores make a model suspect; rules that find no fault give ten throughout.
        confidence=static_confidence(agent, commits),
    )
