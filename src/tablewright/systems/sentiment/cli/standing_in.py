"""A stand-in of NewsAPI beside the demo: articles arrive over HTTP, without an account.

It has a source of its own, ``stand-in``, which is read every few seconds. Without the stand-in that
source is paused, so that it never uses the calls of a real key.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from random import Random
from secrets import token_hex
from typing import TYPE_CHECKING

from tablewright.service.auth import Principal
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.bodies.sources import SourceIn
from tablewright.systems.sentiment.corpus import later
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.stand_in import StandIn, serving

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

NAME = "stand-in"
#: Seconds from one article to the next, and how many there are at first, of the last hour.
EVERY_SECS, _FIRST = 5.0, 30
#: So often that its quota lets it be read every ten seconds, also for twenty topics.
_CALLS = 500_000
_PAUSE = timedelta(minutes=2)

Now = Callable[[], datetime]


async def switch(newsroom: Newsroom, by: Principal, *, on: bool) -> None:
    """The source of the stand-in, as it should be from now on."""
    try:
        source = (await newsroom.sources.get(NAME)).source
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        if on:
            body = SourceIn(
                name=NAME, source_type="newsapi", interval_seconds=10, daily_limit=_CALLS
            )
            await newsroom.sources.create(body, by)
        return
    if on:
        # Also if it is on: whatever it met the last time is forgotten.
        await newsroom.sources.pause(NAME, by)
        await newsroom.sources.resume(NAME, by)
    elif source.enabled:
        await newsroom.sources.pause(NAME, by)


@contextmanager
def nothing() -> Iterator[Mapping[str, str]]:
    """No stand-in."""
    yield {}


@contextmanager
def beside(now: Now) -> Iterator[Mapping[str, str]]:
    """A stand-in that gets a new article every few seconds; the settings that lead to it."""
    key = token_hex(16)
    news = records(now)
    first = [next(news) for _ in range(_FIRST)]
    dated = [_before(each, place * _PAUSE) for place, each in enumerate(first, 1)]
    stand_in = StandIn(dated, key=key)
    stopped = threading.Event()

    def write() -> None:
        while not stopped.wait(EVERY_SECS):
            stand_in.add(next(news))

    writer = threading.Thread(target=write, name="stand-in's news", daemon=True)
    with serving(stand_in) as url:
        writer.start()
        try:
            yield {
                "TABLEWRIGHT_SENTIMENT_NEWSAPI_URL": url,
                "TABLEWRIGHT_SENTIMENT_NEWSAPI_KEY": key,
                "SENTIMENT_NEWSAPI_KEY": key,
            }
        finally:
            stopped.set()
            writer.join()


def records(now: Now) -> Iterator[Record]:
    """News without an end, each published as it is asked for, under an address of its own."""
    edition = int(now().timestamp())
    for round_ in count():
        for headline in Random(edition + round_).sample(later(), len(later())):
            yield headline.again((edition << 16) + round_).record(now())


def _before(record: Record, ago: timedelta) -> Record:
    from dataclasses import replace

    published = record.published_at
    return replace(record, published_at=None if published is None else published - ago)
