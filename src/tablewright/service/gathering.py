"""Doing many things at once, but not too many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def at_most(count: int, work: Iterable[Awaitable[T]]) -> list[T]:
    """All results, with so many under way at once; the first failure, once all have ended."""
    places = asyncio.Semaphore(count)

    async def one(each: Awaitable[T]) -> T:
        async with places:
            return await each

    found = await asyncio.gather(*map(one, work), return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]
