"""A newsroom that asks a stand-in, and a server of feeds that does as it is told."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.systems.sentiment.support import ADMIN, NOW, newsroom_on, record

from tablewright.clock import ManualClock
from tablewright.systems.sentiment import config_reads
from tablewright.systems.sentiment.bodies.sources import SourceIn
from tablewright.systems.sentiment.config import Run, Source
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

KEY = "stand-in-key-5f0c1b7e"
HERE = "127.0.0.1"


class Sleeps:
    """Waits by moving the clock, and remembers how long."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self._clock.advance(seconds)


@asynccontextmanager
async def asking(
    backend: Backend, clock: ManualClock, url: str, **options: Any
) -> AsyncIterator[tuple[Newsroom, Sleeps]]:
    """A newsroom whose NewsAPI is at an address of this machine."""
    given = {"newsapi_url": url, "newsapi_key": KEY, **options}
    async with newsroom_on(backend, clock, **given) as newsroom:
        sleeps = Sleeps(clock)
        newsroom.sources.runs.sleep = sleeps
        try:
            yield newsroom, sleeps
        finally:
            await newsroom.sources.close()


async def source_of(newsroom: Newsroom, name: str) -> Source:
    return await newsroom.db.require(config_reads.source(name))


async def create(newsroom: Newsroom, name: str = "press", **said: Any) -> Source:
    """A source; one of NewsAPI with a question of its own, unless something else is said."""
    given: dict[str, Any] = {"source_type": "newsapi", **said}
    if given["source_type"] == "newsapi":
        given.setdefault("query", "AI OR climate OR energy")
    return (await newsroom.sources.create(SourceIn(name=name, **given), ADMIN)).source


async def read(newsroom: Newsroom, name: str = "press") -> Run:
    """One run, to its end."""
    return await newsroom.sources.runs.run(name)


def told(run: Run) -> dict[str, object]:
    """How a run ended, without zeros."""
    names = ("state", "fetched", "ingested", "duplicates", "unmatched", "rejected", "error_code")
    return {name: value for name in names if (value := getattr(run, name))}


def news(number: int, **said: Any) -> Record:
    """An article about AI, so many minutes old."""
    slug = f"ai-story-{number}"
    return record(slug, **{"published_at": NOW - timedelta(minutes=number), **said})


# --- feeds ---------------------------------------------------------------------------------------

Answer = tuple[int, dict[str, str], bytes]
Answering = Callable[[str, dict[str, str]], Answer]


def rss(*titles: str, before: str = "", host: str = "https://news.example") -> bytes:
    items = "".join(
        f"<item><title>{title}</title><link>{host}/{number}-{len(title)}</link>"
        f"<description>About {title}</description>"
        "<pubDate>Fri, 20 Nov 2026 11:40:00 GMT</pubDate></item>"
        for number, title in enumerate(titles)
    )
    text = f"<rss version='2.0'><channel><title>Example News</title>{items}</channel></rss>"
    return f"{before}{text}".encode()


@contextmanager
def feed_server(answering: Answering) -> Iterator[str]:
    """An address whose answers are those of a function of path and headers."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, body = answering(self.path, headers)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((HERE, 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://{HERE}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def feed_folder(tmp_path: Path, **files: bytes) -> Path:
    folder = tmp_path / "feeds"
    folder.mkdir(exist_ok=True)
    for name, body in files.items():
        (folder / name.replace("_", ".")).write_bytes(body)
    return folder
