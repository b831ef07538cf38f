"""Jobs: all submissions of a hackathon analysed, once at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Jobs:
    """Jobs: all submissions of a hackathon analysed, once at a time."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
