"""Captures: verified, told or found, each has one effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Payments:
    """Captures: verified, told or found, each has one effect."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
