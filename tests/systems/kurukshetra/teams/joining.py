"""A process in which some people join a team at the same moment: see ``test_scenario_04``."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.systems.kurukshetra.support import EVENT, NOW, festival_on, person

from tablewright.clock import ManualClock
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import at_endpoint


async def joined(festival: Festival, by: Caller, code: str) -> str:
    try:
        await festival.teams.join(by, code)
    except Problem as problem:
        return problem.code
    return "joined"


async def main(url: str, data: str, code: str, *names: str) -> None:
    with at_endpoint(url) as backend:
        clock = ManualClock(NOW.timestamp())
        async with festival_on(backend, clock, data=Path(data)) as festival:
            people = [await festival.access.caller(person(name), EVENT) for name in names]
            print("ready", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
            outcomes = await asyncio.gather(*(joined(festival, by, code) for by in people))
            print(json.dumps(outcomes), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
