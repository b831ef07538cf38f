"""Key templates as the rules read them: literal text and components, nothing refused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

#: Attribute names may hold hyphens and more: "GSI2-PK". A name begins with a letter here, so that
#: braces in other text stay text.
_SLOT = re.compile(r"\{(?P<field>[A-Za-z_][^{}:\s]*)(?::(?P<spec>[^{}]*))?\}")
#: The forms of attributes that are times.
TIMES = frozenset(
    (
        "iso",
        "iso_seconds",
        "iso_millis",
        "iso_micros",
        "date",
        "day",
        "epoch_seconds",
        "epoch_millis",
    )
)


@dataclass(frozen=True)
class Slot:
    """The place of one component's value."""

    field: str
    spec: str = ""


@lru_cache(1024)
def pieces(template: str) -> tuple[str | Slot, ...]:
    """Literals and slots in order. Braces that are no slot are text."""
    found: list[str | Slot] = []
    position = 0
    for match in _SLOT.finditer(template):
        if match.start() > position:
            found.append(template[position : match.start()])
        found.append(Slot(match["field"], match["spec"] or ""))
        position = match.end()
    if position < len(template):
        found.append(template[position:])
    return tuple(found)


def fields(template: str) -> tuple[str, ...]:
    """The components in order of first appearance."""
    return tuple(dict.fromkeys(p.field for p in pieces(template) if isinstance(p, Slot)))


def single(template: str) -> str | None:
    """The component of a template that is nothing else."""
    found = pieces(template)
    if len(found) == 1 and isinstance(found[0], Slot):
        return found[0].field
    return None


def disjoint(first: str, second: str) -> bool:
    """Whether two templates begin differently: a quick way to see that they never meet."""
    one, two = pieces(first)[:1], pieces(second)[:1]
    if not one or not two or isinstance(one[0], Slot) or isinstance(two[0], Slot):
        return False
    shorter = min(len(one[0]), len(two[0]))
    return one[0][:shorter] != two[0][:shorter]


def is_constant(template: str) -> bool:
    return not fields(template)
