"""A database whose caller dies at one of its writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.testing.backends import Backend

_WRITES = {"TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"}


class Dead(Exception):
    """Whoever is dead does nothing more."""


class _Dying:
    def __init__(self, inner: AsyncTransport, step: int, die: Callable[[], None]) -> None:
        self._inner = inner
        self._left = step
        self._die = die

    async def send(self, request: Request) -> Response:
        self._left -= request.operation in _WRITES
        if self._left <= 0:
            self._die()
            raise Dead
        return await self._inner.send(request)

    async def close(self) -> None:
        await self._inner.close()


def dying(backend: Backend, step: int, die: Callable[[], None] = lambda: None) -> Backend:
    """The same database; before its ``step``-th write its caller dies."""
    transport = backend.async_transport
    return replace(backend, async_transport=lambda: _Dying(transport(), step, die))
