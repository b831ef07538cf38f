"""Demo data of a model: entities that belong together, and one call for each pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tablewright.model.entity import Entity
from tablewright.model.ops import Op


@dataclass(frozen=True)
class Demo:
    """What a model's module gives as ``demo()``: the tools measure and try the model by it.

    The items are stored first, each with its locks; then the calls are run in their order, so a
    call may rest on what an earlier one has written.
    """

    items: Sequence[Entity]
    #: When the calls happen, for what ends soon after; None is any time.
    now: datetime | None = field(default=None, kw_only=True)
    #: One op for each pattern, by the pattern's name.
    calls: Mapping[str, Op[Any]] = field(default_factory=dict)
