"""Teams: members and managers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Teams:
    """Teams: members and managers."""

    def __init__(self, company: Company) -> None:
        self._company = company
