"""Judges, rounds, and what they decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Judging:
    """Judges, rounds, and what they decide."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
