"""A company to look at, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


async def fill(company: Company) -> None:
    """Put people, teams and a round of assessments into an empty place."""
