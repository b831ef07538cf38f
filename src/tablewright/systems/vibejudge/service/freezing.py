"""The commit that counts, pinned when a hackathon ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Freezing:
    """The commit that counts, pinned when a hackathon ends."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
