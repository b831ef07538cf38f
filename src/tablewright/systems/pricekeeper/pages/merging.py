"""Two people change the same settings: what the second one is shown.

A form carries what it showed first. So what its author has not touched takes the newer value, and
only what both have changed is left for people to decide; it is listed beside the newer value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tablewright.service.forms import Typed
from tablewright.systems.pricekeeper.pages.limit_table import words_of

#: The fields of a form that are about it, and not about the settings.
_OWN = ("csrf_token", "seen", "version", "org_id", "app_id")


@dataclass(frozen=True)
class Clash:
    """A field that both have changed."""

    field: str
    yours: str
    theirs: str

    @property
    def title(self) -> str:
        return words_of(self.field)


@dataclass(frozen=True)
class Merged:
    """The form to go on with."""

    values: dict[str, str]
    clashes: list[Clash]
    #: What was changed by the other alone, and is taken over.
    taken: list[str]

    @property
    def taken_titles(self) -> list[str]:
        return [words_of(field) for field in self.taken]


def packed(values: Mapping[str, str]) -> str:
    """What a form shows first, for the form to carry."""
    return json.dumps(dict(values), sort_keys=True, ensure_ascii=False)


def merged(typed: Typed, now: Mapping[str, str]) -> Merged:
    """What was typed, on top of what is stored by now."""
    seen = _unpacked(typed.get("seen", ""))
    names = sorted({*typed, *now, *seen} - set(_OWN))
    values: dict[str, str] = {}
    clashes: list[Clash] = []
    taken: list[str] = []
    for name in names:
        first, yours, theirs = (each.get(name, "") for each in (seen, typed, now))
        values[name] = theirs if yours == first else yours
        if theirs != first and yours == first:
            taken.append(name)
        elif theirs not in (first, yours):
            clashes.append(Clash(name, yours, theirs))
    return Merged(values, clashes, taken)


def _unpacked(text: str) -> dict[str, str]:
    """Nobody has to have sent it: then everything counts as touched."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
