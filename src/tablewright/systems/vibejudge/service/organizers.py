"""Organisers: who they are, their keys, and what they may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Organizers:
    """Organisers: who they are, their keys, and what they may do."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
