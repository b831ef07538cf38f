"""Judges who act at the same moment, and an organiser who closes the round meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Coroutine
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge.judging.support import World, world
from tests.systems.vibejudge.support import courtroom_on, run

from tablewright.clock import ManualClock
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge.bodies.judging import SkipIn
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.testing import Backend


async def outcome(work: Coroutine[Any, Any, object]) -> str:
    try:
        await work
    except Problem as problem:
        return problem.code
    return "done"


async def skip(court: World, judge: Caller, sub: Submission) -> None:
    body = SkipIn(round_number=1, sub_id=sub.sub_id, reason="No time")
    await court.courtroom.judging.desk.skip(judge, court.hack_id, body)


def test_nothing_is_given_to_two_and_nothing_gets_into_a_closed_round(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"] * 5, judges=6, min_reviews=1)
            round_ = await court.opened()
            every = [(judge, sub) for judge in court.judges for sub in court.submissions]
            some = every[: 3 * len(court.submissions)]
            skipped = await asyncio.gather(*(outcome(skip(court, *each)) for each in some))
            assert set(skipped) <= {"done", "NOT_FOUND"}
            given = await courtroom.db.run(patterns.assignments(court.hack_id, 1))
            live = Counter(each.sub_id for each in given if each.state != "skipped")
            assert set(live.values()) == {3}

            async def closed() -> None:
                await asyncio.sleep(0.01)
                await court.moved(round_, "closed")

            scores = (outcome(court.score(*each, 80)) for each in every)
            said = await asyncio.gather(*scores, closed())
            assert set(said) <= {"done", "NOT_FOUND", "SKIPPED", "ROUND_CLOSED", None}
            stored = [
                each
                for sub in court.submissions
                for each in await courtroom.db.run(patterns.human_scores(sub.sub_id))
            ]
            assert len(stored) == said.count("done")
            blending = courtroom.judging.blending
            await asyncio.gather(*(blending.blend_now(court.hack_id) for _ in range(3)))
            scored = {each.sub_id for each in stored}
            expected = [Decimal(70) if s.sub_id in scored else None for s in court.submissions]
            assert await court.finals() == expected

    run(main())
