"""Checks of the whole: counting again, and rows that have lost their article."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Books:
    """Checks of the whole: counting again, and rows that have lost their article."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
