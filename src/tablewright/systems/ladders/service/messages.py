"""What people are told by mail."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Messages:
    """What people are told by mail."""

    def __init__(self, company: Company) -> None:
        self._company = company
