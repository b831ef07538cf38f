"""A process that analyses until it is killed: see ``test_with_models``."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from tests.systems.vibejudge.support import courtroom_on

from tablewright.clock import SystemClock
from tablewright.service.workers import runner
from tablewright.systems.vibejudge.workers import analyse
from tablewright.testing.backends import at_endpoint


async def main(url: str, prefix: str, options: dict[str, Any]) -> None:
    with at_endpoint(url, prefix=prefix) as backend:
        async with courtroom_on(backend, SystemClock(), **options) as courtroom:
            async with runner(courtroom.runtime, [analyse.worker(courtroom)]):
                await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], json.loads(sys.stdin.read())))
