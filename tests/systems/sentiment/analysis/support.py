"""Models that do as they are told, and workers that are run by hand."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from tests.systems.sentiment.support import VADER

from tablewright.service.workers import Held
from tablewright.systems.sentiment.analysers.analyser import Analyser, Verdict
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.reads import article_to_analyse
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.workers import analyse as worker_module

POISON, SLOW, WRONG = "poison", "slow", "wrong"


class Model:
    """Says "negative" to texts with "bad", "positive" to others with "good", else "neutral"."""

    def __init__(self, version: str = VADER, turned: bool = False) -> None:
        self.version = version
        self._turned = turned
        #: Of texts that are slow.
        self.release = threading.Event()
        self.calls: list[Sequence[str]] = []

    def judge(self, texts: Sequence[str]) -> list[Verdict]:
        self.calls.append(tuple(texts))
        return [self._verdict(text.lower()) for text in texts]

    def _verdict(self, text: str) -> Verdict:
        if POISON in text:
            raise RuntimeError("a text that nobody can read")
        if SLOW in text:
            self.release.wait(30)
        if WRONG in text:
            return Verdict("neutral", Decimal("7"), Decimal("0"))
        words = ("good", "bad") if self._turned else ("bad", "good")
        if words[0] in text:
            return Verdict("negative", Decimal("0.9"), Decimal("-0.8"))
        if words[1] in text:
            return Verdict("positive", Decimal("0.8"), Decimal("0.6"))
        return Verdict("neutral", Decimal("0.75"), Decimal("0.0251"))


class Fixed:
    """Models that are there from the beginning; the first is active, unless settings matter."""

    def __init__(self, newsroom: Newsroom, *models: Analyser, by_settings: bool = False) -> None:
        self._newsroom = newsroom
        self._models = {each.version: each for each in models}
        self._first = models[0]
        self._by_settings = by_settings

    async def active(self) -> Analyser:
        if not self._by_settings:
            return self._first
        return await self.loaded((await self._newsroom.setup.current()).active_model)

    async def loaded(self, version: str) -> Analyser:
        return self._models[version]


def use(newsroom: Newsroom, *models: Analyser, **how: Any) -> None:
    """Let these judge."""
    newsroom.models = Fixed(newsroom, *models, **how)  # type: ignore[assignment]


async def now(newsroom: Newsroom, article: Article) -> Article:
    """An article as it is stored now."""
    return await newsroom.db.require(article_to_analyse(article.source_id, article.timestamp))


def held(fence: int = 1) -> Held:
    return Held("analyse", "", "tests", fence, float("inf"))


async def analysed(newsroom: Newsroom, done: Callable[[], Any], secs: float = 20.0) -> None:
    """Let the worker run until something holds."""
    analysing = worker_module.Analysing(newsroom)
    try:
        async with asyncio.timeout(secs):
            while not await done():
                await analysing.run(held())
    finally:
        await analysing.close()
