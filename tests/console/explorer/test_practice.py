"""The practice tables: filled from the demo, and filled anew."""

from __future__ import annotations

import asyncio

import pytest
from tests.console import gallery

from tablewright.cli.up_place import empty_database
from tablewright.client import AsyncDb
from tablewright.console.explorer.practice import MOST_WRITTEN, Practice
from tablewright.console.explorer.views import demo_of
from tablewright.model.demo import Demo
from tablewright.systems import NAMES, load

PAINTING = gallery.Painting(wall="north", name="one", price=5)
DEMO = Demo([PAINTING])


def test_what_is_done_to_it_is_forgotten_when_it_is_filled_anew() -> None:
    async def scene() -> None:
        practice = Practice(gallery.model, DEMO, empty_database)
        db = AsyncDb(await practice.transport(), clock=practice.clock)
        assert await db.run(gallery.painting("north", "one")) is not None
        await db.run(gallery.take_down(PAINTING))
        again = AsyncDb(await practice.transport(), clock=practice.clock)
        assert await again.run(gallery.painting("north", "one")) is None
        await practice.fill_anew()
        anew = AsyncDb(await practice.transport(), clock=practice.clock)
        assert await anew.run(gallery.painting("north", "one")) is not None
        await practice.close()

    asyncio.run(scene())


@pytest.mark.parametrize("name", NAMES)
def test_every_call_of_every_demo_can_be_run_on_it(name: str) -> None:
    system = load(name)
    demo = demo_of(system)
    assert demo is not None

    async def scene() -> None:
        practice = Practice(system.model, demo, empty_database)
        db = AsyncDb(await practice.transport(), clock=practice.clock)
        for op in demo.calls.values():
            await db.run(op)
        await practice.close()

    asyncio.run(scene())


def test_a_call_finds_what_the_demo_did_before_it() -> None:
    north, south = (gallery.Painting(wall=wall, name="one") for wall in ("north", "south"))
    calls = {"hang": gallery.hang(south), "take_down": gallery.take_down(north)}
    demo = Demo([north], calls=calls)

    async def scene() -> list[object]:
        practice = Practice(gallery.model, demo, empty_database)
        await practice.play_until("take_down")
        db = AsyncDb(await practice.transport(), clock=practice.clock)
        found = [await db.run(gallery.painting(wall, "one")) for wall in ("north", "south")]
        await practice.close()
        return found

    assert asyncio.run(scene()) == [north, south]


def test_it_takes_only_so_much_before_it_is_filled_anew() -> None:
    practice = Practice(gallery.model, DEMO, empty_database)
    practice.wrote(MOST_WRITTEN + 1)
    assert practice.full
    asyncio.run(practice.fill_anew())
    assert not practice.full
