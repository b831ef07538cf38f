"""What waits or has failed, and another chance for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Queue:
    """What waits or has failed, and another chance for it."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
