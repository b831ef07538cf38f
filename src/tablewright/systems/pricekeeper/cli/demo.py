"""``demo``: something to look at."""

from __future__ import annotations

from tablewright.service.commands import Answer, Desk, Needs, needs
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.orgs import list_orgs


@needs(Needs.NOTHING)
async def demo(keeper: Keeper, desk: Desk, /) -> Answer:
    """Fill a place with organisations that have been at work; it is made if it is not there.

    What is there already is left alone, so it can be run again.
    """
    from tablewright.systems.pricekeeper.live_demo import fill

    desk.tick("filling the place with two months of three organisations")
    async with keeper.lifespan():
        await fill(keeper)
    found = await list_orgs(keeper)
    return Answer([*found.lines, "See it in the browser: tablewright up"], found.data)
