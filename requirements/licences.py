"""Which licence each locked package has, whether that is one we allow, and the page that says so.

The licence is what the installed package says of itself, put into SPDX's words; where that is
silent or vague, `licences.toml` has what its licence file says. Nothing is guessed: a licence that
nobody has written down is a problem, and so is one that is not allowed.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from locked import CORE, DEV, EXTRA, HERE, ROOT, Package, npm_name, packages

PAGE = ROOT / "docs" / "licences.md"


class UnknownLicence(Exception):
    """Nobody has said which licence a package has; the text says what to do."""


@dataclass(frozen=True)
class Reading:
    """A licence that somebody has looked at, and why it is right."""

    licence: str
    reason: str


@dataclass(frozen=True)
class Shipped:
    """What lies inside the package and is in no lock."""

    name: str
    version: str
    licence: str
    place: str
    reason: str


@dataclass(frozen=True)
class Accepted:
    """A vulnerability that does not concern us, until we look again."""

    id: str
    package: str
    reason: str
    until: date


@dataclass(frozen=True)
class Policy:
    """What `licences.toml` says."""

    allowed: frozenset[str]
    names: Mapping[str, str]
    exceptions: Mapping[str, Reading]
    read: Mapping[str, Reading]
    shipped: tuple[Shipped, ...] = ()
    accepted: tuple[Accepted, ...] = ()


def policy(path: Path = HERE / "licences.toml") -> Policy:
    return policy_of(tomllib.loads(path.read_text()))


def policy_of(told: Mapping[str, Any]) -> Policy:
    return Policy(
        frozenset(told["allowed"]),
        told.get("names", {}),
        {name: Reading(**each) for name, each in told.get("exceptions", {}).items()},
        {name: Reading(**each) for name, each in told.get("read", {}).items()},
        tuple(Shipped(**each) for each in told.get("shipped", ())),
        tuple(Accepted(**each) for each in told.get("accepted", ())),
    )


# --- which licence -------------------------------------------------------------------------------


def licence_of(package: Package, rules: Policy, root: Path = ROOT) -> str:
    """In the words of SPDX."""
    if package.name in rules.read:
        return rules.read[package.name].licence
    find = _npm_licence if package.ecosystem == "npm" else _python_licence
    found = find(package.name, root)
    known = rules.names.get(found or "", found)
    if not known or not _is_expression(known):
        said = f"says {found!r}" if found else "names no licence, or is not installed here"
        raise UnknownLicence(
            f"{package.name} {package.version}: its metadata {said}; look into its licence file "
            f"and write what it is under [read.{package.name}] in requirements/licences.toml"
        )
    return known


def _python_licence(name: str, root: Path) -> str | None:
    try:
        told = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    if expression := told.get_all("License-Expression"):
        return str(expression[0])
    # Some have the whole text there.
    if (text := told.get_all("License")) and "\n" not in text[0]:
        return str(text[0])
    classifiers = told.get_all("Classifier") or []
    kinds = {each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License ::")}
    return kinds.pop() if len(kinds) == 1 else None


def _npm_licence(name: str, root: Path) -> str | None:
    lock = json.loads((root / "package-lock.json").read_text())["packages"]
    told = (about.get("license") for place, about in lock.items() if npm_name(place) == name)
    return next(told, None)


# --- whether it is allowed -----------------------------------------------------------------------

_TOKEN = re.compile(r"\s*([()]|[A-Za-z0-9.+-]+)")


def _tokens(expression: str) -> list[str] | None:
    found = _TOKEN.findall(expression)
    return found if "".join(found) == re.sub(r"\s+", "", expression) else None


def _is_expression(text: str) -> bool:
    """Whether it reads like SPDX's: names between AND and OR."""
    tokens = _tokens(text)
    if not tokens:
        return False
    names = " ".join(each for each in tokens if each not in "()").split(" AND ")
    return all(len(each.split()) == 1 for part in names for each in part.split(" OR "))


def is_allowed(expression: str, good: Callable[[str], bool]) -> bool:
    """Of several that hold together all have to be good, of several to choose from one."""
    tokens = _tokens(expression) or []
    result, rest = _any_of(tokens, good)
    return result and not rest


def _any_of(tokens: list[str], good: Callable[[str], bool]) -> tuple[bool, list[str]]:
    result, rest = _all_of(tokens, good)
    while rest and rest[0] == "OR":
        another, rest = _all_of(rest[1:], good)
        result = result or another
    return result, rest


def _all_of(tokens: list[str], good: Callable[[str], bool]) -> tuple[bool, list[str]]:
    result, rest = _one_of(tokens, good)
    while rest and rest[0] == "AND":
        another, rest = _one_of(rest[1:], good)
        result = result and another
    return result, rest


def _one_of(tokens: list[str], good: Callable[[str], bool]) -> tuple[bool, list[str]]:
    if not tokens:
        return False, []
    if tokens[0] != "(":
        return good(tokens[0]), tokens[1:]
    result, rest = _any_of(tokens[1:], good)
    return result and rest[:1] == [")"], rest[1:]


def problem_of(package: Package, rules: Policy, root: Path = ROOT) -> str | None:
    """What is wrong with the licence of a package."""
    try:
        licence = licence_of(package, rules, root)
    except UnknownLicence as error:
        return str(error)
    excepted = rules.exceptions.get(package.name)
    granted = rules.allowed | ({excepted.licence} if excepted else set())
    if is_allowed(licence, granted.__contains__):
        return None
    return (
        f"{package.name} {package.version} ({package.use}): {licence} is not allowed; replace the "
        f"package, or say why it does no harm under [exceptions.{package.name}] in "
        f"requirements/licences.toml"
    )


def problems(found: Iterable[Package], rules: Policy, root: Path = ROOT) -> list[str]:
    """What is wrong with all of them, and what is written down of packages that are gone."""
    found = list(found)
    names = {each.name for each in found}
    told = [text for each in found if (text := problem_of(each, rules, root))]
    gone = sorted({*rules.exceptions, *rules.read} - names)
    return told + [f"{each} is in requirements/licences.toml and in no lock" for each in gone]


# --- the page ------------------------------------------------------------------------------------

_TITLES = {
    CORE: ("What `pip install tablewright` brings", "Python"),
    EXTRA: ("What the extras and the console bring", "Python and npm"),
    DEV: ("What is used to work on it, and not shipped", "Python and npm"),
}
_OPENING = """\
# Licences of dependencies

Written by `make licences` from the locks and from what the installed packages say of themselves; a
test compares it with the locks. `make audit` fails on a licence that is unknown or not allowed.
Tablewright itself is under [Apache-2.0](../LICENSE).
"""


def page(found: Iterable[Package], rules: Policy, root: Path = ROOT) -> str:
    """`docs/licences.md`."""
    found = list(found)
    parts = [_OPENING, _allowed(rules)]
    for use, (title, kinds) in _TITLES.items():
        rows = [each for each in found if each.use == use]
        parts.append(f"## {title}\n\n{kinds}: {len(rows)} packages.\n\n{_table(rows, rules, root)}")
    return "\n".join([*parts, _shipped(rules), _remarks(rules)])


def _allowed(rules: Policy) -> str:
    names = ", ".join(sorted(rules.allowed))
    return f"Allowed: {names}. Anything else needs a reason, [below](#exceptions-and-readings).\n"


def _table(rows: Iterable[Package], rules: Policy, root: Path) -> str:
    lines = [f"| {_cell(each)} | {licence_of(each, rules, root)} |\n" for each in rows]
    return "| Package | Version | From | Licence |\n|---|---|---|---|\n" + "".join(lines)


def _cell(package: Package) -> str:
    origin = "npm" if package.ecosystem == "npm" else "Python"
    return f"{package.name} | {package.version} | {origin}"


def _shipped(rules: Policy) -> str:
    lines = [
        f"| {each.name} | {each.version} | `{each.place}` | {each.licence}: {each.reason} |\n"
        for each in rules.shipped
    ]
    head = "| What | Version | Where | Licence |\n|---|---|---|---|\n"
    return "## What lies inside the package\n\n" + head + "".join(lines)


def _remarks(rules: Policy) -> str:
    rows = [(name, each) for name, each in {**rules.read, **rules.exceptions}.items()]
    lines = [
        f"| {name} | {each.licence} | {each.reason} |\n"
        for name, each in sorted(rows, key=lambda row: row[0])
    ]
    return "## Exceptions and readings\n\n| Package | Licence | Why |\n|---|---|---|\n" + "".join(
        lines
    )


def written(root: Path = ROOT) -> str:
    """The page as it should be now."""
    return page(packages(root), policy(), root)
