"""Changes that are gone, and what to do about them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from tablewright.client.feed.errors import ChangesLost, Gap

#: An error, a warning in the log, or whatever a function does; if it returns, the feed goes on
#: with the oldest change there is.
OnGap: TypeAlias = Literal["raise", "continue"] | Callable[[Gap], object]

_log = logging.getLogger("tablewright.feed")


@dataclass(frozen=True)
class Gaps:
    """The policy of one feed."""

    consumer: str
    table: str
    policy: OnGap = "raise"

    def expired(self, shard: str | None, after: str | None, seen: float | None) -> None:
        """Records were dropped because they were older than 24 hours."""
        self._report(Gap(self.consumer, self.table, "expired", shard, after, _moment(seen)))

    def switched_off(self, seen: float | None) -> None:
        """Between one stream of the table and the next, nothing was recorded."""
        self._report(Gap(self.consumer, self.table, "switched_off", None, None, _moment(seen)))

    def _report(self, gap: Gap) -> None:
        if self.policy == "raise":
            raise ChangesLost(gap)
        if self.policy == "continue":
            _log.warning("consumer %s: %s", self.consumer, gap)
        else:
            self.policy(gap)


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
