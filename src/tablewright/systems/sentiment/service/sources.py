"""Where articles come from: settings, runs, quotas, breakers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Sources:
    """Where articles come from: settings, runs, quotas, breakers."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
