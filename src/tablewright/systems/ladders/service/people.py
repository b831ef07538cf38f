"""People: who signs in, who may do what, and who is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class People:
    """People: who signs in, who may do what, and who is forgotten."""

    def __init__(self, company: Company) -> None:
        self._company = company
