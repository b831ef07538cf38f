"""Doing many things at once, but not too many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from typing import TypeVar

T = TypeVar("T")


async def at_most(count: int, work: Iterable[Awaitable[T]]) -> list[T]:
    """All results, with so many under way at once; the first failure, once all have ended."""
    places = asyncio.Semaphore(count)
    waiting = list(work)

    async def one(each: Awaitable[T]) -> T:
        async with places:
            return await each

    try:
        found = await asyncio.gather(*map(one, waiting), return_exceptions=True)
    finally:
        _forget(waiting)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


def _forget(work: Iterable[Awaitable[object]]) -> None:
    """What was cancelled before its turn came would be warned of, as if it had been forgotten."""
    for each in work:
        if isinstance(each, Coroutine):
            each.close()
