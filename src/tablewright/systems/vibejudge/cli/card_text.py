"""A scorecard for a terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from decimal import Decimal

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.analysis import Evidence, Highlight, Severity
from tablewright.systems.vibejudge.cli.cards import Card, Row
from tablewright.systems.vibejudge.cli.words import percent, usd
from tablewright.systems.vibejudge.rules.scoring import STRONG, rounded
from tablewright.systems.vibejudge.rules.spoken import spoken
from tablewright.systems.vibejudge.table import Agent

_BAR, _LONG_BAR = 20, 40
_FAIR = Decimal(4)
_FIRST, _REMARKS = 8, 3
_SEVERITIES: dict[Severity, str] = {
    "critical": "bold white on red",
    "high": "red",
    "medium": "yellow",
    "low": "cyan",
    "info": "dim",
}


def card_text(card: Card, *, width: int, colour: bool) -> str:
    """Everything on one page. What repositories say is shown, never obeyed."""
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        # Whether it is a terminal was asked before; its variables do not count again.
        _environ={},
    )
    _head(console, card)
    _dimensions(console, card)
    _standing_out(console, card)
    for agent in card.analysis.results:
        _agent(console, card, agent)
    _found(console, card)
    _words(console, card)
    _foot(console, card)
    # What is filled up to the width would wrap in a window that is made narrower.
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n"))


# --- the whole -----------------------------------------------------------------------------------


def _head(console: Console, card: Card) -> None:
    meta, verdict = card.analysis.meta, card.verdict
    branch = f" {plain(card.analysis.default_branch)}" if card.analysis.default_branch else ""
    console.print()
    console.print(
        Text(f" {plain(card.asked.title)}", "bold").append(_at(card, branch), "not bold dim")
    )
    most = list(meta.languages.items())[:4]
    facts = (
        several(meta.commit_count, "commit"),
        several(meta.contributor_count, "person", "people"),
        several(meta.total_files, "file"),
        several(meta.total_lines, "line"),
        ", ".join(f"{plain(name)} {share} %" for name, share in most) or "no code",
    )
    console.print(Text(f" {' · '.join(facts)}", "dim"))
    console.print()
    score = verdict.overall_score
    line = Text(" ").append(f"{score:.2f}", f"bold {_colour(score / 10)}").append(" of 100  ")
    line.append_text(_bar(score / 10, _LONG_BAR)).append("  ")
    line.append(spoken(verdict.recommendation), "bold")
    console.print(line)
    partial = ", partial" if verdict.partial else ""
    by = f"{spoken(card.by.ai_policy_mode)} policy, rubric {plain(card.by.rubric.name)}"
    console.print(Text(f" Confidence {verdict.confidence:.2f}{partial} · {by}", "dim"))
    if card.standing is not None:
        console.print(Text(f" {plain(card.standing.said())}", "bold"))


def _at(card: Card, branch: str) -> str:
    return f"  {card.analysis.sha[:12]}{branch}"


def _dimensions(console: Console, card: Card) -> None:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("dimension")
    table.add_column("agent", style="dim")
    for name in ("score", "weight", "points"):
        table.add_column(name, justify="right")
    scored = card.verdict.weighted_scores
    for each in card.by.rubric.dimensions:
        found = scored.get(each.name)
        title = Text(plain(spoken(each.name)))
        if found is None:
            table.add_row(title, spoken(each.agent), "-", "-", "-")
            continue
        score = Text(str(rounded(found.raw)), _colour(found.raw))
        share, points = percent(found.weight), str(rounded(10 * found.weighted))
        table.add_row(title, spoken(each.agent), score, share, points)
    console.print()
    console.print(Padding(table, (0, 0, 0, 1)))


def _standing_out(console: Console, card: Card) -> None:
    verdict = card.verdict
    if verdict.strength_notes or verdict.weakness_notes:
        _highlights(console, "Strengths", verdict.strength_notes)
        _highlights(console, "Weaknesses", verdict.weakness_notes)
        return
    table = Table(box=None, show_header=False, padding=(0, 3, 0, 0), pad_edge=False)
    for title, names in (("strengths", verdict.strengths), ("weaknesses", verdict.weaknesses)):
        if names:
            table.add_row(Text(title, "dim"), _named(card, names))
    if table.row_count:
        console.print()
        console.print(Padding(table, (0, 0, 0, 1)))


def _highlights(console: Console, title: str, notes: Sequence[Highlight]) -> None:
    if notes:
        _title(console, title)
    for each in notes:
        line = Text(f"{each.score:.2f} ", _colour(each.score)).append(plain(each.text), "not bold")
        if each.file is not None:
            line.append(f" {plain(each.file)}:{each.line}", "dim")
        console.print(Padding(line, (0, 0, 0, 3)))


def _named(card: Card, names: tuple[str, ...]) -> Text:
    line = Text()
    for name in names:
        score = card.score_of(name) or Decimal(0)
        line.append(f"{', ' if line else ''}{spoken(name)} ").append(f"{score:.2f}", _colour(score))
    return line


def _agent(console: Console, card: Card, agent: Agent) -> None:
    result = card.analysis.results[agent]
    points = card.verdict.agent_scores.get(agent)
    console.print()
    head = Text(f" {spoken(agent)}", "bold")
    if points is None:
        head.append("  not assessed", "not bold dim")
    else:
        head.append(f"  {rounded(points)}", f"bold {_colour(points / 10)}")
    head.append(f"  confidence {result.confidence:.2f}", "not bold dim")
    console.print(head)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(min_width=26)
    table.add_column(justify="right", min_width=5)
    for row in card.rows(agent):
        table.add_row(*_row(row))
    console.print(Padding(table, (0, 0, 0, 3)))
    console.print(Padding(Text(plain(result.summary), "dim"), (0, 0, 0, 3)))


def _row(row: Row) -> tuple[Text, Text, Text, Text]:
    name = Text(spoken(row.name))
    weight = Text(percent(row.weight) if row.counted else "not counted", "dim")
    if row.score is None:
        return name, Text("-", "dim"), Text("not assessed", "dim"), weight
    return name, Text(f"{row.score:.2f}", _colour(row.score)), _bar(row.score, _BAR), weight


def _bar(score: Decimal, length: int) -> Text:
    full = int(score * length / 10 + Decimal("0.5"))
    return Text("█" * full, _colour(score)).append("░" * (length - full), "dim")


def _colour(score: Decimal) -> str:
    if score >= STRONG:
        return "green"
    return "yellow" if score >= _FAIR else "red"


# --- what it rests on ----------------------------------------------------------------------------


def _found(console: Console, card: Card) -> None:
    first = card.first(_FIRST)
    if first:
        _title(console, "Look at these first")
        for _, each in first:
            _evidence(console, each)
    remarks = card.remarks(_REMARKS)
    if remarks:
        _title(console, "Worth a word")
        for _, each in remarks:
            _evidence(console, each)


def _evidence(console: Console, each: Evidence) -> None:
    line = Text(f" {each.severity} ", _SEVERITIES[each.severity])
    line.append(f" {plain(each.file)}:{each.line}", "bold")
    console.print(Padding(line, (0, 0, 0, 2)))
    console.print(Padding(Text(plain(each.message)), (0, 0, 0, 6)))
    if each.excerpt:
        cut = Text(plain(each.excerpt), "dim", overflow="ellipsis", no_wrap=True)
        console.print(Padding(cut, (0, 0, 0, 6)))


def _words(console: Console, card: Card) -> None:
    for title, said in (("Flags", card.flags()), ("Notes", card.notes())):
        if said:
            _title(console, title)
        for each in said:
            console.print(Padding(Text(plain(each), "yellow"), (0, 0, 0, 3)))


def _title(console: Console, title: str) -> None:
    console.print()
    console.print(Text(f" {title}", "bold"))


def _foot(console: Console, card: Card) -> None:
    console.print()
    if card.fail_under is not None:
        word = "reaches" if card.passed else "is below"
        line = f" {card.verdict.overall_score:.2f} {word} the {float(card.fail_under):g} asked for."
        console.print(Text(line, "green" if card.passed else "bold red"))
    took = f"Took {card.seconds:.1f} s. Rules {card.analysis.rules_version}; no code was run"
    ending = "." if card.asked.repo or card.standing else ", nothing left this machine."
    if card.standing is not None and card.standing.models:
        ending = f". Models have cost {usd(card.standing.cost_usd)}."
    console.print(Padding(Text(f"{took}{ending}", "dim"), (0, 0, 0, 1)))
