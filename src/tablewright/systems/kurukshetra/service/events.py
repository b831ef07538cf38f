"""Events: settings, questions, vouchers and roles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Events:
    """Events: settings, questions, vouchers and roles."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
