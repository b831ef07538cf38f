"""Known vulnerabilities of what is locked, as the OSV database has them.

One question for all packages, by name and version; nothing else leaves the machine. Where the
database cannot be reached, that is said and is an outcome of its own: not knowing is not the same
as there being none.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from licences import Accepted
from locked import Package

DATABASE = "https://api.osv.dev"
_ECOSYSTEMS = {"pypi": "PyPI", "npm": "npm"}
#: How many packages one question may be about; the database takes a thousand.
_AT_ONCE = 500
_PATIENCE = 30.0


class Unreachable(Exception):
    """The database did not answer, or not as agreed."""


@dataclass(frozen=True)
class Vulnerability:
    id: str
    package: Package

    def __str__(self) -> str:
        return f"{self.package.name} {self.package.version} ({self.package.use}): {self.id}"


def known(packages: Sequence[Package], database: str = DATABASE) -> list[Vulnerability]:
    """Everything that is known against these versions."""
    found: list[Vulnerability] = []
    for start in range(0, len(packages), _AT_ONCE):
        found += _asked(packages[start : start + _AT_ONCE], database)
    return sorted(found, key=str)


def _asked(packages: Sequence[Package], database: str) -> Iterator[Vulnerability]:
    waiting: list[tuple[Package, str | None]] = [(each, None) for each in packages]
    while waiting:
        answers = _answers([_question(*each) for each in waiting], database)
        if len(answers) != len(waiting):
            raise Unreachable(f"{database} answered {len(answers)} of {len(waiting)} questions")
        more: list[tuple[Package, str | None]] = []
        for (package, _), answer in zip(waiting, answers, strict=True):
            for each in answer.get("vulns") or ():
                yield Vulnerability(str(each["id"]), package)
            if following := answer.get("next_page_token"):
                more.append((package, following))
        waiting = more


def _question(package: Package, following: str | None) -> dict[str, Any]:
    about = {"name": package.name, "ecosystem": _ECOSYSTEMS[package.ecosystem]}
    asked: dict[str, Any] = {"package": about, "version": package.version}
    return asked | ({"page_token": following} if following else {})


def _answers(questions: list[dict[str, Any]], database: str) -> list[dict[str, Any]]:
    request = urllib.request.Request(
        f"{database.rstrip('/')}/v1/querybatch",
        data=json.dumps({"queries": questions}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            told = json.loads(answer.read())
        return [dict(each) for each in told["results"]]
    # Refused, unknown, silent, or somebody else who answers in its place.
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Unreachable(f"{database} could not be asked: {error!r}") from error


def concerning(
    found: Iterable[Vulnerability], accepted: Iterable[Accepted], today: date
) -> tuple[list[Vulnerability], list[str]]:
    """Those that count, and what was accepted in vain or for too long."""
    found = list(found)
    there = {(each.id, each.package.name) for each in found}
    good = {(each.id, each.package) for each in accepted if each.until >= today}
    remarks = [
        f"{each.id} of {each.package} is accepted, and is not found any more"
        for each in accepted
        if (each.id, each.package) not in there
    ] + [
        f"{each.id} of {each.package} was accepted until {each.until}"
        for each in accepted
        if each.until < today
    ]
    return [each for each in found if (each.id, each.package.name) not in good], remarks
