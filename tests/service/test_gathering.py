"""Many things at once, but not too many."""

from __future__ import annotations

import asyncio
import gc
import warnings

import pytest

from tablewright.service.gathering import at_most


def test_results_come_in_order_and_only_so_many_are_under_way() -> None:
    under_way, most = 0, 0

    async def one(number: int) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001 * (5 - number))
        under_way -= 1
        return number

    assert asyncio.run(at_most(2, map(one, range(5)))) == [0, 1, 2, 3, 4]
    assert most == 2


def test_the_first_failure_is_told_once_all_have_ended() -> None:
    ended: list[int] = []

    async def one(number: int) -> None:
        await asyncio.sleep(0)
        ended.append(number)
        if number % 2:
            raise LookupError(str(number))

    with pytest.raises(LookupError, match="1"):
        asyncio.run(at_most(2, map(one, range(5))))
    assert sorted(ended) == [0, 1, 2, 3, 4]


def test_who_stops_it_hears_nothing_of_what_had_not_begun() -> None:
    begun: list[int] = []

    async def one(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(60)

    async def stopped() -> None:
        task = asyncio.create_task(at_most(2, map(one, range(5))))
        while len(begun) < 2:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asyncio.run(stopped())
        gc.collect()
    assert begun == [0, 1]
    assert [str(each.message) for each in told] == []
