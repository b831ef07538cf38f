"""A process that asks a model and is killed while it waits: see ``test_budgets``."""

from __future__ import annotations

import asyncio
import os
import sys

from tests.systems.vibejudge.budgets.support import run_of
from tests.systems.vibejudge.llm.support import material
from tests.systems.vibejudge.support import NOW, courtroom_on

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.llm.agents import Attempt
from tablewright.testing.backends import at_endpoint


async def main(url: str, prefix: str, models: str, hack_id: str, sub_id: str, run_id: str) -> None:
    options = {"openai_url": models, "openai_key": os.environ["VIBEJUDGE_OPENAI_KEY"]}
    with at_endpoint(url, prefix=prefix) as backend:
        async with courtroom_on(backend, ManualClock(NOW.timestamp()), **options) as courtroom:
            hackathon = await courtroom.db.require(reads.hackathon(hack_id))
            submission = await courtroom.db.require(reads.submission(hack_id, sub_id))
            run = run_of(submission, hackathon, run_id)
            purse = courtroom.budgets.for_run(hackathon, submission, run)
            agents = courtroom.models.agents(hackathon)
            await agents.judge("bug_hunter", material(), {}, Attempt(run_id, 1), purse)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
