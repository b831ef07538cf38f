"""Comparing a model with the one in use; promoting it, and going back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Jobs:
    """Comparing a model with the one in use; promoting it, and going back."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
