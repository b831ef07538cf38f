"""Plans: drafted, activated, completed, archived."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Plans:
    """Plans: drafted, activated, completed, archived."""

    def __init__(self, company: Company) -> None:
        self._company = company
