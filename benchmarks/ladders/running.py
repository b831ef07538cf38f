"""The services under test: a small company and a large one, side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from benchmarks.asking import request
from benchmarks.ladders.extent import Extent, Someone
from benchmarks.ladders.stage import QUICK_TIMES, TIMES, filled
from benchmarks.service import DATA, Service, up
from tablewright.clock import SystemClock
from tablewright.service.auth import DemoUser, Identity
from tablewright.service.keys import Keys
from tablewright.service.settings import Settings

API = "/ladders/api/v1"
_NO_LIMITS = {"TABLEWRIGHT_LADDERS_REQUESTS_PER_MINUTE": "1000000"}


@dataclass(frozen=True)
class Place:
    """A company of some size, and its service."""

    extent: Extent
    service: Service
    #: The folder of the service.
    folder: Path

    def tokens(self, people: Sequence[Someone]) -> list[str]:
        """What they show to the service."""
        settings = Settings(data=self.folder / DATA)
        local = Identity(settings, Keys(self.folder / DATA / "keys", {}), SystemClock()).local
        assert local is not None
        return [
            local.token(
                DemoUser(each.principal_id, each.name, "", frozenset(), email=each.email),
                f"{self.service.url}/auth",
            )
            for each in people
        ]


@contextmanager
def places(quick: bool, folder: Path | None) -> Iterator[tuple[Place, Place]]:
    """The small one and the large one; both are durable, and have their workers."""
    small, large = QUICK_TIMES if quick else TIMES
    with place(small, folder) as one, place(large, folder) as other:
        yield one, other


@contextmanager
def place(times: int, folder: Path | None) -> Iterator[Place]:
    """One of them."""
    company = filled(times, folder)
    with tempfile.TemporaryDirectory(dir=folder) as name:
        company.copied(Path(name))
        with up("ladders", Path(name), environ=_NO_LIMITS) as running:
            yield Place(company.extent, running, Path(name))


def sent(
    method: str, path: str, token: str, body: object = None, revision: int | None = None
) -> bytes:
    """A request of somebody."""
    more = {} if revision is None else {"If-Match": f'"{revision}"'}
    return request(method, f"{API}{path}", token, b"" if body is None else orjson.dumps(body), more)
