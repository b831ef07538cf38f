"""The topics that are followed: reading, editing and trying them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Watches:
    """The topics that are followed: reading, editing and trying them."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
