"""Ladders: versions, one of which is active."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Configs:
    """Ladders: versions, one of which is active."""

    def __init__(self, company: Company) -> None:
        self._company = company
