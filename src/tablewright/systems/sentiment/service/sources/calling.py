"""One call to a source: its quota, its tries, and what its failure leads to.

What is known of a source's failures is in its row, written before anything else happens: a process
that starts again knows as much as the one before.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tablewright.model import together
from tablewright.service.auth import system_principal
from tablewright.service.kit import audit
from tablewright.service.kit.outbox import message
from tablewright.systems.sentiment import writes
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.fetching.failures import (
    CallFailed,
    Failure,
    KeyRefused,
    Refused,
    Sleep,
    ToldToWait,
    tried,
)
from tablewright.systems.sentiment.rules.breaker import Breaker
from tablewright.systems.sentiment.service.sources.quotas import Quotas

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")
T = TypeVar("T")


class BreakerOpen(Failure):
    """It has failed too often, or asked us to wait."""


class Calls:
    """The calls of one run of a source."""

    def __init__(self, newsroom: Newsroom, source: Source, sleep: Sleep = asyncio.sleep) -> None:
        self._newsroom = newsroom
        self._source = source
        self._quotas = Quotas(newsroom)
        self._sleep = sleep
        self._breaker = Breaker(source.failures, source.breaker_open_until)

    async def make(self, call: Callable[[], Awaitable[T]]) -> T:
        """What the call gives; else what went wrong, which the source's row has by then."""
        if not self._breaker.allows(self._newsroom.now()):
            raise BreakerOpen("BREAKER_OPEN", "it is left alone for now")
        try:
            given = await tried(lambda: self._once(call), self._sleep)
        except KeyRefused as failure:
            await self._disable(failure)
            raise
        except ToldToWait as failure:
            await self._wait(failure)
            raise
        except (CallFailed, Refused) as failure:
            await self._failed(failure)
            raise
        self._breaker = Breaker()
        return given

    async def _once(self, call: Callable[[], Awaitable[T]]) -> T:
        await self._quotas.take(self._source)
        return await call()

    async def _failed(self, failure: Failure) -> None:
        name = self._source.name
        self._breaker = self._breaker.failed(self._newsroom.now())
        until = self._breaker.open_until
        noted = writes.source_failed(name, open_until=until, enabled=True, error_code=failure.code)
        await self._newsroom.db.run(noted)
        log.warning("source %s: %s (%s)", name, failure, failure.code)
        if until is not None:
            log.warning("source %s is left alone until %s", name, until.isoformat())

    async def _wait(self, failure: ToldToWait) -> None:
        name = self._source.name
        self._breaker = self._breaker.told_to_wait(self._newsroom.now(), failure.seconds)
        until = self._breaker.open_until
        assert until is not None
        await self._newsroom.db.run(writes.delay_source(name, until, failure.code))
        log.warning("source %s asks to be left alone until %s", name, until.isoformat())

    async def _disable(self, failure: KeyRefused) -> None:
        """Switched off, noted and told in one transaction."""
        name, now = self._source.name, self._newsroom.now()
        by = system_principal(self._newsroom.runtime.system, "ingest")
        off = writes.source_failed(name, open_until=None, enabled=False, error_code=failure.code)
        detail = {"error_code": failure.code}
        noted = audit.record(by, "source.disable", f"source/{name}", at=now, detail=detail)
        body = {
            "title": f"The source {name} has been switched off",
            "text": f"The source {name} has refused our key, so it is not asked any more. Set a "
            "valid key, then switch the source on again.",
            "source": name,
            "error_code": failure.code,
        }
        told = message("source.disabled", f"source/{name}", body, at=now)
        await self._newsroom.db.run(together(off, noted, told))
        log.error("source %s has been switched off: %s", name, failure)
