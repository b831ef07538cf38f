"""The kit table as a whole: its entities, its patterns, and the model they make.

==============  ==========================================================================
``entities``    what the table holds
``patterns``    what is read and written in it
``audit``       who did what
``outbox``      messages to the outside, sent at least once and in order
``idempotency`` requests that may be repeated
==============  ==========================================================================
"""

# ruff: noqa: F403
from __future__ import annotations

from tablewright.model import Model
from tablewright.service.kit.entities import *
from tablewright.service.kit.patterns import *

kit_model = Model("kit", *(f"tablewright.service.kit.{name}" for name in ("entities", "patterns")))
