"""The overview, on days of 2,400 and of 240,000 articles: it takes as long, and uses as much.

Both tables are in one process and take turns, so that what else the machine does hits both alike.
Cold is with everything read from the store; warm is what most readers get. Then the same over HTTP,
from two services that run side by side.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import orjson

from benchmarks.asking import Caller
from benchmarks.findings import Finding, at_most
from benchmarks.sentiment.day import fill
from benchmarks.sentiment.running import API, DATA, service
from benchmarks.sentiment.store import newsroom_on
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.systems.sentiment.rules.spans import Span, span_of
from tablewright.systems.sentiment.service.newsroom import Newsroom

SMALL, LARGE, QUICK_LARGE, WANTED = 2_400, 240_000, 24_000, 1.2
_ROUNDS, _ASKED = 40, 10
#: An answer is given again for so long.
_KEPT_SECS = 2.1

Work = Callable[[Newsroom], Awaitable[object]]


def measure(
    articles: int = 24_000, folder: Path | None = None, large: int = LARGE
) -> list[Finding]:
    """``large`` is how many the large day has, ``articles`` how many of them are stored."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        folders = [Path(place) / name for name in ("small", "large")]
        found = asyncio.run(_in_process(folders, articles, large))
        return found + asyncio.run(_over_http(folders))


async def _in_process(folders: list[Path], articles: int, large: int) -> list[Finding]:
    with ExitStack() as stack:
        newsrooms = []
        for each, a_day in zip(folders, (SMALL, large), strict=True):
            # Durability is for what is measured; this is what there was before.
            engine = Engine(each / DATA, durability="relaxed")
            stack.enter_context(engine)
            await fill(engine, a_day, min(a_day, articles))
            newsrooms.append(newsroom_on(engine))
        note = f"{min(large, articles):,} of the large day's articles are stored, all are counted"
        return [
            Finding("articles a day", large, note=f"against {SMALL:,}; {note}"),
            await _units(newsrooms),
            *await _lines("a day", newsrooms, _day, judged=True),
            *await _lines("a day of a topic", newsrooms, _topic, judged=True),
            *await _lines("an hour, by minutes", newsrooms, _hour, judged=False),
        ]


async def _day(newsroom: Newsroom) -> object:
    return await newsroom.counts.overview(span_of(None, None, newsroom.now()))


async def _topic(newsroom: Newsroom) -> object:
    return await newsroom.counts.overview(span_of(None, None, newsroom.now()), tag="climate")


async def _hour(newsroom: Newsroom) -> object:
    now = newsroom.now()
    return await newsroom.counts.overview(Span(now - timedelta(hours=1), now))


async def _lines(
    name: str, newsrooms: list[Newsroom], work: Work, *, judged: bool
) -> list[Finding]:
    cold: list[list[float]] = [[], []]
    warm: list[list[float]] = [[], []]
    for number in range(_ROUNDS + 3):
        for place in (0, 1) if number % 2 else (1, 0):
            newsroom = newsrooms[place]
            newsroom.counts.forget()
            spent = [await _spent(work, newsroom) for _ in range(2)]
            # The first rounds are for what is made once.
            if number >= 3:
                cold[place].append(spent[0])
                warm[place].append(spent[1])
    found = []
    for what, (small, large) in (("cold", cold), ("warm", warm)):
        before, after = statistics.median(small), statistics.median(large)
        note = f"{before * 1000:.2f} and {after * 1000:.2f} ms of CPU"
        title = f"{name}, {what}, ratio"
        ratio = after / before
        found.append(
            at_most(title, ratio, WANTED, note=note) if judged else Finding(title, ratio, note=note)
        )
    return found


async def _spent(work: Work, newsroom: Newsroom) -> float:
    before = time.thread_time()
    await work(newsroom)
    return time.thread_time() - before


async def _units(newsrooms: list[Newsroom]) -> Finding:
    """That both read as much: read units of an overview that is cold."""
    used = []
    for newsroom in newsrooms:
        await newsroom.setup.current()
        newsroom.counts.forget()
        heard: list[RequestEvent] = []
        context = newsroom.db.context
        newsroom.db.context = replace(context, hook=heard.append)
        await _day(newsroom)
        newsroom.db.context = context
        used.append(sum(each.read_units for each in heard))
    small, large = used
    return at_most("read units, ratio", large / small, WANTED, note=f"{small:g} and {large:g}")


async def _over_http(folders: list[Path]) -> list[Finding]:
    with ExitStack() as stack:
        running = [stack.enter_context(service(each)) for each in folders]
        callers = [Caller(each.port, each.key("viewer")) for each in running]
        cold: list[list[float]] = [[], []]
        warm: list[list[float]] = [[], []]
        totals = [0, 0]
        for number in range(_ASKED + 2):
            for place in (0, 1) if number % 2 else (1, 0):
                answers = [await callers[place].ask("GET", f"{API}/overview") for _ in range(2)]
                totals[place] = orjson.loads(answers[0].body)["ingested"]
                if number >= 2:
                    cold[place].append(answers[0].secs)
                    warm[place].append(answers[1].secs)
            await asyncio.sleep(_KEPT_SECS)
        for caller in callers:
            caller.close()
    found = [Finding("counted in the last day", totals[1], note=f"and {totals[0]:,}")]
    for what, (small, large) in (("cold", cold), ("warm", warm)):
        before, after = statistics.median(small), statistics.median(large)
        note = f"{before * 1000:.1f} and {after * 1000:.1f} ms, median of {_ASKED}"
        found.append(at_most(f"over HTTP, {what}, ratio", after / before, WANTED, note=note))
    return found
