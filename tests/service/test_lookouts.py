"""Things that are followed: looked at while somebody follows, and never otherwise."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import cast

import pytest

from tablewright.model.errors import Unavailable
from tablewright.service.events.lookouts import Lookout, Lookouts
from tablewright.service.problems import Problem

#: Long after a test has ended: only who is woken looks again.
NEVER = 3600.0


class Thing(Lookout):
    def __init__(self, fails: int = 0) -> None:
        super().__init__("thing", NEVER)
        self.looks = 0
        self._fails = fails

    async def looked(self) -> bool:
        self.looks += 1
        if self.looks <= self._fails:
            raise Unavailable("the store is away")
        return False


async def _shown(thing: Thing) -> AsyncIterator[object]:
    """What the hub sends: what is known, and then nothing for a while."""
    await thing.known.wait()
    yield f"snapshot {thing.looks}"
    await asyncio.sleep(NEVER)


async def _first(lookouts: Lookouts[Thing], thing: Thing) -> AsyncGenerator[bytes, None]:
    """A reader who has been shown something, and stays."""
    reader = cast(AsyncGenerator[bytes, None], lookouts.followed("a", thing, _shown(thing)))
    async with asyncio.timeout(5):
        assert (await anext(reader)).startswith(b"snapshot")
    return reader


async def _until(thing: Thing, looks: int) -> None:
    async with asyncio.timeout(5):
        while thing.looks < looks:
            await asyncio.sleep(0.01)


def test_one_looks_for_all_and_only_while_they_are_there() -> None:
    async def main() -> None:
        lookouts: Lookouts[Thing] = Lookouts(10)
        thing = lookouts.of("a", Thing)
        assert lookouts.of("a", Thing) is thing
        assert thing.looks == 0
        one, two = await _first(lookouts, thing), await _first(lookouts, thing)
        assert thing.looks == 1
        lookouts.wake("a")
        await _until(thing, 2)
        await one.aclose()
        assert lookouts.get("a") is thing
        await two.aclose()
        assert lookouts.get("a") is None
        thing.wake()
        await asyncio.sleep(0.2)
        assert thing.looks == 2

    asyncio.run(main())


@pytest.mark.parametrize("others", [0, 1])
def test_who_comes_while_the_last_one_leaves_is_shown_what_is_so_now(others: int) -> None:
    """Whether meanwhile somebody else has begun anew or not."""

    async def main() -> None:
        lookouts: Lookouts[Thing] = Lookouts(10)
        thing = lookouts.of("a", Thing)
        last = await _first(lookouts, thing)
        on_its_way = lookouts.of("a", Thing)
        await last.aclose()
        here = [await _first(lookouts, lookouts.of("a", Thing)) for _ in range(others)]
        reader = await _first(lookouts, on_its_way)
        assert on_its_way.looks == 2
        for each in (reader, *here):
            await each.aclose()
        assert lookouts.get("a") is None

    asyncio.run(main())


def test_a_look_that_fails_is_repeated() -> None:
    async def main() -> None:
        lookouts: Lookouts[Thing] = Lookouts(10)
        thing = lookouts.of("a", lambda: Thing(fails=1))
        waiting = asyncio.create_task(_first(lookouts, thing))
        await _until(thing, 1)
        lookouts.wake("a")
        await (await waiting).aclose()
        assert thing.looks == 2

    asyncio.run(main())


def test_too_many() -> None:
    async def main() -> None:
        lookouts: Lookouts[Thing] = Lookouts(1)
        reader = await _first(lookouts, lookouts.of("a", Thing))
        with pytest.raises(Problem) as caught:
            lookouts.of("b", Thing)
        assert (caught.value.status, caught.value.code) == (429, "STREAM_LIMIT")
        await reader.aclose()
        lookouts.of("b", Thing)

    asyncio.run(main())
