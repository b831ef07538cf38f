"""What a model says about an article, written with all that counts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Analyst:
    """What a model says about an article, written with all that counts it."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
