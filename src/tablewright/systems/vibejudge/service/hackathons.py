"""Hackathons: made, changed, opened, released, put away."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Hackathons:
    """Hackathons: made, changed, opened, released, put away."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
