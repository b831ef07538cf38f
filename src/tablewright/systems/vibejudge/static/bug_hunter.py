"""The agent that looks for what breaks: quality, security, tests, errors, dependencies."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.rules.scoring import clamped
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.functions import COMPLEX, LONG, measures
from tablewright.systems.vibejudge.static.manifests import LOCKS, Dependency
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
#: Of a script that is not divided into functions at all.
_WITHOUT_FUNCTIONS = 4


def bug_hunter(facts: Facts) -> dict[str, Scored]:
    return {
        "code_quality": code_quality(facts),
        "security": security(facts),
        "test_coverage": test_coverage(facts),
        "error_handling": error_handling(facts),
        "dependency_hygiene": dependency_hygiene(facts),
    }


def code_quality(facts: Facts) -> Scored:
    """Rate complexity, length and copies: 10, less what each of them takes.

    Lines count rather than functions: one function that holds half of the code is worse than one
    of many small ones.
    """
    if not facts.base.product:
        return Scored(None, said="Not assessed: there is no code.")
    functions, copies = facts.functions, facts.duplicates
    if not functions and not any(measures(each) for each in facts.base.product):
        return Scored(None, said="Not assessed: complexity is not measured in this language.")
    complex_ones = [each for each in functions if each.complexity > COMPLEX]
    long_ones = [each for each in functions if each.length > LONG and each not in complex_ones]
    whole = sum(each.length for each in functions)
    tangled = Fraction(sum(each.length for each in complex_ones), whole) if whole else Fraction(0)
    long = Fraction(sum(each.length for each in long_ones), whole) if whole else Fraction(0)
    copied = Fraction(copies.copied, copies.lines) if copies.lines else Fraction(0)
    takes = min(Fraction(6), 9 * tangled) + min(Fraction(2), 3 * long)
    takes += min(Fraction(4), 15 * copied)
    said = (
        f"{len(complex_ones)} of {many(len(functions), 'function')} "
        f"{'is' if len(complex_ones) == 1 else 'are'} too complex (complexity above {COMPLEX}), "
        f"{len(long_ones)} more {'is' if len(long_ones) == 1 else 'are'} longer than {LONG} lines; "
        f"{round(100 * copied)} % of the lines are copies."
    )
    if not functions:
        takes += _WITHOUT_FUNCTIONS if facts.own_lines >= LONG else 0
        said = f"No functions: {many(facts.own_lines, 'line')} of code run from top to bottom."
    return Scored(clamped(10 - takes), tuple(_quality(facts)), said)


def _quality(facts: Facts) -> list[Finding]:
    worst = sorted(facts.functions, key=lambda each: (-each.complexity, each.path, each.line))
    found = []
    for each in worst[:_SHOWN]:
        if each.complexity > COMPLEX:
            said = (
                f"{each.name[:80]} is too complex (complexity {each.complexity}, {each.length} "
                "lines): split it into smaller functions"
            )
            severity: Severity = "high" if each.complexity > 3 * COMPLEX else "medium"
            found.append(facts.code(each.path).finding("complex", each.line, severity, said))
    longest = sorted(
        facts.duplicates.copies, key=lambda each: (each.line - each.end, each.path, each.line)
    )
    for copy in longest[:_SHOWN]:
        said = (
            f"Lines {copy.line} to {copy.end} repeat {copy.first_path}:{copy.first_line}: "
            "move them into one function"
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
        f"{many(len(once), 'security issue')} found."
        if once
        else f"No security issues found in {many(len(facts.base.product), 'file')}."
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
    said = f"{base.test_lines:,} lines of tests for {base.product_lines:,} lines of code."
    return Scored(clamped(2 + 8 * min(Fraction(1), 2 * share)), said=said)


def error_handling(facts: Facts) -> Scored:
    """The share of errors met that are not dropped; 5 where none is met."""
    if not facts.base.product:
        return Scored(None)
    met = sum(each.met for each in facts.handled)
    dropped = [finding for each in facts.handled for finding in each.dropped]
    if not met:
        return Scored(Decimal(5), said="No error is handled anywhere.")
    share = Fraction(met - len(dropped), met)
    said = f"{len(dropped)} of {many(met, 'error handler')} silently ignore the error."
    if not dropped:
        said = f"None of {many(met, 'error handler')} silently ignores the error."
    return Scored(clamped(10 * share), tuple(dropped), said)


def dependency_hygiene(facts: Facts) -> Scored:
    """Manifest 3, lockfile 3, pinned share 2, nothing vendored 2."""
    base, manifests = facts.base, facts.manifests
    main = next(iter(base.languages), None)
    if not manifests and (main is None or main in _WITHOUT_MANIFESTS):
        return Scored(None, said="Not assessed: this language has no usual manifest.")
    names = {each.path.rpartition("/")[2].lower() for each in base.snapshot.files}
    with_lock = {each.ecosystem for each in manifests if LOCKS[each.ecosystem] & names}
    locked = bool(with_lock)
    asked = facts.dependencies
    # A lockfile fixes the version, whatever range the manifest allows.
    pinned = [each for each in asked if each.pinned or each.ecosystem in with_lock]
    share = Fraction(len(pinned), len(asked)) if asked else Fraction(bool(manifests))
    score = 3 * bool(manifests) + 3 * locked + 2 * share + 2 * (not base.vendored)
    found = [
        facts.finding(
            "unpinned",
            each.file,
            each.line,
            "low",
            _unpinned(each),
        )
        for each in asked
        if each not in pinned
    ]
    said = [
        "" if manifests else "No manifest names the dependencies.",
        "" if locked or not manifests else "No lockfile fixes their versions.",
        f"{many(len(base.vendored), 'vendored file')} checked in." if base.vendored else "",
    ]
    text = " ".join(each for each in said if each)
    return Scored(clamped(score), tuple(found), text or "Dependencies are declared and locked.")


def _unpinned(dependency: Dependency) -> str:
    name = dependency.name[:80]
    if not any(char.isdigit() for char in dependency.asked):
        return f"{name} has no version: name one, or commit a lockfile"
    return f"{name} has no upper version ({dependency.asked[:40]}): add one, or commit a lockfile"
