"""``sources ...``: where articles come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk, columns
from tablewright.service.problems import Problem, missing
from tablewright.service.typed import checked, facts, moment
from tablewright.systems.sentiment.cli import ingesting
from tablewright.systems.sentiment.cli.field_names import check_cleared, errors_at_options
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import SourceKind, Switch, cut, example

if TYPE_CHECKING:
    from tablewright.systems.sentiment.bodies.sources import SourceOut
    from tablewright.systems.sentiment.service.sources import Standing

app = App(name="sources", help="Sources: feeds, NewsAPI and files that articles come from.")

_MESSAGES = {
    "name": "Use lowercase letters, digits and hyphens, 40 at most, for example bbc-world.",
}


@app.command(name="list", help_epilogue=example("sources list"))
async def list_sources(newsroom: Newsroom, /) -> Answer:
    """List all sources, and how they do."""
    from tablewright.systems.sentiment.bodies.sources import source_out

    found = [source_out(each) for each in await newsroom.sources.standings()]
    if not found:
        return Answer(["There is no source yet: tablewright sentiment sources add"], [])
    rows = [
        (
            each.name,
            each.source_type,
            _state(each),
            moment(each.last_run_at),
            f"{each.effective_interval_seconds:.0f} s",
            cut(each.url or each.query or "-", 60),
        )
        for each in found
    ]
    head = ("source", "type", "state", "last read", "every", "address")
    lines = columns(head, rows, {"every"})
    return Answer(lines, [each.model_dump(mode="json") for each in found])


@app.command(help_epilogue=example("sources show bbc-world"))
async def show(newsroom: Newsroom, /, name: str) -> Answer:
    """Show one source.

    Parameters
    ----------
    name
        The source's name.
    """
    return _shown(await _source(newsroom, name))


@app.command(help_epilogue=example("sources add bbc-world --url feeds.bbci.co.uk/news/rss.xml"))
async def add(
    newsroom: Newsroom,
    desk: Desk,
    /,
    name: str,
    *,
    url: str | None = None,
    source_type: SourceKind = "rss",
    query: str | None = None,
    interval_seconds: int = 300,
    daily_limit: int | None = None,
    state: Switch = "on",
) -> Answer:
    """Add a source, which is read from now on.

    Parameters
    ----------
    name
        Its name: lowercase letters, digits and hyphens.
    url
        The address of a feed, or file: and a name in the folder of feeds.
    source_type
        rss for feeds of all kinds, newsapi, or file for records.
    query
        What NewsAPI is asked for; without it, each topic in turn.
    interval_seconds
        How often it is read.
    daily_limit
        The most calls in a day.
    state
        off stops reading it, until it is on again.
    """
    from tablewright.systems.sentiment.bodies.sources import SourceIn

    values = {
        "name": name,
        "source_type": source_type,
        "url": url,
        "query": query,
        "interval_seconds": interval_seconds,
        "daily_limit": daily_limit,
        "enabled": state == "on",
    }
    with errors_at_options(arguments={"name"}, messages=_MESSAGES):
        made = await newsroom.sources.create(checked(SourceIn, values), desk.by)
    return _shown(made, f"The source {name} is added.")


@app.command(help_epilogue=example("sources edit bbc-world --interval-seconds 900"))
async def edit(
    newsroom: Newsroom,
    desk: Desk,
    /,
    name: str,
    *,
    url: str | None = None,
    query: str | None = None,
    interval_seconds: int | None = None,
    daily_limit: int | None = None,
    state: Switch | None = None,
    clear: list[str] | None = None,
) -> Answer:
    """Change a source; what is not given stays as it is.

    With another address it is read from its beginning.

    Parameters
    ----------
    name
        The source's name.
    url
        The address of a feed, or file: and a name in the folder of feeds.
    query
        What NewsAPI is asked for.
    interval_seconds
        How often it is read.
    daily_limit
        The most calls in a day.
    state
        off stops reading it, until it is on again.
    clear
        query or daily-limit: there is none any more.
    """
    from tablewright.service.preconditions import Precondition
    from tablewright.systems.sentiment.bodies.sources import SourceChange

    cleared = clear or []
    check_cleared(cleared, ("query", "daily-limit"))
    before = (await _source(newsroom, name)).source
    limit_before = None if "daily-limit" in cleared else before.daily_limit
    values = {
        "url": before.url if url is None else url,
        "query": query or (None if "query" in cleared else before.query),
        "interval_seconds": (
            before.interval_seconds if interval_seconds is None else interval_seconds
        ),
        "daily_limit": limit_before if daily_limit is None else daily_limit,
        "enabled": before.enabled if state is None else state == "on",
    }
    with errors_at_options():
        body = checked(SourceChange, values)
        seen = Precondition.seen(before.revision)
        saved = await newsroom.sources.save(name, body, desk.by, seen)
    return _shown(saved, f"The source {name} is changed.")


@app.command(help_epilogue=example("sources delete bbc-world"))
async def delete(newsroom: Newsroom, desk: Desk, /, name: str) -> Answer:
    """Delete a source. Articles that came from it stay.

    Parameters
    ----------
    name
        The source's name.
    """
    from tablewright.service.preconditions import Precondition

    before = (await _source(newsroom, name)).source
    await newsroom.sources.delete(name, desk.by, Precondition.seen(before.revision))
    line = f"The source {name} is deleted. Its articles stay until they end."
    return Answer([line], {"name": name})


@app.command(help_epilogue=example("sources run bbc-world"))
async def run(newsroom: Newsroom, desk: Desk, /, name: str) -> Answer:
    """Read a source now, and wait for the end: the same as ingest with its name.

    Parameters
    ----------
    name
        The source's name.
    """
    return await ingesting.ingest(newsroom, desk, name)


# --- shared --------------------------------------------------------------------------------------


async def _source(newsroom: Newsroom, name: str) -> Standing:
    try:
        return await newsroom.sources.get(name)
    except Problem as problem:
        if problem.code == "NOT_FOUND":
            hint = "tablewright sentiment sources list shows which there are."
            raise missing(f"There is no source called {name!r}.", hint) from None
        raise


def _shown(standing: Standing, line: str = "") -> Answer:
    from tablewright.systems.sentiment.bodies.sources import source_out

    source = source_out(standing)
    limit = "no limit" if source.quota.limit is None else f"of {source.quota.limit}"
    pairs: list[tuple[str, object]] = [
        ("source", source.name),
        ("type", source.source_type),
        ("address", source.url or "-"),
        ("query", source.query or "-"),
        ("state", _state(source)),
        ("every", f"{source.effective_interval_seconds:.0f} s"),
        ("calls today", f"{source.quota.used}, {limit}"),
        ("last read", moment(source.last_run_at)),
        ("last error", source.error_code or "-"),
    ]
    return Answer([*([line] if line else []), *facts(pairs)], source.model_dump(mode="json"))


def _state(source: SourceOut) -> str:
    if not source.enabled:
        return "switched off"
    if source.running:
        return "being read"
    if source.breaker.state == "open":
        return f"left alone until {moment(source.breaker.open_until)}"
    return "on"
