"""Submissions: handed in, listed, withdrawn, disqualified."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Submissions:
    """Submissions: handed in, listed, withdrawn, disqualified."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
