"""Money for calls: set aside, spent, given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Budgets:
    """Money for calls: set aside, spent, given back."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
