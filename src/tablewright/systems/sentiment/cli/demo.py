"""``demo``: something to look at, and to watch."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Afterwards, Answer, Desk, Needs, needs
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.topics import list_topics


@needs(Needs.NOTHING)
async def demo(
    newsroom: Newsroom,
    desk: Desk,
    /,
    *,
    with_newsapi: bool = False,
    fill_only: bool = False,
    port: Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))] = None,
) -> Answer:
    """Fill a place with a month of news about five topics, and run it, until Ctrl-C.

    The place is made if it is not there. What is there already is left alone, so it can be run
    again. A place that runs already is only filled, and so is one with --json.

    Parameters
    ----------
    with_newsapi
        Start a stand-in of NewsAPI, too: further articles arrive from it, over HTTP, as they would
        with a key of your own.
    fill_only
        Do not run it.
    port
        Port to listen on, 8080 if nothing is said; 0 takes a free one.
    """
    from tablewright.systems.sentiment.cli import standing_in
    from tablewright.systems.sentiment.live_demo import fill

    if with_newsapi:
        _check(desk, fill_only)
    desk.tick("filling the place with a month of news about five topics")
    async with newsroom.lifespan():
        await fill(newsroom)
        await standing_in.switch(newsroom, desk.by, on=with_newsapi)
    found = await list_topics(newsroom)
    if desk.joined:
        return Answer([*found.lines, "It runs already: look at it in the browser."], found.data)
    if fill_only or desk.json:
        return Answer([*found.lines, "See it in the browser: tablewright up"], found.data)
    around = standing_in.beside(newsroom.now) if with_newsapi else standing_in.nothing()
    return Answer(found.lines, found.data, then=Afterwards(around, port))


def _check(desk: Desk, fill_only: bool) -> None:
    """That what runs afterwards can be told where the stand-in is."""
    if fill_only or desk.json:
        raise invalid(FieldError("--with-newsapi", "needs a system that runs: leave the other out"))
    if desk.joined:
        detail = "A process runs in this place, which does not know the stand-in of NewsAPI."
        hint = "Stop it first, or give another place with --data."
        raise Problem(409, "ALREADY_RUNNING", detail, extra={"hint": hint})
