"""A plan of 200 members is activated, over HTTP: how long it takes, and what is there then."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import orjson

from benchmarks.asking import Caller, calling
from benchmarks.findings import Finding, at_most, exactly, part_of
from benchmarks.ladders.extent import CROWD
from benchmarks.ladders.growth import grown
from benchmarks.ladders.running import Place, places, sent

ROUNDS, WANTED_SECS = 5, 5.0
_FIRST_YEAR = 2027


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    secs: dict[int, list[float]] = defaultdict(list)
    made: set[int] = set()
    with places(quick, folder) as both:
        for number in range((1 if quick else ROUNDS) + 1):
            for place in both:
                took, count = asyncio.run(_activated(place, _FIRST_YEAR + number))
                made.add(count)
                # The first one is to make it warm.
                if number:
                    secs[place.extent.times].append(took)
        small, large = (secs[each.extent.times] for each in both)
        times = both[1].extent.times // both[0].extent.times
    note = (
        f"the slowest of {len(large)}; {1000 * part_of(large, 0.5) / (2 * CROWD):.1f} ms for each"
    )
    wrong = next((each for each in made if each != 2 * CROWD), 2 * CROWD)
    return [
        at_most(f"activation of {CROWD} members", max(large), WANTED_SECS, "s", note),
        exactly("assessments that it makes", wrong, 2 * CROWD),
        grown("growth", [1000 * each for each in small], [1000 * each for each in large], times),
    ]


async def _activated(place: Place, year: int) -> tuple[float, int]:
    """How long it took, and how many assessments are there."""
    crew = place.extent.crowd
    (token,) = place.tokens([crew.manager])
    body = {
        "season": str(year),
        "plan_name": f"Review {year}",
        "start_date": f"{year}-01-01T00:00:00Z",
        "end_date": f"{year}-12-31T00:00:00Z",
    }
    plan = f"/plans/{crew.plan_id(str(year))}"
    async with calling(place.service.port, "") as caller:
        await _told(caller, sent("POST", f"/teams/{crew.team_id}/plans", token, body))
        began = time.perf_counter()
        done = await _told(caller, sent("POST", f"{plan}/activate", token, {}))
        secs = time.perf_counter() - began
        if done["status"] != "active":
            raise RuntimeError(f"the plan is {done['status']}")
        listed = await _told(caller, sent("GET", f"{plan}/assessments", token))
    return secs, len({each["assessment_id"] for each in listed["items"]})


async def _told(caller: Caller, request: bytes) -> Any:
    answer = await caller.send(request)
    if answer.status not in (200, 201):
        raise RuntimeError(f"{answer.status} {answer.body[:200]!r}")
    return orjson.loads(answer.body)
