"""The agent that looks at how it holds up: structure, database, interface, load, waste."""

from __future__ import annotations

import re
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
#: Where no fault was found, without any measure taken.
_NOTHING_SLOW = 7
#: Measures against load, by what they look like in code.
_MEASURES = {
    "page limits": re.compile(
        r"(?i)\blimit\s*[(=:]|\bpaginat|\bpage_size\b|\bpageSize\b|\bLIMIT \S|\.limit\("
        r"|\bnext_?[cC]ursor\b|\bExclusiveStartKey\b|\bstartAfter\("
    ),
    "caching": re.compile(
        r"(?i)\blru_cache\b|\bcachetools\b|\bredis\b|\bmemcache|Cache-Control|@cache\b|\bcaches\."
        r"|\bCacheable\b|\bsetex\("
    ),
    "concurrent work": re.compile(
        r"\basyncio\.gather\b|\bTaskGroup\b|Promise\.all|\bgo func\b|\bsync\.WaitGroup\b"
        r"|\bThreadPoolExecutor\b|CompletableFuture|tokio::spawn|\bcelery\b|\bBullMQ\b|\bQueue\("
    ),
}


def performance(facts: Facts) -> dict[str, Scored]:
    return {
        "architecture": architecture(facts),
        "database_design": database_design(facts.database),
        "api_design": api_design(facts.api),
        "scalability": scalability(facts),
        "resource_efficiency": resource_efficiency(facts),
    }


def architecture(facts: Facts) -> Scored:
    """Rate the checks that apply: file sizes, modules, import cycles, settings, an entry point."""
    layout = facts.layout
    if layout is None:
        return Scored(None, said="Not assessed: there is no code.")
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
        "settings are not kept apart": layout.config_apart,
        "there is no entry point": layout.entry_point,
    }
    if any(facts.graph.values()):
        checks["modules import each other in circles"] = facts.circle is None
    wrong = [said for said, good in checks.items() if not good]
    told = f"Structure: {', '.join(wrong)}." if wrong else _sound(layout.modules)
    score = Fraction(10 * (len(checks) - len(wrong)), len(checks))
    return Scored(clamped(score), tuple(found), told)


def _sound(modules: int) -> str:
    return f"{many(modules, 'module')}, none too large, with an entry point and separate settings."


def database_design(use: DatabaseUse) -> Scored:
    """Rate the checks that apply to the kind of database.

    A schema and indexes for all of them, migrations and bound parameters for SQL, no full scans
    for document stores.
    """
    if not use.used:
        return Scored(None, said="Not assessed: no database is used.")
    checks = {"a schema": use.schema, "indexes": use.indexes}
    if use.relational:
        checks["migrations"] = use.migrations
        checks["bound parameters throughout"] = use.bound
    if use.documents:
        checks["queries instead of full scans"] = not use.scans
    return _rated("The database", checks, use.where)


def api_design(use: ApiUse) -> Scored:
    """2.5 each: validation, error codes, versions, documentation."""
    if not use.used:
        return Scored(None, said="Not assessed: nothing answers HTTP requests.")
    checks = {
        "validation of what comes in": use.validation,
        "status codes for errors": use.errors,
        "a version in its paths": use.versions,
        "documentation": use.docs,
    }
    return _rated("The API", checks, use.where)


def _rated(subject: str, checks: dict[str, bool], where: Finding | None) -> Scored:
    absent = [name for name, there in checks.items() if not there]
    present = [name for name, there in checks.items() if there]
    told = [
        f"{subject} has {', '.join(present)}." if present else "",
        f"{subject} lacks {', '.join(absent)}." if absent else "",
    ]
    found: tuple[Finding, ...] = ()
    if absent and where is not None:
        said = f"{subject} lacks {', '.join(absent)}: add what is missing, beginning here"
        found = (Finding(where.kind, where.file, where.line, "low", said, where.excerpt),)
    score = clamped(Fraction(10 * len(present), len(checks)))
    return Scored(score, found, " ".join(each for each in told if each))


def scalability(facts: Facts) -> Scored:
    """Rate behaviour under load: 7, plus 1 for each measure taken, less 2 for each slow place.

    Slow places are requests in loops, unbounded reads and blocking sleeps. To find none is not to
    show that a product scales, so that alone does not earn 10. A product that serves no requests
    and reads no stored data is not assessed.
    """
    found = facts.scaling
    if not found and not facts.api.used and not facts.database.used:
        return Scored(None, said="Not assessed: nothing serves requests or reads stored data.")
    measures = [name for name, pattern in _MEASURES.items() if facts.mentions(pattern)]
    slow = f"{many(len(found), 'place gets', 'places get')} slow under load."
    said = [slow if found else "Nothing that gets slow under load was found."]
    said += [f"Measures taken: {', '.join(measures)}."] if measures else []
    score = _NOTHING_SLOW + len(measures) - 2 * Fraction(len(found))
    return Scored(clamped(score), tuple(found), " ".join(said))


def resource_efficiency(facts: Facts) -> Scored:
    """Rate waste: 10 less 2 for each file left open and each asset above 1 MB.

    Not assessed where no file is opened and no large asset is checked in.
    """
    assets = [each for each in facts.base.own_files if each.size > LARGE_ASSET]
    found = [*facts.wasting, *facts.open_handles]
    if not found and not assets and not facts.opens_files:
        return Scored(None, said="Not assessed: no file is opened.")
    said = [f"{many(len(found), 'file')} left open." if found else ""]
    if assets:
        largest = max(assets, key=lambda each: (each.size, each.path))
        said.append(f"{many(len(assets), 'file')} above 1 MB checked in: {largest.path[:100]}.")
    text = " ".join(each for each in said if each) or "Files that are opened are closed again."
    return Scored(clamped(10 - 2 * Fraction(len(found) + len(assets))), tuple(found), text)
