"""Leaderboards, figures and resemblances of a hackathon."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Standings:
    """Leaderboards, figures and resemblances of a hackathon."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
