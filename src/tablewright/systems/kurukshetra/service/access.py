"""Who somebody is at an event, and what they may do there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Access:
    """Who somebody is at an event, and what they may do there."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
