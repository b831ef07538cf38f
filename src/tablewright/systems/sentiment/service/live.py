"""What arrives, told to whoever is looking."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Live:
    """What arrives, told to whoever is looking."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
