"""How far those are behind who follow the changes of the table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.client.feed import Change

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Lag:
    """Shown as a gauge; 0 where everything that has changed was read."""

    def __init__(self, newsroom: Newsroom, feed: str) -> None:
        self._newsroom = newsroom
        self._shown = newsroom.runtime.metrics.gauge(
            "sentiment_feed_lag_seconds",
            "How old the oldest change was that was read last; 0 if all are read.",
            ("feed",),
        ).labels(feed)

    def note(self, changes: Sequence[Change]) -> None:
        """These were read just now; none: there are no more."""
        now = self._newsroom.now()
        # A change knows its second only.
        oldest = min((each.at for each in changes), default=now)
        self._shown.set(max(now - oldest, timedelta()).total_seconds())
