"""A store in which transactions that meet at an item are cancelled, as DynamoDB does it.

The engine writes one after the other, so nobody meets there. This stands before it: a transaction
is under way for a while, and another one on the same item meanwhile gets ``TransactionConflict``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from tablewright.client.transports.wire import AsyncTransport, Failure, Request, Response
from tablewright.testing.backends import Backend

Key = tuple[str, str, str]


@dataclass
class Crowd:
    """What is under way, for all who share the store."""

    #: Seconds that a transaction takes.
    secs: float = 0.002
    under_way: set[Key] = field(default_factory=set)
    #: How often somebody met somebody.
    conflicts: int = 0

    def on(self, backend: Backend) -> Backend:
        """The same database, behind the crowd."""
        inner = backend.async_transport
        return replace(backend, async_transport=lambda: _Crowded(inner(), self))


class _Crowded:
    def __init__(self, inner: AsyncTransport, crowd: Crowd) -> None:
        self._inner = inner
        self._crowd = crowd

    async def send(self, request: Request) -> Response:
        if request.operation != "TransactWriteItems":
            return await self._inner.send(request)
        keys = keys_of(request)
        busy = self._crowd.under_way
        met = [key in busy for key in keys]
        if any(met):
            self._crowd.conflicts += 1
            raise _conflict(met)
        busy.update(keys)
        try:
            await asyncio.sleep(self._crowd.secs)
            return await self._inner.send(request)
        finally:
            busy.difference_update(keys)

    async def close(self) -> None:
        await self._inner.close()


def keys_of(request: Request) -> list[Key]:
    """What a transaction writes, or looks at."""
    items: Any = request.body["TransactItems"]
    return [_key(next(iter(each.values()))) for each in items]


def _key(action: dict[str, Any]) -> Key:
    given = action.get("Key") or action["Item"]
    return action["TableName"], given["PK"]["S"], given["SK"]["S"]


def _conflict(met: list[bool]) -> Failure:
    reasons = [{"Code": "TransactionConflict" if each else "None"} for each in met]
    body = {"CancellationReasons": reasons}
    return Failure("TransactionCanceledException", "Transaction cancelled", body=body)
