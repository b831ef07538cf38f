"""Rules, when they fire, and who has seen it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Alerts:
    """Rules, when they fire, and who has seen it."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
