"""One report of all suites, made from what they have stored."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.charts import drawn, headroom
from benchmarks.findings import Finding
from benchmarks.outcome import Outcome, Unreadable, stored
from benchmarks.section import Section, Table
from benchmarks.suites import SUITES

REPORT = "report.md"
#: Cores that others may use without being worth a word.
BUSY = 0.15
_HEADROOM = "headroom"
_FIGURE = re.compile(r"[*$<>= -]*[\d,.]+( ?(x|%|s|ms|us|MB|/s))?\**|none|-")


def outcomes_of(folder: Path) -> tuple[dict[str, Outcome], dict[str, str]]:
    """By suite, in their order; and the suites whose file cannot be read, with the reason."""
    found, unreadable = {}, {}
    for suite in SUITES:
        file = folder / f"{suite}.json"
        if file.exists():
            try:
                found[suite] = stored(file)
            except Unreadable as error:
                unreadable[suite] = str(error)
    return found, unreadable


def write(folder: Path) -> Path:
    """The report and its charts, into the folder that holds what it is made from."""
    outcomes, unreadable = outcomes_of(folder)
    charts = {name: svg for each in outcomes.values() for name, svg in charts_of(each).items()}
    for old in folder.glob("*.svg"):
        if old.name not in charts:
            old.unlink()
    for name, svg in charts.items():
        (folder / name).write_text(svg)
    file = folder / REPORT
    file.write_text(report(outcomes, unreadable))
    return file


def charts_of(outcome: Outcome) -> dict[str, str]:
    """All charts of a suite, by the names of their files."""
    found = {
        _chart_file(outcome.suite, chart.name): drawn(chart)
        for measured in outcome.parts.values()
        for chart in measured.section.charts
        if chart.groups
    }
    if _has_headroom(outcome):
        found[_chart_file(outcome.suite, _HEADROOM)] = headroom(outcome.suite, outcome.wanted)
    return found


def _chart_file(suite: str, name: str) -> str:
    return f"{suite}-{name}.svg"


def _has_headroom(outcome: Outcome) -> bool:
    return sum(finding.used is not None for _, finding in outcome.wanted) > 1


# --- the whole ----------------------------------------------------------------------------


def report(outcomes: Mapping[str, Outcome], unreadable: Mapping[str, str]) -> str:
    parts = ["# Benchmarks", *_head(outcomes), _overview(outcomes, unreadable)]
    parts += [*_failures(outcomes), *_missed(outcomes), *_peers(outcomes)]
    for outcome in outcomes.values():
        parts += [f"## {outcome.suite.capitalize()}", *block(outcome)]
    return "\n\n".join(parts) + "\n"


def _head(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    judged = sum(len(each.wanted) for each in outcomes.values())
    missed = sum(len(each.missed) for each in outcomes.values())
    yield f"**{judged - missed} of {judged} targets are met, {missed} missed.**"
    for machine in dict.fromkeys(str(each.machine) for each in outcomes.values()):
        yield f"Machine: {machine}."
    yield (
        "Made by `make bench` from the JSON files beside it; nothing here is typed by hand. Each "
        "suite says when and where it was measured; its peers were measured in the same run."
    )
    if any(each.quick for each in outcomes.values()):
        yield "**A quick run gives a rough picture**: short rounds, and less of everything."


def _overview(outcomes: Mapping[str, Outcome], unreadable: Mapping[str, str]) -> str:
    rows = [_overview_row(each) for each in outcomes.values()]
    rows += [[suite, "", "", "", "", f"**{reason}**"] for suite, reason in unreadable.items()]
    absent = [suite for suite in SUITES if suite not in outcomes and suite not in unreadable]
    rows += [[suite, "", "", "", "", "not measured yet"] for suite in absent]
    return markdown(Table(["suite", "taken", "time", "targets met", "missed", ""], rows))


def _overview_row(outcome: Outcome) -> list[str]:
    missed = len(outcome.missed)
    states = ["**failed**"] if outcome.failures else []
    states += ["quick"] if outcome.quick else []
    return [
        f"[{outcome.suite}](#{outcome.suite})",
        outcome.taken,
        f"{outcome.seconds:,.0f} s",
        str(len(outcome.wanted) - missed),
        f"**{missed}**" if missed else "0",
        ", ".join(states),
    ]


def _failures(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    rows = [
        [outcome.suite, part, reason]
        for outcome in outcomes.values()
        for part, reason in outcome.failures.items()
    ]
    if rows:
        yield "## What failed"
        yield markdown(Table(["suite", "part", "reason"], rows))


def _missed(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    rows = [
        [outcome.suite, part, each.what, each.shown, each.wanted]
        for outcome in outcomes.values()
        for part, each in outcome.missed
    ]
    if rows:
        yield "## What was missed"
        yield markdown(Table(["suite", "part", "what", "figure", "wanted"], rows))


def _peers(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    rows = []
    for outcome in outcomes.values():
        for measured in outcome.parts.values():
            own = measured.section
            rows += [[name, version, outcome.suite] for name, version in own.peers.items()]
            rows += [
                [name, f"left out: {reason}", outcome.suite]
                for name, reason in own.left_out.items()
            ]
    if rows:
        yield "## Peers"
        yield markdown(Table(["peer", "version", "suite"], rows))


# --- a suite ------------------------------------------------------------------------------


def block(outcome: Outcome, charts: str = "") -> Iterator[str]:
    """All of a suite, below a heading; its charts are in the folder ``charts``."""
    yield _where(outcome)
    if _has_headroom(outcome):
        alt = f"{outcome.suite} against its targets"
        yield f"![{alt}]({charts}{_chart_file(outcome.suite, _HEADROOM)})"
    if outcome.failed:
        yield f"**The suite has failed:** {_cell(outcome.failed)}"
    for name, measured in outcome.parts.items():
        yield f"**{name}**"
        if measured.failed:
            yield f"**This part has failed:** {_cell(measured.failed)}"
        else:
            yield from _part(outcome.suite, measured.section, charts)


def _where(outcome: Outcome) -> str:
    found = [f"Taken {outcome.taken} in {outcome.seconds:,.0f} s, tablewright {outcome.version}"]
    found.append(f"on {outcome.machine}")
    if outcome.quick:
        found.append("a **quick** run")
    if outcome.arguments:
        found.append(f"with `{' '.join(outcome.arguments)}`")
    text = ", ".join(found) + "."
    if outcome.others > BUSY:
        text += f" **Other programs used {outcome.others:.1f} cores meanwhile.**"
    return text


def _part(suite: str, section: Section, charts: str) -> Iterator[str]:
    for chart in section.charts:
        if chart.groups:
            yield f"![{chart.title}]({charts}{_chart_file(suite, chart.name)})"
    yield from (markdown(each) for each in section.tables if each.rows)
    if section.findings:
        yield markdown(_findings(section.findings), right=(1, 2))
    if section.notes:
        yield "\n".join(f"- {_cell(note)}" for note in section.notes)


def _findings(findings: Sequence[Finding]) -> Table:
    marks = {"missed": "**missed**"}
    rows = [
        [each.what, each.shown, each.wanted, marks.get(each.verdict, each.verdict), each.note]
        for each in findings
    ]
    return Table(["measured", "figure", "wanted", "", ""], rows)


def markdown(table: Table, right: Sequence[int] | None = None) -> str:
    """Figures to the right, in the columns that are named or else hold nothing else."""
    columns = range(len(table.head))
    named = [each for each in columns if _figures(table, each)] if right is None else right
    lines = [
        _row(table.head),
        _row(["---:" if each in named else "---" for each in columns]),
        *(_row([_cell(cell) for cell in row]) for row in table.rows),
    ]
    return "\n".join(lines)


def _figures(table: Table, column: int) -> bool:
    cells = [row[column] for row in table.rows if row[column]]
    return bool(cells) and all(_FIGURE.fullmatch(cell) for cell in cells)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """In one line, without what Markdown would take for its own."""
    plain = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return plain.replace("$", "\\$") if plain.count("$") > 1 else plain
