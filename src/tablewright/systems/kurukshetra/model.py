"""The data model of hackathon registration: one table, everything about an event under its name.

Entities: ``people``, ``teams``, ``payments``, ``events``. Patterns: ``reads`` and
``lists``; writes in ``registering``, ``teaming``, ``seating``, ``paying``, ``refunding`` and
``organising``. What an operator compares: ``upkeep``. What
is done beside requests: ``jobs``. All can be had from here.
"""

# ruff: noqa: F403 - this module gathers what the others declare

from __future__ import annotations

from tablewright.model import Model
from tablewright.systems.kurukshetra.base import table as table
from tablewright.systems.kurukshetra.events import *
from tablewright.systems.kurukshetra.forgetting import *
from tablewright.systems.kurukshetra.jobs import *
from tablewright.systems.kurukshetra.lists import *
from tablewright.systems.kurukshetra.mails import *
from tablewright.systems.kurukshetra.organising import *
from tablewright.systems.kurukshetra.paying import *
from tablewright.systems.kurukshetra.payments import *
from tablewright.systems.kurukshetra.people import *
from tablewright.systems.kurukshetra.reads import *
from tablewright.systems.kurukshetra.refunding import *
from tablewright.systems.kurukshetra.registering import *
from tablewright.systems.kurukshetra.seating import *
from tablewright.systems.kurukshetra.teaming import *
from tablewright.systems.kurukshetra.teams import *
from tablewright.systems.kurukshetra.upkeep import *

_ENTITIES = ("people", "teams", "payments", "events", "jobs", "forgetting", "mails")
_PATTERNS = (
    "reads",
    "lists",
    "registering",
    "teaming",
    "seating",
    "paying",
    "refunding",
    "organising",
    "upkeep",
)

# By name: a pattern may be called like a module.
_PACKAGE = __name__.rpartition(".")[0]
model = Model("kurukshetra", *(f"{_PACKAGE}.{name}" for name in (*_ENTITIES, *_PATTERNS)))
