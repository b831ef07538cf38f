"""Records of any source become articles, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Intake:
    """Records of any source become articles, each once."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
