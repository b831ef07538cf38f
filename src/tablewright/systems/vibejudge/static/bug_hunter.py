"""The agent that looks for what breaks: quality, security, tests, errors, dependencies."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.rules.scoring import clamped
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.functions import COMPLEX
from tablewright.systems.vibejudge.static.manifests import LOCKS
from tablewright.systems.vibejudge.static.results import Finding, Scored, many
from tablewright.systems.vibejudge.static.secrets import secrets_of

_TAKES: dict[Severity, Fraction] = {
    "critical": Fraction(3),
    "high": Fraction(2),
    "medium": Fraction(1),
    "low": Fraction(3, 10),
    "info": Fraction(0),
}
#: Where nobody expects a manifest.
_WITHOUT_MANIFESTS = frozenset(
    {"C", "C++", "Shell", "PowerShell", "SQL", "Lua", "Perl", "R", "Julia"}
)
_SHOWN = 10


def bug_hunter(facts: Facts) -> dict[str, Scored]:
    return {
        "code_quality": code_quality(facts),
        "security": security(facts),
        "test_coverage": test_coverage(facts),
        "error_handling": error_handling(facts),
        "dependency_hygiene": dependency_hygiene(facts),
    }


def code_quality(facts: Facts) -> Scored:
    """10 - 6 x share of complex functions - 4 x share of copied lines."""
    if not facts.base.product:
        return Scored(None, said="There is no code to look at.")
    functions, copies = facts.functions, facts.duplicates
    complex_ones = [each for each in functions if each.complexity > COMPLEX]
    share = Fraction(len(complex_ones), len(functions)) if functions else Fraction(0)
    copied = Fraction(copies.copied, copies.lines) if copies.lines else Fraction(0)
    said = (
        f"{len(complex_ones)} of {len(functions)} functions have more than {COMPLEX} ways through "
        f"them; {round(100 * copied)} % of the lines are copies."
    )
    return Scored(clamped(10 - 6 * share - 4 * copied), tuple(_quality(facts)), said)


def _quality(facts: Facts) -> list[Finding]:
    worst = sorted(facts.functions, key=lambda each: (-each.complexity, each.path, each.line))
    found = []
    for each in worst[:_SHOWN]:
        if each.complexity > COMPLEX:
            said = f"{each.complexity} ways lead through {each.name[:80]}: split it, return early"
            severity: Severity = "high" if each.complexity > 3 * COMPLEX else "medium"
            found.append(facts.code(each.path).finding("complex", each.line, severity, said))
    longest = sorted(
        facts.duplicates.copies, key=lambda each: (each.line - each.end, each.path, each.line)
    )
    for copy in longest[:_SHOWN]:
        said = (
            f"Lines {copy.line} to {copy.end} stand in {copy.first_path}:{copy.first_line} "
            "as well: make one function of both"
        )
        found.append(facts.code(copy.path).finding("copied", copy.line, "low", said))
    return found


def security(facts: Facts) -> Scored:
    """10 less what each finding takes: 3, 2, 1 or 0.3."""
    found = [*facts.injections]
    for file in facts.base.own_files:
        found.extend(secrets_of(file, facts.base.roles[file.path]))
    # One line is one mistake, whatever rules it breaks.
    once = {(each.file, each.line): each for each in sorted(found, key=_gravity, reverse=True)}
    takes = sum((_TAKES[each.severity] for each in once.values()), Fraction(0))
    said = (
        f"{many(len(once), 'place is', 'places are')} open to attack."
        if once
        else "No open door was found."
    )
    return Scored(clamped(10 - takes), tuple(once.values()), said)


def _gravity(finding: Finding) -> tuple[Fraction, str]:
    return _TAKES[finding.severity], finding.kind


def test_coverage(facts: Facts) -> Scored:
    """None 0, else 2 + 8 x min(1, 2 x lines of tests / lines of product)."""
    base = facts.base
    if not base.product:
        return Scored(None)
    if not base.test_lines:
        return Scored(Decimal(0), said="There are no tests.")
    share = Fraction(base.test_lines, max(1, base.product_lines))
    said = f"{base.test_lines:,} lines of tests for {base.product_lines:,} lines of product."
    return Scored(clamped(2 + 8 * min(Fraction(1), 2 * share)), said=said)


def error_handling(facts: Facts) -> Scored:
    """The share of errors met that are not dropped; 5 where none is met."""
    if not facts.base.product:
        return Scored(None)
    met = sum(each.met for each in facts.handled)
    dropped = [finding for each in facts.handled for finding in each.dropped]
    if not met:
        return Scored(Decimal(5), said="No errors are handled anywhere.")
    share = Fraction(met - len(dropped), met)
    said = f"{len(dropped)} of {met} errors that are met are dropped."
    return Scored(clamped(10 * share), tuple(dropped), said)


def dependency_hygiene(facts: Facts) -> Scored:
    """Manifest 3, lockfile 3, pinned share 2, nothing vendored 2."""
    base, manifests = facts.base, facts.manifests
    main = next(iter(base.languages), None)
    if not manifests and (main is None or main in _WITHOUT_MANIFESTS):
        return Scored(None)
    names = {each.path.rpartition("/")[2].lower() for each in base.snapshot.files}
    locked = any(LOCKS[each.ecosystem] & names for each in manifests)
    asked = facts.dependencies
    pinned = [each for each in asked if each.pinned]
    share = Fraction(len(pinned), len(asked)) if asked else Fraction(bool(manifests))
    score = 3 * bool(manifests) + 3 * locked + 2 * share + 2 * (not base.vendored)
    found = [
        facts.finding(
            "unpinned",
            each.file,
            each.line,
            "low",
            f"{each.name[:80]} may be any version: say which, or bound it",
        )
        for each in asked
        if not each.pinned
    ]
    said = [
        "" if manifests else "No manifest names the dependencies.",
        "" if locked or not manifests else "No lockfile fixes their versions.",
        f"{many(len(base.vendored), 'file')} of others checked in." if base.vendored else "",
    ]
    return Scored(clamped(score), tuple(found), " ".join(each for each in said if each))
