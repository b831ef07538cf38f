"""Readers of the stream, over real connections, and what the feed holds."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from tests.service.streams import Told, blocks
from tests.service.support import Running
from tests.systems.sentiment.support import ADMIN

from tablewright.clock import SystemClock
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.patterns import events_after
from tablewright.systems.sentiment.service.live import TOPIC
from tablewright.systems.sentiment.service.newsroom import Newsroom

API = "/sentiment/api/v1"
PATIENCE_SECS = 20.0


class MovedClock(SystemClock):
    """The machine's time, and some seconds more."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead


def key_of(service: Running, name: str = "viewer", *roles: str) -> str:
    made = service.do(
        service.runtime.auth.api_keys.create(ADMIN, name=name, roles=list(roles or ("viewer",)))
    )
    return made[1]


@dataclass
class Viewer:
    """What one reader has been told, from all its connections."""

    told: list[Told] = field(default_factory=list)
    #: When each came, by the clock of the test.
    times: list[float] = field(default_factory=list)

    @property
    def last_id(self) -> str | None:
        return next((each.id for each in reversed(self.told) if each.id), None)

    def entries(self, *kinds: str) -> list[str]:
        """The ids of events, as every process knows them."""
        wanted = kinds or ("item", "metrics", "alert")
        return [each.id.rsplit(".", 1)[1] for each in self.told if each.id and each.kind in wanted]

    def kinds(self) -> list[str]:
        return [each.kind for each in self.told]

    def data(self, kind: str) -> list[dict[str, Any]]:
        return [json.loads(each.data) for each in self.told if each.kind == kind]

    def until(self, enough: Callable[[Viewer], bool]) -> None:
        ends = time.monotonic() + PATIENCE_SECS
        while not enough(self):
            assert time.monotonic() < ends, [str(each) for each in self.told]
            time.sleep(0.01)


@contextmanager
def looking(
    service: Running, key: str, viewer: Viewer, last: str | None = None
) -> Iterator[Viewer]:
    """A connection of a reader, read in a thread; it is cut at the end."""
    head = {"X-API-Key": key} | ({} if last is None else {"Last-Event-ID": last})
    opened = threading.Event()
    closing = threading.Event()
    status: list[int] = []

    def read() -> None:
        try:
            with (
                httpx2.Client(base_url=service.url, timeout=PATIENCE_SECS) as client,
                client.stream("GET", f"{API}/stream", headers=head) as answer,
            ):
                status.append(answer.status_code)
                opened.set()
                for each in blocks(answer.iter_lines()):
                    viewer.told.append(each)
                    viewer.times.append(time.monotonic())
                    if closing.is_set():
                        return
        except httpx2.HTTPError:
            return
        finally:
            opened.set()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    assert opened.wait(PATIENCE_SECS)
    assert status == [200]
    try:
        yield viewer
    finally:
        closing.set()


async def feed(newsroom: Newsroom) -> list[FeedEntry]:
    """All events that were written."""
    return [each async for each in newsroom.db.iterate(events_after(TOPIC))]
