"""Answers that are sent piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator, MutableMapping
from typing import Any

#: In the state of a request: what to call, so that its connection is watched.
WATCH = "tablewright.watch"


def watched(scope: MutableMapping[str, Any]) -> None:
    """From now on the connection is cut off once nobody takes what is sent to them.

    For answers that have no end of their own: who stops reading one would keep it for ever.
    """
    watch = scope.get("state", {}).get(WATCH)
    if watch is not None:
        watch()


async def begun(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same, with its first pieces read: what fails at once is still told as a problem."""
    head = [await anext(pieces, b""), await anext(pieces, b"")]

    async def whole() -> AsyncIterator[bytes]:
        for piece in head:
            yield piece
        async for piece in pieces:
            yield piece

    return whole()
