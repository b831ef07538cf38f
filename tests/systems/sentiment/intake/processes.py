"""Several processes at the same articles, as a program: started once, it forks for each of them.

``same URL PROCESSES``: all take the same article; prints what each was told.
``race URL ARTICLES``: two processes analyse articles while two others find them under topics of
their own; prints what each was told.
``killed URL COUNT``: a process takes COUNT articles and is killed before or after its first request
to the store, then another at the second, and so on until one lives to the end. Each time, another
process takes all of them again. Prints the slugs and what was told then.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from tests.systems.sentiment.support import START, newsroom_on, record
from tests.systems.sentiment.support import article as article_of

from tablewright.client.transports import AsyncTransport
from tablewright.client.transports.wire import Request, Response
from tablewright.clock import ManualClock
from tablewright.model.errors import TransactionCancelled
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.samples import NOW, analysis
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend, at_endpoint

KILLED = -signal.SIGKILL
Work = Callable[[Newsroom], Awaitable[Any]]


class Dying:
    """A connection whose process is killed at one of its requests, once all is prepared."""

    def __init__(self, inner: AsyncTransport, at: int, after: bool) -> None:
        self._inner = inner
        self._left = at
        self._after = after
        self.armed = False

    async def send(self, request: Request) -> Response:
        self._left -= self.armed
        if self._left == 0 and not self._after:
            os.kill(os.getpid(), signal.SIGKILL)
        response = await self._inner.send(request)
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return response

    async def close(self) -> None:
        await self._inner.close()


def forked(url: str, work: Work, dying: tuple[int, bool] | None = None) -> Callable[[], Any]:
    """Do something in another process; calling the result waits for its exit code and answer."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        told = asyncio.run(_done(url, work, dying))
        os.write(theirs, json.dumps(told).encode())
        os._exit(0)
    os.close(theirs)

    def wait() -> tuple[int, Any]:
        with os.fdopen(ours, "rb") as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), json.loads(said) if said else None

    return wait


async def _done(url: str, work: Work, dying: tuple[int, bool] | None) -> Any:
    with at_endpoint(url) as backend:
        made: list[Dying] = []

        def transport() -> AsyncTransport:
            inner = backend.async_transport()
            if dying is None:
                return inner
            made.append(Dying(inner, *dying))
            return made[-1]

        within = Backend("forked", backend.transport, transport, url)
        async with newsroom_on(within, ManualClock(START)) as newsroom:
            for each in made:
                each.armed = True
            return await work(newsroom)


def taking(*slugs: str, tag: str | None = None) -> Work:
    async def work(newsroom: Newsroom) -> Any:
        told = await newsroom.intake.take(
            [record(slug, own_tag=tag) for slug in slugs], source_type="newsapi"
        )
        return [each.result for each in told]

    return work


def analysing(*slugs: str) -> Work:
    async def work(newsroom: Newsroom) -> Any:
        return [await _analyse(newsroom, slug) for slug in slugs]

    return work


async def _analyse(newsroom: Newsroom, slug: str) -> str:
    """T2 from what is read just before, until it is written or there is nothing to do."""
    known = article_of(slug)
    while True:
        read = reads.article_to_analyse(known.source_id, known.timestamp)
        found = await newsroom.db.require(read)
        if found.status != "pending":
            return "skipped"
        said = analysis("positive", "0.5", newsroom.now())
        try:
            await newsroom.db.run(changes.analyse(found, said, now=newsroom.now()))
        except TransactionCancelled:
            continue
        return "analyzed"


def same(url: str, processes: int) -> None:
    waits = [forked(url, taking("ai-everywhere")) for _ in range(processes)]
    _print(waits)


def race(url: str, articles: int) -> None:
    slugs = [f"ai-story-{number}" for number in range(articles)]
    code, _ = forked(url, taking(*slugs))()
    assert code == 0
    waits = [
        forked(url, analysing(*slugs)),
        forked(url, taking(*slugs, tag="Climate")),
        forked(url, taking(*slugs, tag="Energy")),
        forked(url, analysing(*reversed(slugs))),
    ]
    _print(waits)


def _print(waits: list[Callable[[], Any]]) -> None:
    for wait in waits:
        code, told = wait()
        assert code == 0, code
        print(json.dumps(Counter(told)))


def killed(url: str, count: int) -> None:
    for after in (False, True):
        at, code = 0, KILLED
        while code == KILLED:
            at += 1
            slugs = [f"ai-{after}-{at}-{number}" for number in range(count)]
            code, told = forked(url, taking(*slugs), (at, after))()
            assert code in (0, KILLED), code
            again, repeated = forked(url, taking(*slugs))()
            assert again == 0
            print(json.dumps({"slugs": slugs, "told": told, "repeated": repeated}))


if __name__ == "__main__":
    mode, address, number = sys.argv[1:]
    assert NOW.timestamp() == START
    {"same": same, "race": race, "killed": killed}[mode](address, int(number))
