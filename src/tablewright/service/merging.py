"""Two people change the same settings: what the second one is shown.

A form carries what it showed first. So what its author has not touched takes the newer value, and
only what both have changed is left for people to decide; it is listed beside the newer value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.service.forms import Typed

#: The fields of a form that are about it, and not about the settings.
_OWN = ("csrf_token", "seen", "version")

#: What a field is called, where it is spoken of beside the form.
Words: TypeAlias = Callable[[str], str]


def plain_words(field: str) -> str:
    """As it is called in the form."""
    return field.replace("_", " ")


@dataclass(frozen=True)
class Clash:
    """A field that both have changed."""

    field: str
    yours: str
    theirs: str
    title: str


@dataclass(frozen=True)
class Merged:
    """The form to go on with."""

    values: dict[str, str]
    clashes: list[Clash]
    #: What was changed by the other alone, and is taken over.
    taken: list[str]
    taken_titles: list[str]


def packed(values: Mapping[str, str]) -> str:
    """What a form shows first, for the form to carry."""
    return json.dumps(dict(values), sort_keys=True, ensure_ascii=False)


def merged(
    typed: Typed,
    now: Mapping[str, str],
    *,
    words: Words = plain_words,
    besides: Collection[str] = (),
) -> Merged:
    """What was typed, on top of what is stored by now. Fields ``besides`` are no settings."""
    seen = _unpacked(typed.get("seen", ""))
    names = sorted({*typed, *now, *seen} - {*_OWN, *besides})
    values: dict[str, str] = {}
    clashes: list[Clash] = []
    taken: list[str] = []
    for name in names:
        first, yours, theirs = (each.get(name, "") for each in (seen, typed, now))
        values[name] = theirs if yours == first else yours
        if theirs != first and yours == first:
            taken.append(name)
        elif theirs not in (first, yours):
            clashes.append(Clash(name, yours, theirs, words(name)))
    return Merged(values, clashes, taken, [words(name) for name in taken])


def _unpacked(text: str) -> dict[str, str]:
    """Nobody has to have sent it: then everything counts as touched."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
