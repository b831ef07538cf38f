"""A scorecard as text, for a terminal."""

from __future__ import annotations

import io
from collections.abc import Mapping
from decimal import Decimal

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.entities import Dimension, PolicyMode, RepoMeta
from tablewright.systems.vibejudge.rules.scoring import (
    INDICATORS,
    WEIGHTS,
    Overall,
    agent_points,
    overall,
    overall_confidence,
    recommendation,
    rounded,
)
from tablewright.systems.vibejudge.static.results import AgentResult, many
from tablewright.systems.vibejudge.table import Agent

#: What a repository is scored by when no hackathon says otherwise.
DEFAULT_DIMENSIONS = (
    Dimension(name="code_quality", weight=Decimal("0.25"), agent="bug_hunter"),
    Dimension(name="architecture", weight=Decimal("0.25"), agent="performance"),
    Dimension(name="innovation", weight=Decimal("0.30"), agent="innovation"),
    Dimension(name="authenticity", weight=Decimal("0.20"), agent="ai_detection"),
)
_BAR = 10
_COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan", "info": "dim"}


def scorecard_text(
    title: str,
    results: Mapping[Agent, AgentResult],
    *,
    meta: RepoMeta | None = None,
    sha: str = "",
    mode: PolicyMode = "ai_assisted",
    dimensions: tuple[Dimension, ...] = DEFAULT_DIMENSIONS,
    width: int = 100,
    colour: bool = False,
) -> str:
    """Everything about a repository on one page. What repositories say is shown, never obeyed."""
    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, no_color=not colour, highlight=False
    )
    whole = overall(dimensions, {a: r.scores for a, r in results.items()}, mode)
    _head(console, title, sha, meta, whole, results)
    for agent, result in results.items():
        _agent(console, agent, result, mode)
    return out.getvalue()


def _head(
    console: Console,
    title: str,
    sha: str,
    meta: RepoMeta | None,
    whole: Overall,
    results: Mapping[Agent, AgentResult],
) -> None:
    console.rule(f"[bold]{_plain(title)}[/] {sha[:12]}")
    if meta is not None:
        most = list(meta.languages.items())[:4]
        languages = ", ".join(f"{name} {share} %" for name, share in most)
        console.print(
            f"{many(meta.commit_count, 'commit')}, "
            f"{many(meta.contributor_count, 'person', 'people')}, "
            f"{many(meta.total_files, 'file')}, "
            f"{many(meta.total_lines, 'line')}: {languages or 'no code'}",
            style="dim",
        )
    if whole.score is None:
        console.print("No agent has answered.", style="bold red")
        return
    confidence = overall_confidence((r.confidence for r in results.values()), whole.answered)
    word = recommendation(whole.score).replace("_", " ")
    partial = ", partial" if whole.partial else ""
    console.print(f"[bold]{whole.score} of 100[/], {word} (confidence {confidence}{partial})")


def _agent(console: Console, agent: Agent, result: AgentResult, mode: PolicyMode) -> None:
    points = agent_points(agent, result.scores, mode)
    shown = "-" if points is None else str(rounded(points))
    console.print()
    console.print(f"[bold]{agent.replace('_', ' ')}[/]  {shown} of 100")
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name in WEIGHTS[agent]:
        table.add_row(*_row(name, result.scores.get(name), WEIGHTS[agent][name], mode))
    console.print(table)
    console.print(_plain(result.summary), style="dim")
    for each in result.evidence:
        _evidence(console, each)


def _row(
    name: str, score: Decimal | None, weight: Decimal, mode: PolicyMode
) -> tuple[str, str, str, str]:
    counted = name != INDICATORS or mode == "traditional"
    note = f"{weight:.0%}" if counted else "not counted"
    if score is None:
        return name.replace("_", " "), "does not apply", "", note
    full = int(score * _BAR / 10)
    return name.replace("_", " "), f"{score:.2f}", "█" * full + "░" * (_BAR - full), note


def _evidence(console: Console, each: Evidence) -> None:
    colour = _COLOURS[each.severity]
    place = _plain(f"{each.file}:{each.line}")
    console.print(f"  [{colour}]{each.severity:<8}[/] {place}  {_plain(each.message)}")
    if each.excerpt:
        console.print(
            f"           {_plain(each.excerpt)}", style="dim", overflow="ellipsis", no_wrap=True
        )


def _plain(text: str) -> str:
    """Without anything that a terminal or rich would act upon."""
    return escape("".join(char if char.isprintable() else " " for char in text))
