"""Questions of all kinds, many times a second, as people who look at different things ask them."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING

from tablewright.model.errors import TablewrightError
from tablewright.service.commands import Desk
from tablewright.service.problems import Problem
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli.benching import paced
from tablewright.systems.sentiment.cli.bursting import records_of, topic_for
from tablewright.systems.sentiment.rules.filters import ArticleFilter
from tablewright.systems.sentiment.rules.spans import Span, span_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_SPANS = tuple(timedelta(hours=hours) for hours in (1, 6, 24, 7 * 24, 30 * 24))
_TONES = ("positive", "neutral", "negative", None, None)
#: Articles that a place without any is given.
_ARTICLES = 500
_ALL = "all"
#: Kinds of errors that are told.
_MOST_ERRORS = 5


@dataclass
class Measured:
    """One kind of question, measured."""

    name: str
    #: Of each answer, in seconds.
    times: list[float] = field(default_factory=list)
    failures: int = 0
    errors: set[str] = field(default_factory=set)

    def quantile(self, share: float) -> float:
        """So many answers took that many milliseconds at the most."""
        ordered = sorted(self.times)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 if ordered else 0.0

    def failed(self, error: Exception) -> None:
        self.failures += 1
        if len(self.errors) < _MOST_ERRORS:
            self.errors.add(f"{self.name}: {error}")

    def data(self) -> dict[str, object]:
        shares = {"median_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99}
        return {
            "name": self.name,
            "asked": len(self.times) + self.failures,
            **{name: round(self.quantile(share), 3) for name, share in shares.items()},
            "errors": self.failures,
            "messages": sorted(self.errors),
        }


Question = Callable[[], Awaitable[object]]


class Asking:
    """One run."""

    def __init__(self, newsroom: Newsroom, desk: Desk, rate: float, seconds: float) -> None:
        self._newsroom = newsroom
        self._desk = desk
        self._rate = rate
        self._seconds = seconds
        self._random = Random(7)
        self._articles: list[str] = []
        self._tags: list[str | None] = [None]
        kinds: dict[str, tuple[int, Question]] = {
            "overview": (30, self._overview),
            "series": (25, self._series),
            "share": (10, self._share),
            "list": (25, self._list),
            "article": (10, self._article),
        }
        self._questions = {name: question for name, (_, question) in kinds.items()}
        self._names = [name for name, (parts, _) in kinds.items() for _ in range(parts)]
        self._measured = {name: Measured(name) for name in kinds}

    async def run(self) -> list[Measured]:
        """Each kind, and all of them together."""
        async with self._something_to_read():
            await self._look_around()
            count = max(1, round(self._rate * self._seconds))
            await paced(count, self._rate, self._ask)
        whole = Measured(_ALL)
        for each in self._measured.values():
            whole.times += each.times
            whole.failures += each.failures
        return [*self._measured.values(), whole]

    @asynccontextmanager
    async def _something_to_read(self) -> AsyncIterator[None]:
        """Articles, if there are none."""
        if (await self._newsroom.articles.find(ArticleFilter(), limit=1)).rows:
            yield
            return
        async with topic_for(self._newsroom, self._desk) as tag:
            self._desk.tick(f"writing {several(_ARTICLES, 'article')}")
            records = records_of(tag, _ARTICLES, self._newsroom.now())
            await self._newsroom.intake.take(records, source_type="file", as_published=True)
            yield

    async def _look_around(self) -> None:
        """What can be asked for."""
        found = await self._newsroom.articles.find(ArticleFilter(), limit=100)
        self._articles = [each.source_id for each in found.rows]
        self._tags += [each.watch_tag for each in await self._newsroom.watches.list()]

    async def _ask(self, place: int, due: float) -> None:
        measured = self._measured[self._random.choice(self._names)]
        try:
            await self._questions[measured.name]()
        except (TablewrightError, Problem, OSError) as error:
            measured.failed(error)
        else:
            measured.times.append(time.perf_counter() - due)
        if not place % max(1, int(self._rate)):
            self._desk.tick(f"{several(place, 'question')} in {place / self._rate:.0f} s")

    # --- questions -------------------------------------------------------------------------------

    async def _overview(self) -> object:
        return await self._newsroom.counts.overview(self._span(), tag=self._one(self._tags))

    async def _series(self) -> object:
        return await self._newsroom.counts.timeseries(self._span(), tag=self._one(self._tags))

    async def _share(self) -> object:
        by = self._random.choice(("tag", "source"))
        return await self._newsroom.counts.share(self._span(), by)  # type: ignore[arg-type]

    async def _list(self) -> object:
        tone, tag = self._one(_TONES), self._one(self._tags)
        wanted = ArticleFilter(sentiment=tone, tag=tag)  # type: ignore[arg-type]
        return await self._newsroom.articles.find(wanted, limit=20)

    async def _article(self) -> object:
        return await self._newsroom.articles.item(self._random.choice(self._articles))

    def _span(self) -> Span:
        now = self._newsroom.now()
        return span_of(now - self._random.choice(_SPANS), None, now)

    def _one(self, choices: Sequence[str | None]) -> str | None:
        return self._random.choice(choices)
