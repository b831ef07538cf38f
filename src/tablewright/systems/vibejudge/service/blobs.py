"""What is too large for an item, for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Blobs:
    """What is too large for an item, for a while."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
