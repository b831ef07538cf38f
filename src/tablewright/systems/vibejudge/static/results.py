"""What agents give: sub-scores, and what they rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from tablewright.systems.vibejudge.analysis import Evidence, Severity, SubScoreNote

MOST_EVIDENCE = 20
MOST_EXCERPT = 200
#: Where an agent found nothing that its rules can assess.
NOT_ASSESSED = "Not assessed: nothing here falls under these rules."
_MOST_NOTE = 500
#: Of one kind, before other kinds had their turn.
_OF_ONE_KIND = 3
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something at a place, and what to do about it."""

    kind: str
    file: str
    line: int
    severity: Severity
    message: str
    #: As the file has it.
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class AgentResult:
    #: By name; None does not apply.
    scores: Mapping[str, Decimal | None]
    evidence: tuple[Evidence, ...]
    summary: str
    confidence: Decimal
    #: By sub-score: why it is what it is, or why it was not assessed.
    notes: Mapping[str, SubScoreNote] = field(default_factory=dict)
    #: Findings there were in all; the most telling of them are ``evidence``.
    evidence_total: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """One sub-score, what speaks for it, and a sentence about it."""

    score: Decimal | None
    findings: tuple[Finding, ...] = ()
    said: str = ""


def telling(findings: Iterable[Finding]) -> tuple[Evidence, ...]:
    """Choose the findings that tell the most.

    These are the gravest, and of each kind some before more of the same.
    """
    ordered = sorted(
        set(findings),
        key=lambda each: (SEVERITIES.index(each.severity), each.kind, each.file, each.line),
    )
    seen: Counter[str] = Counter()
    first: list[Finding] = []
    later: list[Finding] = []
    for each in ordered:
        seen[each.kind] += 1
        (first if seen[each.kind] <= _OF_ONE_KIND else later).append(each)
    chosen = [*first, *later][:MOST_EVIDENCE]
    chosen.sort(key=lambda each: SEVERITIES.index(each.severity))
    return tuple(_evidence(each) for each in chosen)


def _evidence(finding: Finding) -> Evidence:
    return Evidence(
        file=finding.file,
        line=finding.line,
        severity=finding.severity,
        message=finding.message[:500],
        excerpt=finding.excerpt[:MOST_EXCERPT],
    )


def many(count: int, one: str, more: str = "") -> str:
    """``1 file``, ``2 files``."""
    return f"{count} {one if count == 1 else more or one + 's'}"


def summary_of(parts: Mapping[str, Scored]) -> str:
    said = " ".join(part.said for part in parts.values() if part.said and part.score is not None)
    return said[:2000] or NOT_ASSESSED


def notes_of(parts: Mapping[str, Scored]) -> dict[str, SubScoreNote]:
    """Explain every sub-score in a sentence, with the gravest finding as its place."""
    notes = {}
    for name, part in parts.items():
        text = part.said or (NOT_ASSESSED if part.score is None else "")
        worst = min(part.findings, key=lambda each: SEVERITIES.index(each.severity), default=None)
        if worst is not None and worst.severity != "info":
            text = f"{text} For example: {worst.message}".strip()
        if text:
            place = (None, None) if worst is None else (worst.file, worst.line)
            notes[name] = SubScoreNote(text=_shorten(text), file=place[0], line=place[1])
    return notes


def _shorten(text: str) -> str:
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    return text if len(text) <= _MOST_NOTE else f"{text[: _MOST_NOTE - 1]}…"
