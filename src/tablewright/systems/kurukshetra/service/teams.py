"""Teams: founding, joining, leaving, leading, naming."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Teams:
    """Teams: founding, joining, leaving, leading, naming."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
