"""Personal data under a new key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Resealing:
    """Personal data under a new key."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
