"""The agent that looks at how it holds up: structure, database, interface, load, waste."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tablewright.systems.vibejudge.repos.limits import MB
from tablewright.systems.vibejudge.rules.scoring import clamped
from tablewright.systems.vibejudge.static.apis import ApiUse
from tablewright.systems.vibejudge.static.architecture import LARGEST_SHARE, LEAST_MODULES
from tablewright.systems.vibejudge.static.databases import DatabaseUse
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.imports import circle_finding
from tablewright.systems.vibejudge.static.results import Finding, Scored, many

LARGE_ASSET = MB


def performance(facts: Facts) -> dict[str, Scored]:
    return {
        "architecture": architecture(facts),
        "database_design": database_design(facts.database),
        "api_design": api_design(facts.api),
        "scalability": scalability(facts),
        "resource_efficiency": resource_efficiency(facts),
    }


def architecture(facts: Facts) -> Scored:
    """2 each: no file above 40 %, three modules, acyclic imports, settings apart, a way in."""
    layout = facts.layout
    if layout is None:
        return Scored(None, said="There is no code to look at.")
    found: list[Finding] = []
    even = layout.largest_share <= LARGEST_SHARE
    if not even:
        share = round(100 * layout.largest_share)
        said = f"{share} % of the code is in this file: split it by subject"
        found.append(layout.largest.finding("large-file", 1, "medium", said))
    if facts.circle is not None:
        found.append(circle_finding(facts.base.product, facts.graph, facts.circle))
    checks = {
        "one file holds too much": even,
        "there are fewer than three modules": layout.modules >= LEAST_MODULES,
        "modules import each other in circles": facts.circle is None,
        "settings are not kept apart": layout.config_apart,
        "there is no entry point": layout.entry_point,
    }
    wrong = [said for said, good in checks.items() if not good]
    told = f"Structure: {', '.join(wrong)}." if wrong else "The structure is sound."
    return Scored(Decimal(2 * (len(checks) - len(wrong))), tuple(found), told)


def database_design(use: DatabaseUse) -> Scored:
    """2.5 each: a schema, migrations, indexes, bound parameters."""
    if not use.used:
        return Scored(None)
    checks = {
        "a schema": use.schema,
        "migrations": use.migrations,
        "indexes": use.indexes,
        "bound parameters throughout": use.bound,
    }
    return _quarters("The database lacks", checks, use.where)


def api_design(use: ApiUse) -> Scored:
    """2.5 each: validation, error codes, versions, documentation."""
    if not use.used:
        return Scored(None)
    checks = {
        "validation of what comes in": use.validation,
        "status codes for errors": use.errors,
        "a version in its paths": use.versions,
        "documentation": use.docs,
    }
    return _quarters("The interface lacks", checks, use.where)


def _quarters(begin: str, checks: dict[str, bool], where: Finding | None) -> Scored:
    absent = [name for name, there in checks.items() if not there]
    told = f"{begin} {', '.join(absent)}." if absent else ""
    found: tuple[Finding, ...] = ()
    if absent and where is not None:
        said = f"{begin} {', '.join(absent)}: add what is missing, beginning here"
        found = (Finding(where.kind, where.file, where.line, "low", said, where.excerpt),)
    return Scored(Decimal("2.5") * (len(checks) - len(absent)), found, told)


def scalability(facts: Facts) -> Scored:
    """10 less 2 for each request in a loop, unbounded read and sleep that keeps others waiting."""
    if not facts.base.product:
        return Scored(None)
    found = facts.scaling
    said = f"{many(len(found), 'place gets', 'places get')} slow under load." if found else ""
    return Scored(clamped(10 - 2 * Fraction(len(found))), tuple(found), said)


def resource_efficiency(facts: Facts) -> Scored:
    """10 less 2 for each triple loop, open handle and asset above 1 MB."""
    if not facts.base.product:
        return Scored(None)
    assets = [each for each in facts.base.own_files if each.size > LARGE_ASSET]
    found = [*facts.wasting, *facts.open_handles]
    count = len(found) + len(assets)
    said = ""
    if assets:
        largest = max(assets, key=lambda each: (each.size, each.path))
        said = f"{many(len(assets), 'file')} above 1 MB checked in, as {largest.path[:100]}."
    return Scored(clamped(10 - 2 * Fraction(count)), tuple(found), said)
