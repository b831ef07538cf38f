"""The async client: which label to use now, and what its calls have cost."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from tablewright.systems.pricekeeper.client.advice import Advice, AdviceStore, Fallback
from tablewright.systems.pricekeeper.client.calls import Call, Tokens
from tablewright.systems.pricekeeper.client.errors import (
    LimitReached,
    QuotaExceeded,
    Rejected,
    Unreachable,
)
from tablewright.systems.pricekeeper.client.ids import new_request_id
from tablewright.systems.pricekeeper.client.sending import Sender
from tablewright.systems.pricekeeper.client.session import Retries, Session, members
from tablewright.systems.pricekeeper.client.spool import (
    MAX_BYTES,
    SEGMENT,
    Spool,
    folder_of_app,
)

log = logging.getLogger("tablewright.pricekeeper.client")


@dataclass(frozen=True)
class Reserved:
    """Spend that is promised to one call."""

    reservation_id: str
    label: str


class PricekeeperClient:
    """An app's client. Open it with ``async with``; any number of tasks may use it.

    ``record`` returns when the record is safe on this machine's disk; it reaches the service in a
    batch, at most ``every`` seconds later, and counts once however often it is sent.

    While the service is down, ``select`` returns the last recommendation for up to ``stale_secs``
    seconds, then ``fallback``. Once one of them is known, it waits ``patience`` seconds at most.
    """

    def __init__(
        self,
        url: str,
        *,
        org_id: str,
        app_id: str,
        client_id: str,
        client_secret: str,
        spool: Path | str,
        every: float = 1.0,
        batch: int = SEGMENT,
        spool_bytes: int = MAX_BYTES,
        retries: Retries | None = None,
        fallback: Fallback | str | None = None,
        stale_secs: float = 3600.0,
        patience: float = 1.0,
    ) -> None:
        self._advice = AdviceStore(fallback, stale_secs)
        self._session = Session(url, client_id, client_secret, retries=retries)
        self._path = f"/orgs/{org_id}/apps/{app_id}"
        folder = folder_of_app(Path(spool), org_id, app_id)
        self._spool = Spool(folder, max_bytes=spool_bytes, segment_records=batch)
        self._sender = Sender(
            self._session, self._spool, self._path, every=every, guided=self._advice.store_guidance
        )
        self._patience = patience
        self._request: asyncio.Task[Advice] | None = None

    # --- which label ---------------------------------------------------------------------------

    async def select(self, *, force: bool = False) -> Advice:
        """Return the label to use now; ask the service only if the last answer has expired.

        Callers that ask at the same time share one request. ``force`` asks the service in any
        case, and has it look at the counters themselves.

        Raises :class:`QuotaExceeded` if no label is open, and :class:`Unreachable` if the service
        does not answer and there is neither a recent recommendation nor a fallback.
        """
        if force:
            return await self._request_advice(force=True)
        if (current := self._advice.current()) is not None:
            return current
        substitute = self._advice.substitute()
        if substitute is not None and self._advice.is_paused():
            return substitute
        request = self._shared_request()
        if substitute is None:
            return await asyncio.shield(request)
        try:
            async with asyncio.timeout(self._patience):
                return await asyncio.shield(request)
        except TimeoutError:
            # The request goes on, and its answer serves later calls. Until then nobody waits.
            self._advice.pause()
            return substitute
        except (Unreachable, Rejected) as error:
            if not _is_temporary(error):
                raise
            return substitute

    def _shared_request(self) -> asyncio.Task[Advice]:
        request = self._request
        if request is None or request.done():
            request = self._request = asyncio.create_task(self._request_advice())
            request.add_done_callback(_retrieve_error)
        return request

    async def _request_advice(self, *, force: bool = False) -> Advice:
        params = {"force_check": "true"} if force else None
        try:
            response = await self._session.send(
                "GET", f"{self._path}/model-selection", params=params, again=_NOT_QUOTA
            )
        except Rejected as error:
            if error.code == "QUOTA_EXCEEDED":
                self._advice.close(error.detail, error.retry_after)
                raise QuotaExceeded(error.detail, error.retry_after) from None
            if _is_temporary(error):
                self._advice.pause(error.retry_after)
            raise
        except Unreachable as error:
            self._advice.pause()
            log.warning("the service does not answer: %s", error)
            raise
        return self._advice.store_selection(members(response))

    # --- what it cost --------------------------------------------------------------------------

    async def record(
        self,
        label: str,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cache_read_tokens: int = 0,
        cache_write_tokens: int = 0,
        status: Literal["OK", "ERROR"] = "OK",
        request_id: str | None = None,
        timestamp: datetime | None = None,
        reservation_id: str | None = None,
        **more: object,
    ) -> str:
        """Take one call's usage; gives its request id. It is on disk when this returns.

        ``more`` are further members of a record: ``bedrock_model_id``, ``region_class``,
        ``service_tier``, ``cost_usd_micros``.
        """
        request_id = request_id or new_request_id()
        given = {"reservation_id": reservation_id, **more}
        await self._spool.add(
            {
                "request_id": request_id,
                "label": label,
                "timestamp": int((timestamp or datetime.now(UTC)).timestamp()),
                "input_tokens": input_tokens,
                "output_tokens": output_tokens,
                "cache_read_tokens": cache_read_tokens,
                "cache_write_tokens": cache_write_tokens,
                "status": status,
                **{name: value for name, value in given.items() if value is not None},
            }
        )
        self._sender.noticed()
        return request_id

    @asynccontextmanager
    async def call(
        self, label: str | None = None, *, reservation: Reserved | None = None
    ) -> AsyncIterator[Call]:
        """One call of a model: what it used is recorded when the block ends, however it ends.

        ::

            async with client.call() as call:
                async for piece in stream(call.model_id):
                    call.used(output_tokens=piece.tokens)
        """
        if label is None and reservation is not None:
            label = reservation.label
        if label is None:
            advice = await self.select()
            call = Call(advice.label, advice.model_id)
        else:
            call = Call(label, self._advice.model_of(label))
        try:
            yield call
        except BaseException:
            # A stream that breaks off has been paid for up to there.
            if call.tokens != Tokens():
                await self._finish(call, "ERROR", reservation)
            raise
        await self._finish(call, "OK", reservation)

    async def _finish(
        self, call: Call, status: Literal["OK", "ERROR"], reservation: Reserved | None
    ) -> None:
        call.request_id = await self.record(
            call.label,
            input_tokens=call.tokens.input,
            output_tokens=call.tokens.output,
            cache_read_tokens=call.tokens.cache_read,
            cache_write_tokens=call.tokens.cache_write,
            status=status,
            reservation_id=None if reservation is None else reservation.reservation_id,
        )

    @asynccontextmanager
    async def reserve(
        self, max_usd_micros: int, *, label: str | None = None, ttl_secs: int = 120
    ) -> AsyncIterator[Call]:
        """A call with spend promised to it; what is not recorded in the block is given back.

        Raises :class:`LimitReached` if a limit has not that much left.
        """
        chosen = label or (await self.select()).label
        reserved = await self._reserved(chosen, max_usd_micros, ttl_secs)
        call: Call | None = None
        try:
            async with self.call(chosen, reservation=reserved) as call:
                yield call
        finally:
            if call is None or call.request_id is None:
                await self._released(reserved)

    async def _reserved(self, label: str, max_usd_micros: int, ttl_secs: int) -> Reserved:
        body = {"label": label, "max_usd_micros": max_usd_micros, "ttl_secs": ttl_secs}
        try:
            response = await self._session.send(
                "POST", f"{self._path}/reservations", json=body, again=_NOT_QUOTA
            )
        except Rejected as error:
            if error.status == 409:
                raise LimitReached(error.status, error.code, error.detail) from None
            raise
        return Reserved(str(members(response)["reservation_id"]), label)

    async def _released(self, reserved: Reserved) -> None:
        path = f"{self._path}/reservations/{reserved.reservation_id}"
        try:
            await self._session.send("DELETE", path)
        except Rejected as error:
            # It has ended by itself.
            if error.status != 404:
                raise

    # --- opening and closing -------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """Records that the service has not answered for yet."""
        return self._spool.records_waiting

    @property
    def dead_letters(self) -> Path:
        """Where records lie that the service refused, with the reason."""
        return self._spool.dead_letters

    async def flush(self, timeout: float = 10.0) -> bool:
        """Send what waits now; False if that took too long. What is left stays on disk."""
        return await self._sender.drained(timeout)

    async def close(self, timeout: float = 10.0) -> None:
        """Send what waits, as far as there is time, and stop."""
        if self._request is not None:
            self._request.cancel()
        await self.flush(timeout)
        await self._sender.stop()
        self._spool.close()
        await self._session.close()

    async def __aenter__(self) -> Self:
        self._sender.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


#: A used-up quota is an answer, not a reason to knock again.
_NOT_QUOTA = frozenset({502, 503, 504})


def _is_temporary(error: Unreachable | Rejected) -> bool:
    """Tell whether the service may answer later, so that a substitute is right until then."""
    return isinstance(error, Unreachable) or error.status == 429 or error.status >= 500


def _retrieve_error(request: asyncio.Task[Advice]) -> None:
    """Mark the error of a request as seen: every caller may have stopped waiting for it."""
    if not request.cancelled():
        request.exception()
