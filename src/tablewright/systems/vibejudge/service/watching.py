"""How far a job is, as it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Watching:
    """How far a job is, as it goes on."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
