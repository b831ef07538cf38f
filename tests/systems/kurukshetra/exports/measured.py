"""An export in a process of its own, as a program: prints what memory it took, and its rows.

``URL DATA``: a store with an event. The process is warm before it is measured: what counts is how
much more it needs for the export than it had. Only its own memory counts, in place or swapped out:
pages of files come and go with what else runs on the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from tests.systems.kurukshetra.support import EVENT, ORGANIZER, START, caller, festival_on

from tablewright.client import AsyncHttpTransport, Credentials
from tablewright.clock import ManualClock
from tablewright.testing.backends import at_endpoint

#: Of requests to the store. How fast it is, is not what is measured.
PATIENCE = 120.0
#: How often it is looked at.
_SECS = 0.005


def own() -> int:
    """Bytes that this process has for itself."""
    names = ("RssAnon:", "VmSwap:")
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * sum(int(each.split()[1]) for each in lines if each.startswith(names))


class Most:
    """The most there was; it is looked at whenever the process has time for it, and when told."""

    def __init__(self) -> None:
        self.bytes = own()

    def look(self) -> None:
        self.bytes = max(self.bytes, own())

    @asynccontextmanager
    async def looking(self) -> AsyncIterator[None]:
        async def look() -> None:
            while True:
                self.look()
                await asyncio.sleep(_SECS)

        task = asyncio.create_task(look())
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            self.look()


async def main(url: str, data: Path) -> dict[str, int]:
    def patient() -> AsyncHttpTransport:
        return AsyncHttpTransport(
            url,
            region="us-east-1",
            credentials=Credentials("testing", "testing"),
            connect_timeout=PATIENCE,
            read_timeout=PATIENCE,
        )

    with at_endpoint(url) as backend:
        store = replace(backend, async_transport=patient)
        async with festival_on(store, ManualClock(START), data=data) as festival:
            by = await caller(festival, ORGANIZER)
            warm = await festival.exports.csv(by, "teams")
            async for _ in warm:
                pass
            most, rows, size = Most(), -1, 0
            before = most.bytes
            async with most.looking():
                async for piece in await festival.exports.csv(by, "registrations"):
                    most.look()
                    rows += piece.count(b"\r\n")
                    size += len(piece)
            return {"grown": most.bytes - before, "rows": rows, "bytes": size}


if __name__ == "__main__":
    assert EVENT
    print(json.dumps(asyncio.run(main(sys.argv[1], Path(sys.argv[2])))))
