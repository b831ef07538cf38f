"""The transport for coroutines: the same protocol, on the connections of the running loop."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from types import TracebackType

from tablewright.client.transports.aiopool import AsyncPool
from tablewright.client.transports.credentials import Credentials, Source
from tablewright.client.transports.exchange import EXPIRED, Exchange
from tablewright.client.transports.http import CONNECT_SECONDS, READ_SECONDS
from tablewright.client.transports.site import Site
from tablewright.client.transports.tls import Tls
from tablewright.client.transports.wire import STREAM_OPERATIONS, Failure, Request, Response
from tablewright.model.errors import RequestError


class AsyncHttpTransport:
    """Requests over HTTP without blocking the event loop.

    Set up as :class:`~tablewright.client.transports.http.HttpTransport`. It may be made anywhere,
    before any loop runs; each loop that uses it gets connections of its own, at most ``limit``.
    """

    def __init__(
        self,
        endpoint_url: str | None = None,
        region: str | None = None,
        credentials: Credentials | Source | None = None,
        *,
        profile: str | None = None,
        connect_timeout: float = CONNECT_SECONDS,
        read_timeout: float = READ_SECONDS,
        limit: int = 100,
        ca_bundle: str | os.PathLike[str] | None = None,
        site: Site | None = None,
    ) -> None:
        self._site = site or Site(endpoint_url, region, credentials, profile=profile)
        self._tls = Tls(ca_bundle)
        self._connect_timeout = connect_timeout
        self._read_timeout = read_timeout
        self._limit = limit
        self._pools: dict[tuple[asyncio.AbstractEventLoop, Exchange], AsyncPool] = {}
        self._closed = False

    async def send(self, request: Request) -> Response:
        """The answer to one request."""
        if self._closed:
            raise RequestError("This transport has been closed; make another one to go on.")
        site = self._site
        exchange = site.streams if request.operation in STREAM_OPERATIONS else site.main
        loop = asyncio.get_running_loop()
        credentials = site.credentials.current()
        if credentials is None:
            credentials = await loop.run_in_executor(None, site.credentials.fetch)
        message, sent = exchange.message(request, credentials)
        pool = self._pools.get((loop, exchange)) or self._new_pool(loop, exchange)
        answer = await pool.ask(message)
        try:
            return exchange.response(answer, sent)
        except Failure as failure:
            if failure.code in EXPIRED:
                site.credentials.forget()
            raise

    async def close(self) -> None:
        """Close the connections. Does nothing the second time."""
        self._closed = True
        pools, self._pools = self._pools, {}
        here = asyncio.get_running_loop()
        for (loop, _), pool in pools.items():
            if loop is here:
                pool.close()
            else:
                with suppress(RuntimeError):  # that loop is over, and its connections with it
                    loop.call_soon_threadsafe(pool.close)
        await asyncio.sleep(0)  # asyncio closes sockets in its next turn

    def _new_pool(self, loop: asyncio.AbstractEventLoop, exchange: Exchange) -> AsyncPool:
        pool = AsyncPool(
            loop,
            exchange.endpoint,
            self._tls,
            connect_timeout=self._connect_timeout,
            read_timeout=self._read_timeout,
            limit=self._limit,
        )
        # Each asyncio.run() brings a new loop; those that are over are not kept.
        kept = {key: each for key, each in self._pools.items() if not key[0].is_closed()}
        self._pools = {**kept, (loop, exchange): pool}
        return pool

    async def __aenter__(self) -> AsyncHttpTransport:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
