"""An export in a process of its own, as a program: prints what memory it took, and its rows.

``URL DATA``: a store with an event. The process is warm before it is measured: what counts is how
much more it needs for the export than it had.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.systems.kurukshetra.support import EVENT, ORGANIZER, START, caller, festival_on

from tablewright.clock import ManualClock
from tablewright.testing.backends import at_endpoint


def resident(name: str = "VmRSS") -> int:
    """Bytes of this process in memory; ``VmHWM`` is the most there were."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"there is no {name}")


async def main(url: str, data: Path) -> dict[str, int]:
    with at_endpoint(url) as backend:
        async with festival_on(backend, ManualClock(START), data=data) as festival:
            by = await caller(festival, ORGANIZER)
            warm = await festival.exports.csv(by, "teams")
            async for _ in warm:
                pass
            Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
            before, rows, size = resident(), -1, 0
            async for piece in await festival.exports.csv(by, "registrations"):
                rows += piece.count(b"\r\n")
                size += len(piece)
            return {"grown": resident("VmHWM") - before, "rows": rows, "bytes": size}


if __name__ == "__main__":
    assert EVENT
    print(json.dumps(asyncio.run(main(sys.argv[1], Path(sys.argv[2])))))
