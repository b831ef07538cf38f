"""Sentiment, as the process, the console and the command line know it."""

from __future__ import annotations

from pathlib import Path

from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts, System
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.options import Options


def build(runtime: Runtime) -> Parts:
    """Its parts; nothing is read or written before the lifespan opens."""
    from tablewright.systems.sentiment import api, pages, workers
    from tablewright.systems.sentiment.service.newsroom import Newsroom

    newsroom = Newsroom(runtime)
    return Parts(
        routers=api.routers(newsroom),
        workers=workers.workers(newsroom),
        lifespan=newsroom.lifespan,
        navigation=pages.NAVIGATION,
        pages=lambda renderer: pages.router(newsroom, renderer),
        templates=Path(__file__).parent / "templates",
    )


system = System(
    name="sentiment",
    title="Sentiment",
    about="What the news say about your topics, in which tone, and how that changes.",
    model=model,
    build=build,
    roles=("admin", "operator", "analyst", "viewer"),
    options=Options,
    icon="news",
)
