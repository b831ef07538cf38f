"""Growth actions, history and heat maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


class Growth:
    """Growth actions, history and heat maps."""

    def __init__(self, company: Company) -> None:
        self._company = company
