"""Sentiment with its pages behind a port, and a few articles of today.

Four articles came in during the last hour; of them two are negative, one is positive and one
neutral. A fifth waits and a sixth has failed. Nobody works in the background: what tests see is
what they have done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from tests.console.support import Browser
from tests.service.support import Running, running
from tests.systems.sentiment.support import TOPICS, stored, watch

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment import changes, reads, writes
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import Backend

BASE = "/sentiment"


@dataclass
class Office:
    """The service, and the articles that were there before the first request, by their slugs."""

    service: Running
    articles: dict[str, Article] = field(default_factory=dict)

    def item(self, slug: str) -> str:
        """The path of an article's page."""
        return f"{BASE}/items/{shown_id(self.articles[slug].source_id)}"


async def fill(newsroom: Newsroom) -> dict[str, Article]:
    now = newsroom.now()
    found: dict[str, Article] = {}

    async def add(slug: str, tags: tuple[str, ...], **given: Any) -> None:
        at = given.pop("timestamp", now - timedelta(minutes=2 * len(found) + 1))
        found[slug] = await stored(newsroom, slug, tags, timestamp=at, **given)

    await add("ai-wins-a-prize", ("AI",), said="positive", compound="0.6")
    await add("grid-fails-badly", ("Energy",), said="negative", compound="-0.7")
    await add("ai-eats-the-grid", ("AI", "Energy"), said="negative", compound="-0.5")
    await add("climate-talks-go-on", ("Climate",), said="neutral", source_key="orbit-weekly")
    await add("ai-waits", ("AI",))
    await add("ai-fails", ("AI",), timestamp=now - timedelta(hours=1))
    for _ in range(3):
        failing = found["ai-fails"]
        await newsroom.db.run(changes.analysis_failed(failing, "TIMEOUT", now))
        op = reads.article_to_analyse(failing.source_id, failing.timestamp)
        found["ai-fails"] = await newsroom.db.require(op)
    for key, name in {"bbc-news": "BBC News", "orbit-weekly": "Orbit Weekly"}.items():
        await newsroom.db.run(writes.note_publisher(key, name, 1, newsroom.now()))
    return found


@contextmanager
def pages_of(backend: Backend, *, filled: bool = True, **settings: Any) -> Iterator[Office]:
    """The pages, with something in them or with nothing."""
    articles: dict[str, Article] = {}

    async def opened(runtime: Runtime) -> None:
        newsroom = Newsroom(runtime)
        async with newsroom.lifespan():
            if filled:
                await watch(newsroom, *TOPICS)
                articles.update(await fill(newsroom))

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())

    with running(system, backend, front=front, opened=opened, workers=False, **settings) as service:
        yield Office(service, articles)


@contextmanager
def as_role(office: Office, role: str) -> Iterator[Browser]:
    """The browser of a demo user."""
    browser = Browser(office.service)
    with browser.client:
        answer = browser.client.post("/auth/sign-in", data={"user": f"demo-{role}"})
        assert answer.status_code == 303, answer.text
        yield browser
