"""What holds for the whole system, and its first values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Setup:
    """What holds for the whole system, and its first values."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
