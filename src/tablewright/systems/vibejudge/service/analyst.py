"""One task: leased, analysed, published."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Analyst:
    """One task: leased, analysed, published."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
