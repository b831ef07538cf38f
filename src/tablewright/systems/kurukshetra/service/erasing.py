"""People who are forgotten, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Erasing:
    """People who are forgotten, and when."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
