"""``demo``: something to look at, and to try things with."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Afterwards, Answer, Desk, Needs, columns, needs
from tablewright.service.problems import conflict
from tablewright.service.wording import plain
from tablewright.systems.kurukshetra.cli.given import Festival

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.events import PublicEvent


@needs(Needs.NOTHING)
async def demo(
    festival: Festival,
    desk: Desk,
    /,
    *,
    fill_only: bool = False,
    port: Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))] = None,
) -> Answer:
    """Fill a place with four events and some eighty teams, and run it, until Ctrl-C.

    No money moves: it is the sandbox's, and all people are made up. The place is made if it is not
    there. What is there already is left alone, so it can be run again. A place that runs already is
    only filled, and so is one with --json.

    Parameters
    ----------
    fill_only
        Do not run it.
    port
        Port to listen on, 8080 if nothing is said; 0 takes a free one.
    """
    from tablewright.systems.kurukshetra.live_demo import fill

    if festival.options.production or not festival.gateway.is_sandbox:
        detail = "The demo needs the sandbox: here real money moves, or it would."
        raise conflict("NO_SANDBOX", detail)
    desk.tick("filling the place with four events and some eighty teams")
    async with festival.lifespan():
        await fill(festival)
        found = await _found(festival)
    lines = columns(
        ("event", "name", "registration", "seats", "free", "waiting"),
        [_row(each) for each in found],
        {"seats", "free", "waiting"},
    )
    data = {"events": [_data(each) for each in found]}
    if desk.joined:
        return Answer([*lines, "It runs already: look at it in the browser."], data)
    if fill_only or desk.json:
        return Answer([*lines, "See it in the browser: tablewright up"], data)
    return Answer(lines, data, then=Afterwards(nullcontext({}), port))


async def _found(festival: Festival) -> list[PublicEvent]:
    from tablewright.systems.kurukshetra.live_demo.cast import STAGES

    found = []
    for each in STAGES:
        await festival.events.setup_now(each.event_id)
        found.append(await festival.events.public(each.event_id))
    return found


def _row(event: PublicEvent) -> tuple[str, ...]:
    seats = event.seats
    return (
        event.config.event_id,
        plain(event.config.event_name),
        event.phase.replace("_", " "),
        *(f"{each:,}" for each in (seats.capacity, seats.free, seats.waiting)),
    )


def _data(event: PublicEvent) -> dict[str, object]:
    seats = event.seats
    return {
        "event_id": event.config.event_id,
        "event_name": event.config.event_name,
        "phase": event.phase,
        "capacity": seats.capacity,
        "free": seats.free,
        "waiting": seats.waiting,
    }
