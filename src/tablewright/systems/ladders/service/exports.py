"""Reports as PDF, CSV and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Exports:
    """Reports as PDF, CSV and JSON."""

    def __init__(self, company: Company) -> None:
        self._company = company
