"""Exports: masked, or in full for a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Exports:
    """Exports: masked, or in full for a reason."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
