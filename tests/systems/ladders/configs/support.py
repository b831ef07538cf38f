"""Ladders to upload, and administrators who do."""

from __future__ import annotations

from tests.systems.ladders.support import OPERATOR

from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company

TEXT = """\
# Craft

## Code

1. Writes code that others can read.
2. Shapes the code of a whole service.
"""

#: Eight faults, each on a line of its own.
FAULTY = """\
Hello, this is our ladder.

## Orphan

1. Has.
2. No.
3. Category.

# Craft

## Code

1. Reads code.
3. Skips a step.

## Design

1. Draws.
2. Plans.
3. Leads.

## Design

1. Draws.
2. Plans.
3. Leads.

## A competency whose name is longer than anybody can read and than eighty signs in all

1. Draws.
2. Plans.
3. Leads.

## Empty

<div>Not allowed</div>

## Testing

* Not numbered
"""


def text(word: str) -> str:
    """A ladder that says something of its own."""
    return TEXT.replace("Shapes", f"Shapes {word}")


async def admin(company: Company) -> Caller:
    return await company.people.caller(OPERATOR)


async def marked(company: Company) -> list[str]:
    """The versions that have the mark of the active one."""
    found = [each async for each in company.db.iterate(m.all_configs())]
    return sorted(each.version for each in found if each.is_active == 1)


async def pointed(company: Company) -> str | None:
    pointer = await company.db.run(m.active_config())
    return None if pointer is None else pointer.version
