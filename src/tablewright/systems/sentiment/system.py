"""Sentiment, as the process, the console and the command line know it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Allowance, Parts, System
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.options import Options

#: Files of records: 20 MB, and the time to store them all.
UPLOADS = Allowance(max_bytes=20 * 1024 * 1024, timeout_secs=900)


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.sentiment import api, live_demo, pages, workers
    from tablewright.systems.sentiment.api.reference import REFERENCE
    from tablewright.systems.sentiment.rules.languages import ensure_loaded
    from tablewright.systems.sentiment.service.newsroom import Newsroom

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        # Loading takes processor time that requests would wait for, so it is done before any comes.
        await ensure_loaded()
        async with newsroom.lifespan():
            yield

    newsroom = Newsroom(runtime)
    replay = [live_demo.worker(newsroom)] if runtime.settings.local else []
    return Parts(
        routers=api.routers(newsroom),
        reference=REFERENCE,
        workers=[*workers.workers(newsroom), *replay],
        allowances={"/api/v1/uploads": UPLOADS, "/ops/upload": UPLOADS},
        lifespan=lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(newsroom, renderer),
        templates=Path(__file__).parent / "templates",
        demo=lambda: live_demo.fill(newsroom),
    )


system = System(
    name="sentiment",
    title="Sentiment",
    about="What the news say about your topics, in which tone, and how that changes.",
    model=model,
    build=build,
    # "ingest" is for keys of programs that may send articles, and nothing else.
    roles=("admin", "operator", "analyst", "viewer", "ingest"),
    options=Options,
    icon="news",
)
