"""How far a plan has come, and who is reminded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Boards:
    """How far a plan has come, and who is reminded."""

    def __init__(self, company: Company) -> None:
        self._company = company
