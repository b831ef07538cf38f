"""Scorecards: what was found, by which run, under which rubric."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Scorecards:
    """Scorecards: what was found, by which run, under which rubric."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
