"""A process that activates a plan and is killed on the way: ``URL MANAGER PLAN STEP``.

It dies at its ``STEP``-th write.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from tests.systems.ladders.plans.dying import dying
from tests.systems.ladders.support import START, company_on, person

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend, at_endpoint


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def activate(backend: Backend, manager: str, plan_id: str) -> None:
    async with company_on(backend, ManualClock(START)) as company:
        by = await company.people.caller(person(manager))
        await company.plans.activate(by, plan_id)


def main(url: str, manager: str, plan_id: str, step: int) -> None:
    with at_endpoint(url) as whole:
        asyncio.run(activate(dying(whole, step, die), manager, plan_id))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
