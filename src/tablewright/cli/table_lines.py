"""Tables as lines of text."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.cli.terminal import styled
from tablewright.deploy.differences import Difference
from tablewright.deploy.setup import Made, Outcome
from tablewright.deploy.verify import Report

_STYLES = {"error": "red", "warning": "yellow", "info": "dim"}


def made_lines(made: Made, width: int) -> list[str]:
    """What set-up did to one table."""
    style = "green" if made.ok else "red"
    lines = [f"{made.physical:{width}}  {styled(made.text, style, sys.stdout)}"]
    if made.unchecked:
        unseen = features(made.unchecked)
        lines.append(f"  not set, because this database does not offer it: {unseen}")
    if made.problem is not None:
        lines.append(f"  {made.problem.message}")
    return lines + difference_lines(made.differences)


def report_lines(report: Report, verbose: bool) -> list[str]:
    """What was found out about one table."""
    if report.problem is not None:
        return [f"{report.declared.physical}  not checked: {report.problem.message}"]
    word, style = ("ok", "green") if report.ok else ("differs", "red")
    if report.deployed is None:
        word = "missing"
    lines = [f"{report.declared.physical}  {styled(word, style, sys.stdout)}"]
    if report.deployed is not None and report.deployed.unseen:
        unseen = features(report.deployed.unseen)
        lines.append(f"  not checked, because this database does not offer it: {unseen}")
    if verbose and report.deployed is not None:
        lines.append(f"  {report.deployed.status}, {report.deployed.arn}")
    shown = [each for each in report.differences if verbose or each.severity != "info"]
    return lines + difference_lines(shown)


def report_summary(reports: Sequence[Report]) -> str:
    """Say in one line what came of the comparison, and what it left out."""
    matching = sum(each.ok for each in reports)
    text = f"{matching} of {_counted(len(reports))} match the model."
    unseen = {name for each in reports if each.deployed for name in each.deployed.unseen}
    return f"{text} Not checked: {features(unseen)}." if unseen else text


def made_summary(made: Sequence[Made]) -> str:
    """Say in one line what set-up did."""
    outcomes = Counter(_OUTCOMES[each.outcome] for each in made)
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
    return f"{_counted(len(made))}: {told}."


def _counted(count: int) -> str:
    return f"{count} table" if count == 1 else f"{count} tables"


_OUTCOMES: dict[Outcome, str] = {
    "created": "created",
    "exists": "already there",
    "mismatch": "different from the model",
    "failed": "failed",
    "would create": "to be created",
}
_FEATURES = {"pitr": "point-in-time recovery", "ttl": "time to live"}


def features(names: Iterable[str]) -> str:
    """Name what a database may not offer, as people call it."""
    return ", ".join(sorted(_FEATURES.get(each, each) for each in names))


def difference_lines(differences: list[Difference]) -> list[str]:
    return [
        f"  {styled(f'{each.severity:7}', _STYLES[each.severity], sys.stdout)}  {each.message}"
        for each in differences
    ]


def diff_lines(reports: list[Report]) -> list[str]:
    """All unified diffs, coloured where that can be seen."""
    return [_coloured(line) for report in reports for line in report.unified()]


def _coloured(line: str) -> str:
    styles = {"-": "red", "+": "green", "@": "cyan"}
    style = "bold" if line[:3] in ("---", "+++") else styles.get(line[:1])
    return line if style is None else styled(line, style, sys.stdout)


def list_lines(rows: list[dict[str, Any]]) -> list[str]:
    """A table of tables, each followed by its indexes; what is not of the model stands apart."""
    width = max((len(row["physical"]) for row in rows), default=0)
    width = max(width, *(len(each["index"]) + 2 for row in rows for each in _indexes(row)), 5)
    lines = [
        styled(f"{'table':{width}}  {'status':9} {'items':>12} {'size':>10}", "bold", sys.stdout)
    ]
    for row in rows:
        if row["part"] != "model":
            lines.append("")
        lines.append(_line(row["physical"], row, width))
        lines += [_line(f"  {each['index']}", each, width) for each in _indexes(row)]
    return lines


def _indexes(row: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = row.get("indexes", [])
    return found


def _line(name: str, row: dict[str, Any], width: int) -> str:
    if row["status"] == "missing":
        return f"{name:{width}}  missing"
    return f"{name:{width}}  {row['status']:9} {row['items']:>12,} {_bytes(row['bytes']):>10}"


def _bytes(size: int) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024  # type: ignore[assignment]
    return f"{size:.1f} TB"
