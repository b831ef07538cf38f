"""What the tests of `tablewright sentiment` share: a command line on a data folder, and records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from tests.cli.pricekeeping import Said
from tests.cli.pricekeeping import Typed as Typing

from tablewright.client import AsyncEmbedded
from tablewright.engine import Engine
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.system import system

T = TypeVar("T")

GOOD, PLAIN, BAD = "wins a wonderful prize", "opens an office", "suffers a horrible disaster"


class Typed(Typing):
    """`tablewright sentiment ...` in this process, on one data folder."""

    def __call__(self, *words: str) -> Said:
        return self.bare("sentiment", *words, "--data", str(self.folder))

    def newsroom(self, work: Callable[[Newsroom], Awaitable[T]]) -> T:
        """The same data without the command."""

        async def done() -> T:
            with Engine(self.folder) as engine:
                transport = AsyncEmbedded(engine)
                try:
                    runtime = runtime_of(system, transport, Settings(data=self.folder), environ={})
                    return await work(Newsroom(runtime))
                finally:
                    await transport.close()

        return asyncio.run(done())


def news(slug: str, count: int, ending: str = GOOD, **said: Any) -> list[dict[str, Any]]:
    """Records about AI; those of another slug are others."""
    return [
        {
            "title": f"AI {ending}: {slug} {place}",
            "text": "As told by those who were there.",
            "url": f"https://news.example/{slug}/{place}",
            "source": "Example News",
            "author": "Ann Author",
            "published_at": before(hours=2),
            **said,
        }
        for place in range(count)
    ]


def before(**ago: float) -> str:
    """A moment of the past, as records have it."""
    return (datetime.now(UTC) - timedelta(**ago)).isoformat()


def write(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return str(path)
