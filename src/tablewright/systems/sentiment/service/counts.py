"""Figures over time, from the counts alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Counts:
    """Figures over time, from the counts alone."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
