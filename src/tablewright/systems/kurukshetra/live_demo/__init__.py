"""An event to look at, offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


async def fill(festival: Festival) -> None:
    """Put an event into an empty place."""
