"""A process that wants leases: ``python -m tests.service.kit.contender URL``.

It hears one command a line and answers with one: ``take NAME SECS``, ``keep``, ``mark VALUE``,
``release``. ``mark`` writes under the fence, as a worker does.
"""

from __future__ import annotations

import asyncio
import sys

from tablewright.client import AsyncDb, AsyncHttpTransport
from tablewright.clock import SystemClock
from tablewright.model import Entity, Key, attr, put
from tablewright.model.errors import ConditionFailed
from tablewright.service.kit.entities import kit
from tablewright.service.workers import Held, LeaseLost, Leases


class Mark(Entity, table=kit, keys={"primary": Key("TESTMARK", "MARK")}):
    """What a worker makes: refused if a higher fence has written it."""

    value: str
    fence: int


async def answer(db: AsyncDb, leases: Leases, held: Held | None, words: list[str]) -> Held | str:
    if words[0] == "take":
        found = await leases.acquire(words[1], float(words[2]))
        return found if found is not None else "taken"
    assert held is not None
    try:
        if words[0] == "keep":
            return await leases.renew(held)
        if words[0] == "release":
            await leases.release(held)
            return "released"
        mark = Mark(value=words[1], fence=held.fence)
        await db.run(put(mark).when(attr(Mark.fence).missing() | (attr(Mark.fence) <= held.fence)))
        return "marked"
    except (LeaseLost, ConditionFailed) as error:
        return type(error).__name__


async def main() -> None:
    async with AsyncDb(AsyncHttpTransport(sys.argv[1])) as db:
        leases = Leases(db, SystemClock())
        held: Held | None = None
        print("ready", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            found = await answer(db, leases, held, line.split())
            held = found if isinstance(found, Held) else held
            print(found.fence if isinstance(found, Held) else found, flush=True)


if __name__ == "__main__":
    asyncio.run(main())
