"""The data model of sentiment: one table, three indexes, and keys that say whose an item is.

=============  ===========================================================================
``shapes``     the texts that keys are made of
``articles``   the table; articles, their tags and results, and all counts
``config``     topics, sources, models, rules; runs, quotas, alerts, jobs
``reads``      what is read of articles and counts; of the rest: ``config_reads``, and
               ``upkeep_reads`` to check and to mend
``changes``    what changes an article, with its tags and counts
``writes``     what is configured and noted down
=============  ===========================================================================
"""

# ruff: noqa: F403
from __future__ import annotations

from tablewright.model import Model
from tablewright.systems.sentiment.articles import *
from tablewright.systems.sentiment.changes import *
from tablewright.systems.sentiment.config import *
from tablewright.systems.sentiment.config_reads import *
from tablewright.systems.sentiment.reads import *
from tablewright.systems.sentiment.shapes import *
from tablewright.systems.sentiment.upkeep_reads import *
from tablewright.systems.sentiment.writes import *

_MODULES = ("articles", "config", "reads", "config_reads", "upkeep_reads", "changes", "writes")
model = Model("sentiment", *(f"tablewright.systems.sentiment.{name}" for name in _MODULES))
