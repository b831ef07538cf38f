"""A report for people: by family and rule, what was found where, why it matters, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from textwrap import wrap

from tablewright.review.finding import SEVERITIES, Finding
from tablewright.review.report import Report
from tablewright.review.rule import FAMILIES, Rule, all_rules

#: Puts a text into a style: "bold", "dim", "red", "yellow", "cyan", "green".
Style = Callable[[str, str], str]
COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_WIDTH = 100


def plain(text: str, style: str) -> str:
    return text


def render(report: Report, style: Style = plain) -> str:
    """The whole report."""
    lines: list[str] = []
    for family, found in groupby(report.findings, key=lambda each: FAMILIES[each.code[0]]):
        lines += [style(family.capitalize(), "bold"), ""]
        for code, several in groupby(found, key=lambda each: each.code):
            lines += [*_rule(_rules()[code], list(several), style), ""]
    if report.suppressed:
        lines += [style("Accepted", "bold"), "", *_accepted(report, style), ""]
    for idle in report.idle:
        missing = "met nothing" if idle.reason.strip() else "has no reason, so it is not applied"
        lines.append(
            f"{style('unused', 'yellow')}  suppression {idle.code} {idle.place}: {missing}"
        )
    return "\n".join([*lines, summary(report, style)])


def _rules() -> dict[str, Rule]:
    return {rule.code: rule for rule in all_rules()}


def _rule(rule: Rule, findings: list[Finding], style: Style) -> Iterator[str]:
    yield f"  {style(rule.code, 'bold')}  {rule.title}  {style(rule.docs, 'dim')}"
    for finding in sorted(findings, key=lambda each: SEVERITIES.index(each.severity)):
        label = style(f"{finding.severity:<7}", COLOURS[finding.severity])
        yield f"    {label} {style(str(finding.place), 'bold')}"
        yield from _indented(finding.message, 12)
        if finding.fix != rule.fix:
            yield from _indented(f"Fix: {finding.fix}", 12)
    yield from _indented(f"Why: {rule.why}", 4, style)
    if any(finding.fix == rule.fix for finding in findings):
        yield from _indented(f"Fix: {rule.fix}", 4, style)


def _indented(text: str, indent: int, style: Style | None = None) -> Iterator[str]:
    for line in wrap(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False):
        yield " " * indent + (line if style is None else style(line, "dim"))


def _accepted(report: Report, style: Style) -> Iterator[str]:
    for finding in report.suppressed:
        yield f"  {style(finding.code, 'bold')}  {finding.place}"
        yield from _indented(finding.message, 7)
        yield from _indented(f"Accepted: {finding.suppressed}", 7)


def summary(report: Report, style: Style = plain) -> str:
    """One line: how many of each."""
    counts = report.counts()
    accepted = f", {len(report.suppressed)} accepted" if report.suppressed else ""
    if not any(counts.values()):
        return style(f"{report.name}: nothing found{accepted}", "green")
    listed = ", ".join(
        style(f"{number} {severity}{'s' if number != 1 else ''}", COLOURS[severity])
        for severity, number in counts.items()
        if number
    )
    return f"{report.name}: {listed}{accepted}"
