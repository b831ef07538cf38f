"""All that is known of a repository after a look at it, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from tablewright.systems.vibejudge.analysing import Analysis
from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.cli.asked import Asked
from tablewright.systems.vibejudge.repos.uncommitted import Uncommitted
from tablewright.systems.vibejudge.rules.flags import said
from tablewright.systems.vibejudge.rules.permalinks import permalink
from tablewright.systems.vibejudge.rules.scoring import INDICATORS, WEIGHTS
from tablewright.systems.vibejudge.rules.verdicts import Verdict, Yardstick
from tablewright.systems.vibejudge.static.results import SEVERITIES, AgentResult
from tablewright.systems.vibejudge.static.window import Window
from tablewright.systems.vibejudge.table import Agent

#: Of one agent, among what is shown first.
_OF_ONE_AGENT = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One sub-score; None does not apply."""

    name: str
    score: Decimal | None
    weight: Decimal
    #: Signs of AI count only where AI is not wanted.
    counted: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a submission stands in its hackathon."""

    hackathon: str
    #: None is outside of the ranking.
    rank: int | None
    #: With what judges and the organiser say; None if only the agents have spoken.
    final_score: Decimal | None
    overridden: bool
    disqualified_reason: str | None
    #: Whether models were asked, and what that has cost.
    models: bool
    cost_usd: Decimal

    def said(self) -> str:
        """In one line."""
        if self.disqualified_reason is not None:
            place = f"disqualified: {self.disqualified_reason}"
        else:
            place = "not ranked" if self.rank is None else f"rank {self.rank}"
        if self.final_score is None:
            return f"{self.hackathon}: {place}"
        by = "by the organiser's decision" if self.overridden else "with what judges say"
        return f"{self.hackathon}: {place}, {self.final_score:.2f} {by}"


@dataclass(frozen=True, slots=True)
class Card:
    asked: Asked
    analysis: Analysis
    verdict: Verdict
    by: Yardstick
    seconds: float
    window: Window | None = None
    uncommitted: Uncommitted | None = None
    #: What was asked for at least.
    fail_under: Decimal | None = None
    #: Of a submission.
    standing: Standing | None = None

    @property
    def passed(self) -> bool:
        return self.fail_under is None or self.verdict.overall_score >= self.fail_under

    def rows(self, agent: Agent) -> Iterator[Row]:
        """The sub-scores of an agent, in the order of the rules."""
        scores = self.analysis.results[agent].scores
        strict = self.by.ai_policy_mode == "traditional"
        for name, weight in WEIGHTS[agent].items():
            yield Row(name, scores.get(name), weight, name != INDICATORS or strict)

    def score_of(self, name: str) -> Decimal | None:
        """A sub-score of any agent; no two have the same name."""
        found = (result.scores.get(name) for result in self.analysis.results.values())
        return next((each for each in found if each is not None), None)

    def first(self, most: int) -> list[tuple[Agent, Evidence]]:
        """What to look at first: the gravest of all agents, and not all of one."""
        found = [(a, e) for a, e in self._evidence() if e.severity != "info"]
        early = [pair for agent in self.analysis.results for pair in _of(agent, found)]
        found.sort(key=lambda pair: (pair not in early, SEVERITIES.index(pair[1].severity)))
        return sorted(found[:most], key=lambda pair: SEVERITIES.index(pair[1].severity))

    def remarks(self, most: int) -> list[tuple[Agent, Evidence]]:
        """What is no fault, and worth a word."""
        return [(a, e) for a, e in self._evidence() if e.severity == "info"][:most]

    def _evidence(self) -> Iterator[tuple[Agent, Evidence]]:
        for agent, result in self.analysis.results.items():
            for each in result.evidence:
                yield agent, each

    def link(self, evidence: Evidence) -> str | None:
        repo = self.asked.repo
        sha = self.analysis.sha
        return permalink(repo, sha, evidence.file, evidence.line) if repo else None

    def flags(self) -> list[str]:
        return [said(each) for each in self.verdict.flags]

    def notes(self) -> list[str]:
        """What was not looked at."""
        return [*self.analysis.notes, *([_pending(self.uncommitted)] if self.uncommitted else [])]

    def data(self) -> dict[str, object]:
        """The whole of it, as a document."""
        verdict, analysis = self.verdict, self.analysis
        return {
            "source": self.asked.source,
            "title": self.asked.title,
            "commit_sha": analysis.sha,
            "branch": analysis.default_branch,
            "overall_score": float(verdict.overall_score),
            "recommendation": verdict.recommendation,
            "confidence": float(verdict.confidence),
            "partial": verdict.partial,
            "missing_agents": list(verdict.missing_agents),
            "strengths": list(verdict.strengths),
            "weaknesses": list(verdict.weaknesses),
            "strength_notes": [each.model_dump(mode="json") for each in verdict.strength_notes],
            "weakness_notes": [each.model_dump(mode="json") for each in verdict.weakness_notes],
            "flags": [{"flag": each, "said": said(each)} for each in verdict.flags],
            "passed": self.passed,
            "fail_under": None if self.fail_under is None else float(self.fail_under),
            "dimensions": self._dimensions(),
            "agents": {agent: self._agent(agent) for agent in analysis.results},
            "policy": self._policy(),
            "rubric": {"name": self.by.rubric.name, "version": self.by.rubric.version},
            "dates": self._dates(),
            "repository": _numbers(analysis.meta.model_dump(mode="json", exclude_none=True)),
            "notes": list(analysis.notes),
            "uncommitted": self._uncommitted(),
            "rules_version": analysis.rules_version,
            "seconds": round(self.seconds, 3),
        }

    def _dimensions(self) -> list[dict[str, object]]:
        scored = self.verdict.weighted_scores
        return [
            {
                "name": each.name,
                "agent": each.agent,
                "rubric_weight": float(each.weight),
                "raw": float(scored[each.name].raw) if each.name in scored else None,
                "weight": float(scored[each.name].weight) if each.name in scored else None,
                "weighted": float(scored[each.name].weighted) if each.name in scored else None,
            }
            for each in self.by.rubric.dimensions
        ]

    def _agent(self, agent: Agent) -> dict[str, object]:
        result: AgentResult = self.analysis.results[agent]
        points = self.verdict.agent_scores.get(agent)
        return {
            "overall_score": None if points is None else float(points),
            "confidence": float(result.confidence),
            "scores": {
                row.name: None if row.score is None else float(row.score)
                for row in self.rows(agent)
            },
            "weights": {row.name: float(row.weight) for row in self.rows(agent) if row.counted},
            "notes": {
                name: {"assessed": result.scores.get(name) is not None, **note.model_dump()}
                for name, note in result.notes.items()
            },
            "summary": result.summary,
            "evidence_total": max(result.evidence_total, len(result.evidence)),
            "evidence": [
                {**each.model_dump(mode="json"), "link": self.link(each)}
                for each in result.evidence
            ],
        }

    def _policy(self) -> dict[str, object]:
        config = self.by.ai_policy_config
        weight = None if config is None else float(config.authenticity_weight)
        return {"mode": self.by.ai_policy_mode, "authenticity_weight": weight}

    def _dates(self) -> dict[str, object] | None:
        if self.window is None:
            return None
        return {
            "start": f"{self.window.start:%Y-%m-%dT%H:%M:%SZ}",
            "end": f"{self.window.end:%Y-%m-%dT%H:%M:%SZ}",
            "commits_outside": self.analysis.outside_window,
        }

    def _uncommitted(self) -> dict[str, int] | None:
        found = self.uncommitted
        return None if found is None else {"changed": found.changed, "new": found.new}


def _of(agent: Agent, found: list[tuple[Agent, Evidence]]) -> list[tuple[Agent, Evidence]]:
    return [pair for pair in found if pair[0] == agent][:_OF_ONE_AGENT]


def _pending(found: Uncommitted) -> str:
    parts = [
        *([f"{found.changed:,} changed"] if found.changed else []),
        *([f"{found.new:,} new"] if found.new else []),
    ]
    one = found.changed + found.new == 1
    files = "file of the work tree was" if one else "files of the work tree were"
    return f"Only commits count: {' and '.join(parts)} {files} not looked at."


def _numbers(meta: dict[str, object]) -> dict[str, object]:
    """Decimals come as texts; there is one."""
    name = "development_duration_hours"
    return {**meta, name: float(str(meta[name]))} if name in meta else meta
