"""The data model of pricekeeper: eight tables without a secondary index.

==============  ==========================================================================
``shapes``      the texts that keys are made of
``config``      organisations, apps, credentials, labels, prices, tokens
``spend``       closed labels, counters, totals, the ledger, promises
``reads``       what is read
``writes``      what administrators and clients change
``recording``   what is recorded, summed, promised and closed
==============  ==========================================================================
"""

# ruff: noqa: F403
from __future__ import annotations

from tablewright.model import Model
from tablewright.systems.pricekeeper.config import *
from tablewright.systems.pricekeeper.reads import *
from tablewright.systems.pricekeeper.recording import *
from tablewright.systems.pricekeeper.shapes import *
from tablewright.systems.pricekeeper.spend import *
from tablewright.systems.pricekeeper.writes import *

_MODULES = ("config", "spend", "reads", "writes", "recording")
model = Model("pricekeeper", *(f"tablewright.systems.pricekeeper.{name}" for name in _MODULES))
