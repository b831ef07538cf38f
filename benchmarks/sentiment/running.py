"""The service under test, with what it watches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.service import DATA, Service, Used, up
from tablewright.systems.sentiment.live_demo.cast import TOPICS

API = "/sentiment/api/v1"
_NO_LIMITS = {"TABLEWRIGHT_SENTIMENT_RECORDS_PER_MINUTE": "1000000000"}

__all__ = ["API", "DATA", "Service", "Used", "service"]


@contextmanager
def service(folder: Path, *, demo: bool = False, topics: bool = True) -> Iterator[Service]:
    """`tablewright up sentiment` on `folder`; with the demo's month of news, or just its topics."""
    more = ["--demo"] if demo else []
    with up("sentiment", folder, *more, environ=_NO_LIMITS) as running:
        if topics and not demo:
            for topic in TOPICS:
                running.ask("POST", "/watch", topic.model_dump(exclude_defaults=True))
        yield running
