"""How many calls a day a source has."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.fetching.failures import Failure

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: How long it can be looked up.
KEPT = timedelta(days=90)


class QuotaExhausted(Failure):
    """All calls of the day have been made."""


@dataclass(frozen=True)
class Allowance:
    """The calls of today, in UTC."""

    used: int
    #: None is without a limit.
    limit: int | None

    @property
    def left(self) -> int | None:
        return None if self.limit is None else max(0, self.limit - self.used)


class Quotas:
    """Calls are taken before they are made: one that fails counts at the other end, too."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._shown = newsroom.runtime.metrics.gauge(
            "sentiment_quota_used_percent", "How much of a day's calls was made.", ("source",)
        )

    def limit(self, source: Source) -> int | None:
        """Calls a day; None for a source that nobody counts the calls of."""
        if source.daily_limit is not None or source.source_type != "newsapi":
            return source.daily_limit
        return self._newsroom.options.newsapi_daily_limit

    async def today(self, source: Source) -> Allowance:
        limit = self.limit(source)
        if limit is None:
            return Allowance(0, None)
        found = await self._newsroom.db.run(
            config_reads.quota(source.name, self._newsroom.now().date())
        )
        used = 0 if found is None else found.used
        self._show(source, used, limit)
        return Allowance(used, limit)

    async def take(self, source: Source) -> None:
        """One call; :class:`QuotaExhausted` if none is left."""
        limit = self.limit(source)
        if limit is None:
            return
        now = self._newsroom.now()
        try:
            taken = await self._newsroom.db.run(
                writes.take_quota(source.name, now.date(), limit, now + KEPT)
            )
        except ConditionFailed:
            reason = f"all {limit} calls of the day have been made"
            raise QuotaExhausted("QUOTA_EXHAUSTED", reason) from None
        self._show(source, taken.used, limit)

    def _show(self, source: Source, used: int, limit: int) -> None:
        self._shown.labels(source.name).set(100 * used / limit)
