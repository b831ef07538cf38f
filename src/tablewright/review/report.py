"""The review itself: all rules on one design, and what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from tablewright.review.design import Design, Suppression
from tablewright.review.finding import SEVERITIES, Finding, Severity
from tablewright.review.rule import Rule, all_rules


@dataclass(frozen=True)
class Report:
    """All findings about one design, those that were accepted included."""

    name: str
    #: What stands, in the order of the rules.
    findings: tuple[Finding, ...]
    #: What was accepted, each with its reason.
    suppressed: tuple[Finding, ...] = ()
    #: Suppressions that met nothing: what they were for is gone.
    idle: tuple[Suppression, ...] = ()

    def counts(self) -> dict[Severity, int]:
        """How many findings of each severity stand."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    def fails(self, at: Severity = "error") -> bool:
        """Whether something stands that is at least as grave as ``at``."""
        grave = SEVERITIES[: SEVERITIES.index(at) + 1]
        return any(finding.severity in grave for finding in self.findings)


def review(design: Design, rules: Iterable[Rule] | None = None) -> Report:
    """Run the rules on a design."""
    standing: list[Finding] = []
    accepted: list[Finding] = []
    used: set[int] = set()
    for rule in all_rules() if rules is None else rules:
        for finding in rule.findings(design):
            number = _suppression(design, finding)
            if number is None:
                standing.append(finding)
            else:
                used.add(number)
                reason = design.suppressions[number].reason
                accepted.append(replace(finding, suppressed=reason))
    idle = (each for number, each in enumerate(design.suppressions) if number not in used)
    return Report(design.name, tuple(standing), tuple(accepted), tuple(idle))


def _suppression(design: Design, finding: Finding) -> int | None:
    """Which suppression meets the finding. One without a reason meets nothing."""
    for number, each in enumerate(design.suppressions):
        met = each.code == finding.code and (
            _fits(finding.place.name, each.place) or _fits(str(finding.place), each.place)
        )
        if met and each.reason.strip():
            return number
    return None


def _fits(place: str, wanted: str) -> bool:
    # Brackets are part of a key's name here, and no set of characters.
    return fnmatchcase(place, wanted.replace("[", "[[]"))
