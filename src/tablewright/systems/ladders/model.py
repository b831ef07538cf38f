"""The data model of career-ladder assessments: six tables, each with one kind of thing.

Entities in ``entities``; patterns in ``reads``, and as writes in ``people``, ``reviewing`` and
``reporting``; who was reminded in ``reminding``. All can be had from here.
"""

# ruff: noqa: F403 - this module gathers what the others declare

from __future__ import annotations

from tablewright.model import Model
from tablewright.systems.ladders import entities, people, reads, reminding, reporting, reviewing
from tablewright.systems.ladders.entities import *
from tablewright.systems.ladders.people import *
from tablewright.systems.ladders.reads import *
from tablewright.systems.ladders.reminding import *
from tablewright.systems.ladders.reporting import *
from tablewright.systems.ladders.reviewing import *

model = Model("ladders", entities, reads, people, reviewing, reporting, reminding)
