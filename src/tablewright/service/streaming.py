"""Answers that are sent piece by piece."""

from __future__ import annotations

from collections.abc import AsyncIterator


async def begun(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same, with its first pieces read: what fails at once is still told as a problem."""
    head = [await anext(pieces, b""), await anext(pieces, b"")]

    async def whole() -> AsyncIterator[bytes]:
        for piece in head:
            yield piece
        async for piece in pieces:
            yield piece

    return whole()
