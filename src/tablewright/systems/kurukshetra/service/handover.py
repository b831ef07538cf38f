"""Paid teams with a repository go to judging."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Handover:
    """Paid teams with a repository go to judging."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
