"""A process that competes with others: ``python -m …racer URL JOB NUMBER ARGUMENT``.

``redeem TOKEN`` tries to fetch a secret 25 times at once. ``spend MAX`` makes calls of at most MAX
micro-USD each, from several tasks, until the limit says no; it says what it has spent, and what it
has reserved and left lying.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys

from tests.systems.pricekeeper.access.support import ADMIN, keeping
from tests.systems.pricekeeper.reserving.support import account_of, record

from tablewright.clock import SystemClock
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.testing.backends import at_endpoint

TASKS = 4


async def redeem(keeper: Keeper, token: str, chance: random.Random) -> dict[str, int]:
    async def one() -> int:
        try:
            await keeper.credentials.redeem(token, ADMIN)
        except Problem as problem:
            return problem.status
        return 200

    found = await asyncio.gather(*(one() for _ in range(25)))
    return {"served": found.count(200), "refused": found.count(404)}


async def spend(keeper: Keeper, most: str, chance: random.Random) -> dict[str, int]:
    told = {"spent": 0, "left": 0, "calls": 0}

    async def call() -> bool:
        try:
            made = await keeper.reservations.reserve(await account_of(keeper), "premium", int(most))
        except Problem as problem:
            if problem.code not in ("LIMIT", "LABEL_CLOSED"):
                raise
            return False
        told["calls"] += 1
        kind = chance.random()
        if kind < 0.1:
            told["left"] += int(most)
        elif kind < 0.2:
            await keeper.reservations.release(await account_of(keeper), made.reservation_id)
        else:
            cost = chance.randint(int(most) // 2, int(most))
            await record(keeper, cost, reservation_id=made.reservation_id)
            told["spent"] += cost
        return True

    async def task() -> None:
        while await call():
            pass

    await keeper.recorder.open()
    await asyncio.gather(*(task() for _ in range(TASKS)))
    await keeper.recorder.close()
    return told


async def main(url: str, job: str, number: str, argument: str) -> None:
    chance = random.Random(int(number))
    with at_endpoint(url) as backend:
        async with keeping(backend, SystemClock()) as keeper:
            print("ready", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
            told = await {"redeem": redeem, "spend": spend}[job](keeper, argument, chance)
            print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
