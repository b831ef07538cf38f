"""What teams see of it, and say to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Results:
    """What teams see of it, and say to it."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
