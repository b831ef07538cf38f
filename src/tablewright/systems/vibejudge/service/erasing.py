"""Everything of somebody goes, but for anonymous costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Erasing:
    """Everything of somebody goes, but for anonymous costs."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
