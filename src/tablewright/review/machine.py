"""Reports for programs: plain JSON, and SARIF 2.1.0 for code-scanning tools."""

from __future__ import annotations

from typing import Any

from tablewright import __version__
from tablewright.review.finding import Finding
from tablewright.review.report import Report
from tablewright.review.rule import Rule, all_rules

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def as_json(report: Report) -> dict[str, object]:
    """Everything in the report."""
    return {
        "model": report.name,
        "counts": report.counts(),
        "findings": [_finding(each) for each in report.findings],
        "suppressed": [{**_finding(each), "reason": each.suppressed} for each in report.suppressed],
        "unused_suppressions": [
            {"code": each.code, "place": each.place, "reason": each.reason} for each in report.idle
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "place": {"kind": finding.place.kind, "name": finding.place.name},
        "message": finding.message,
        "why": finding.why,
        "fix": finding.fix,
        "docs": finding.docs,
    }


def as_sarif(report: Report, source: str | None = None) -> dict[str, object]:
    """The report as SARIF. ``source`` is the file that declares the model, if it is known."""
    rules = all_rules()
    numbers = {rule.code: number for number, rule in enumerate(rules)}
    found = (*report.findings, *report.suppressed)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "tablewright",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "results": [_result(each, numbers[each.code], source) for each in found],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.title.split() if word.isalnum()),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why}\n\nFix: {rule.fix}\n\nSee {rule.docs}."},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.family]},
    }


def _result(finding: Finding, number: int, source: str | None) -> dict[str, Any]:
    location: dict[str, Any] = {
        "logicalLocations": [
            {
                "name": finding.place.name,
                "fullyQualifiedName": str(finding.place),
                "kind": finding.place.kind,
            }
        ]
    }
    if source is not None:
        location["physicalLocation"] = {"artifactLocation": {"uri": source}}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.place}: {finding.message} Fix: {finding.fix}"},
        "locations": [location],
        "partialFingerprints": {"place/v1": f"{finding.code}:{finding.place}"},
    }
    if finding.suppressed is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.suppressed}]
    return result
