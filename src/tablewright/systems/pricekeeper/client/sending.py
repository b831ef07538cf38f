"""What waits in the spool, sent in batches as long as the client is open."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tablewright.systems.pricekeeper.client.errors import PricekeeperError, Rejected
from tablewright.systems.pricekeeper.client.session import Retries, Session, members
from tablewright.systems.pricekeeper.client.spool import Record, Segment, Spool

log = logging.getLogger("tablewright.pricekeeper.client")
#: Item statuses that are an answer: recorded, or counted before.
_COUNTED = frozenset({200, 201})
#: Item statuses that may be different another time.
_LATER = frozenset({429, 500, 502, 503, 504})


class Sender:
    """One task that takes batches from the spool to the service, in order."""

    def __init__(
        self,
        session: Session,
        spool: Spool,
        path: str,
        *,
        every: float,
        guided: Callable[[Mapping[str, Any]], None],
    ) -> None:
        self._session = session
        self._spool = spool
        self._path = path
        self._every = every
        self._guided = guided
        self._wanted = asyncio.Event()
        self._idle = asyncio.Event()
        if not spool.records_waiting:  # a process before may have left some
            self._idle.set()
        self._task: asyncio.Task[None] | None = None
        self._stopping = False

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    def noticed(self) -> None:
        """A record has been taken."""
        self._idle.clear()
        if self._spool.is_full:
            self._wanted.set()

    async def drained(self, timeout: float) -> bool:
        """Send all that waits; False if it could not be sent in time. Nothing is lost then."""
        self._wanted.set()
        with suppress(TimeoutError):
            # Not wait_for: who is cancelled as the last record is sent would go on.
            async with asyncio.timeout(timeout):
                await self._idle.wait()
        return self._idle.is_set()

    async def stop(self) -> None:
        self._stopping = True
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while not self._stopping:
            with suppress(TimeoutError):
                # Nor here: to stop would be to wait for one more turn, with all its retries.
                async with asyncio.timeout(self._every):
                    await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._turn()
            except OSError:
                # A full disk, say. What is in the spool stays there.
                log.exception("the spool cannot be used")

    async def _turn(self) -> None:
        """Send what waits, until something cannot be sent."""
        self._spool.seal()
        for segment in self._spool.waiting():
            if not await self._sent(segment):
                break
        if not self._spool.records_waiting:
            self._idle.set()

    async def _sent(self, segment: Segment) -> bool:
        """Whether the service has answered for the whole segment."""
        try:
            answer = await self._posted(segment.records)
        except PricekeeperError as error:
            log.warning("records wait in the spool: %s", error)
            return False
        results = answer.get("results")
        if not isinstance(results, list) or len(results) != len(segment.records):
            log.warning("records wait in the spool: the service did not answer for each of them")
            return False
        if any(result.get("status") in _LATER for result in results):
            return False
        self._sort_out(segment, results)
        self._spool.answered(segment)
        guidance = answer.get("guidance")
        if isinstance(guidance, dict):
            self._guided(guidance)
        return True

    async def _posted(self, records: list[Record]) -> Mapping[str, Any]:
        body = {"records": records}
        try:
            response = await self._session.send(
                "POST", f"{self._path}/costs/batch", json=body, retries=_PATIENT
            )
        except Rejected as error:
            if error.status in (401, 403, 404, 429):
                # About the caller rather than the records: it may be mended, so they wait.
                raise
            problem = {"status": error.status, "code": error.code, "detail": error.detail}
            return {"results": [{"status": error.status, "problem": problem} for _ in records]}
        return members(response)

    def _sort_out(self, segment: Segment, results: list[Mapping[str, Any]]) -> None:
        for record, result in zip(segment.records, results, strict=True):
            if result.get("status") not in _COUNTED:
                log.error("a record was refused: %s", result.get("problem"))
                self._spool.reject(record, result.get("problem"))


#: The spool is patient: what cannot be sent now is tried again on the next turn.
_PATIENT = Retries(attempts=3)
