"""Two processes at the end of a hold, as a program: one has captures, the other ends holds.

``URL GATEWAY CAPTURED_AT SWEPT_AT`` with the payments of the gateway on standard input, one in a
line as JSON. To the one process the holds still last, to the other they are over, as it happens
when two clocks differ: only what is stored can say which of them comes first. Prints what each
payment came to, and whether each hold was ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import struct
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.systems.kurukshetra.checkout.racer import Told, forked, opened
from tests.systems.kurukshetra.support import EVENT, festival_on

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.payments import Captured

#: Seconds from one race to the next.
_STEP = 0.02
#: By how much the sweeper may be ahead of the capture: it has more to read before it writes.
_AHEAD = 0.03
#: And sometimes one of them is so much ahead that there is no doubt.
_FAR = 0.3


async def captured(festival: Festival, fact: Captured) -> str:
    return (await festival.payments.apply(fact)).result


async def swept(festival: Festival, fact: Captured) -> str:
    link = await festival.db.require(m.order_link(fact.order_id))
    team = await festival.db.require(m.team(EVENT, link.team_id))
    return str(await festival.seats.expire(team))


Work = Callable[[Festival, Captured], Awaitable[str]]


class Gate:
    """Opens when all are there, and says when it begins, by the machine's clock."""

    def __init__(self) -> None:
        self._there, self._open = os.pipe(), os.pipe()

    def pass_through(self) -> float:
        os.write(self._there[1], b".")
        return float(struct.unpack("d", os.read(self._open[0], 8))[0])

    def open_for(self, count: int) -> None:
        for _ in range(count):
            os.read(self._there[0], 1)
        for _ in range(count):
            os.write(self._open[1], struct.pack("d", time.time() + _FAR + 0.05))


@dataclass(frozen=True)
class Side:
    """One process: where, at which time of its own, and what it does."""

    url: str
    gateway: str
    at: float
    work: Work
    facts: list[Captured]
    #: When each race starts, from the beginning of all.
    starts: list[float]
    gate: Gate

    def run(self) -> Told:
        return asyncio.run(self._run())

    async def _run(self) -> Told:
        backend = opened(self.url)
        async with festival_on(backend, ManualClock(self.at), sandbox_url=self.gateway) as festival:
            await festival.events.config(EVENT)
            begins = self.gate.pass_through()
            starts = [begins + each for each in self.starts]
            done = await asyncio.gather(
                *(self._one(festival, *each) for each in zip(self.facts, starts, strict=True))
            )
        return dict(zip((each.razorpay_payment_id for each in self.facts), done, strict=True))

    async def _one(self, festival: Festival, fact: Captured, start: float) -> str:
        await asyncio.sleep(max(0.0, start - time.time()))
        return await self.work(festival, fact)


def main(url: str, gateway: str, captured_at: str, swept_at: str) -> None:
    facts = [Captured(**json.loads(line)) for line in sys.stdin.read().splitlines()]
    gate, chance = Gate(), random.Random(10)
    starts = [number * _STEP for number in range(len(facts))]
    ahead = [chance.choice((_FAR, -_FAR, *([chance.uniform(0, _AHEAD)] * 6))) for _ in facts]
    earlier = [start - lead for start, lead in zip(starts, ahead, strict=True)]
    sides = [
        Side(url, gateway, float(captured_at), captured, facts, starts, gate),
        Side(url, gateway, float(swept_at), swept, facts, earlier, gate),
    ]
    waits = [forked(each.run) for each in sides]
    gate.open_for(len(sides))
    outcomes = [wait() for wait in waits]
    if any(code for code, _ in outcomes):
        sys.exit(1)
    print(json.dumps([said for _, said in outcomes]))


if __name__ == "__main__":
    main(*sys.argv[1:])
