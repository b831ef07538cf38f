"""``ingest``: read sources now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import Problem, missing
from tablewright.service.typed import moment, number
from tablewright.systems.sentiment.cli.given import Newsroom

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tablewright.systems.sentiment.config import Run

_FIGURES = ("fetched", "ingested", "duplicates", "unmatched", "rejected")
#: What to do about a source that cannot be read now.
_HINTS = {
    "SOURCE_DISABLED": "Switch it on: tablewright sentiment sources edit NAME --state on",
    "NOT_CONFIGURED": "Set SENTIMENT_NEWSAPI_KEY, or try the demo: "
    "tablewright sentiment demo --with-newsapi",
    "ALREADY_RUNNING": "Wait for its end, and try again.",
}


async def ingest(newsroom: Newsroom, desk: Desk, /, source: str | None = None) -> Answer:
    """Read a source now, or all whose time has come.

    It waits for their end. What is known already is a duplicate, so it is safe to run again. New
    articles are analysed by the process that runs here; if there is none, by this command.

    Parameters
    ----------
    source
        The source's name; else all that are due.
    """
    from tablewright.systems.sentiment.bodies.sources import run_out
    from tablewright.systems.sentiment.cli.analysing import analyse_waiting

    async with newsroom.lifespan():
        desk.tick(f"reading {source or 'what is due'}")
        runs = await _due(newsroom) if source is None else [await _run(newsroom, source)]
        new = sum(each.ingested for each in runs)
        analysed = await analyse_waiting(newsroom, desk) if new else None
    data: dict[str, object] = {"runs": [run_out(each).model_dump(mode="json") for each in runs]}
    data["analysis"] = None if analysed is None else analysed.data()
    if not runs:
        return Answer(await _nothing(newsroom), data)
    lines = [*_lines(runs), *([] if analysed is None else analysed.lines())]
    return Answer(lines, data, ok=all(each.state == "ok" for each in runs))


async def _run(newsroom: Newsroom, name: str) -> Run:
    try:
        return await newsroom.sources.runs.run(name)
    except Problem as problem:
        if problem.code == "NOT_FOUND":
            names = [each.source.name for each in await newsroom.sources.standings()]
            known = f"There are: {', '.join(names)}." if names else "There is none yet."
            detail = f"There is no source called {name!r}."
            raise missing(detail, known) from None
        if problem.code in _HINTS:
            problem.extra["hint"] = _HINTS[problem.code]
        raise


async def _due(newsroom: Newsroom) -> list[Run]:
    """The runs of all that are due, to their ends."""
    names = await newsroom.sources.runs.start_due()
    await newsroom.sources.runs.idle()
    pages = await asyncio.gather(*(newsroom.sources.runs_of(name, limit=1) for name in names))
    return [page[0] for page in pages]


def _lines(runs: Sequence[Run]) -> list[Line]:
    rows = [
        (
            each.source,
            each.state + (f" ({each.error_code})" if each.error_code else ""),
            *(number(getattr(each, name)) for name in _FIGURES),
        )
        for each in runs
    ]
    head = ("source", "run", "found", "new", "duplicate", "unmatched", "rejected")
    first, *rest = columns(head, rows, set(head[2:]))
    shown = zip(runs, rest, strict=True)
    return [first, *(_line(each, text) for each, text in shown)]


def _line(run: Run, line: Line) -> Line:
    text = line if isinstance(line, str) else line.text
    return text if run.state == "ok" else Styled(text, "yellow")


async def _nothing(newsroom: Newsroom) -> list[Line]:
    """Why nothing is due, source by source."""
    standings = await newsroom.sources.standings()
    if not standings:
        return ["There is no source yet: tablewright sentiment sources add, or try the demo."]
    rows = []
    for each in standings:
        source = each.source
        state = "on" if source.enabled else "off"
        if each.breaker == "open":
            state = f"left alone until {moment(source.breaker_open_until)}"
        elif not newsroom.sources.fetchers.can_read(source):
            state = "without a key"
        rows.append((source.name, state, moment(source.last_run_at), f"{each.interval_secs:.0f} s"))
    return ["No source is due.", *columns(("source", "state", "last read", "every"), rows)]
