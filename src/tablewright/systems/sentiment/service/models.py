"""The models that can be used, and the one in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Models:
    """The models that can be used, and the one in use."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
