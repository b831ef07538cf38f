"""Jobs: asked for once, done by one process, and gone on with after a crash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from pydantic import JsonValue
from tests.systems.kurukshetra.support import (
    EVENT,
    ORGANIZER,
    VOLUNTEER,
    api_on,
    audited,
    caller,
    event_body,
    event_made,
    festival_on,
    refused,
    run,
)

from tablewright.clock import ManualClock
from tablewright.service.problems import Problem, conflict
from tablewright.service.workers import Held
from tablewright.systems.kurukshetra.jobs import Job
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.jobs import MOST_ATTEMPTS, Going, Handler
from tablewright.testing.backends import Backend


def held(fence: int) -> Held:
    return Held("jobs", "counting", "somebody", fence, 0.0)


async def started(festival: Festival, handler: Handler) -> tuple[Caller, Job]:
    await event_made(festival)
    by = await caller(festival, ORGANIZER)
    festival.jobs.handle("counting", handler)
    return by, await festival.jobs.start(by, "counting", {"to": 3})


def test_a_job_goes_on_where_it_was_when_its_worker_died(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    counted: list[int] = []

    async def counting(going: Going) -> Mapping[str, JsonValue]:
        for number in range(int(going.job.position or 0) + 1, 4):
            counted.append(number)
            await going.reached(number, total=3, position=str(number))
            if number == 2 and len(counted) == 2:
                raise BaseException("killed")
        return {"last": 3}

    async def going_on() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            by, job = await started(festival, counting)
            assert ("job.counting", f"job/{EVENT}/{job.job_id}") in await audited(festival)
            with pytest.raises(BaseException, match="killed"):
                await festival.jobs.work(held(1))
            between = await festival.jobs.read(by, job.job_id)
            assert (between.state, between.done, between.total) == ("running", 2, 3)
            assert await festival.jobs.work(held(2)) == 1
            after = await festival.jobs.read(by, job.job_id)
            assert (after.state, after.done, after.result) == ("done", 3, {"last": 3})
            assert counted == [1, 2, 3]
            assert await festival.jobs.work(held(3)) == 0

    run(going_on())


def test_who_has_lost_the_lease_writes_nothing_more(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def overtaken() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            goers: list[Going] = []

            async def handing(going: Going) -> None:
                goers.append(going)
                if len(goers) == 1:
                    await festival.jobs.work(held(2))
                await going.reached(1)

            by, job = await started(festival, handing)
            await festival.jobs.work(held(1))
            assert [each.job.fence for each in goers] == [1, 2]
            after = await festival.jobs.read(by, job.job_id)
            assert (after.state, after.fence, after.done) == ("done", 2, 1)

    run(overtaken())


def test_what_fails_is_tried_again_ever_later_and_then_given_up(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def failing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            tries = 0

            async def away(going: Going) -> None:
                nonlocal tries
                tries += 1
                raise Problem(503, "AWAY", "Nobody there.")

            by, job = await started(festival, away)
            assert await festival.jobs.work(held(1)) == 1
            assert await festival.jobs.work(held(1)) == 0
            for _ in range(MOST_ATTEMPTS):
                clock.advance(600)
                await festival.jobs.work(held(1))
            assert tries == MOST_ATTEMPTS
            after = await festival.jobs.read(by, job.job_id)
            assert (after.state, after.error_code) == ("failed", "AWAY")

    run(failing())


def test_a_refusal_ends_a_job_at_once(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def refusing() -> None:
        async with festival_on(tablewright_backend, clock) as festival:

            async def never(going: Going) -> None:
                raise conflict("NEVER", "Not like this.")

            by, job = await started(festival, never)
            await festival.jobs.work(held(1))
            after = await festival.jobs.read(by, job.job_id)
            assert (after.state, after.error_code, after.error) == (
                "failed",
                "NEVER",
                "Not like this.",
            )
            elsewhere = replace(by, event_id="another-event")
            assert (await refused(festival.jobs.read(elsewhere, job.job_id))).status == 404

    run(refusing())


def test_who_runs_the_event_sees_its_jobs(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def looking() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await api.as_(ORGANIZER).done("POST", "/events", event_body())
            body = {"kind": "participation", "list_id": "entry"}
            path = f"/events/{EVENT}/admin/certificates"
            assert await api.as_(VOLUNTEER).refused("POST", path, body) == (403, "FORBIDDEN")
            answer = await api.as_(ORGANIZER)("POST", path, body)
            assert answer.status_code == 202
            place = answer.headers["location"].removeprefix("/kurukshetra/api/v1")
            assert (await api.as_(ORGANIZER).get(place))["state"] == "queued"
            listed = await api.as_(ORGANIZER).get(f"/events/{EVENT}/jobs")
            assert [each["job_id"] for each in listed["items"]] == [answer.json()["job_id"]]
            assert await api.as_(VOLUNTEER).refused("GET", place) == (403, "FORBIDDEN")
            nowhere = f"/events/{EVENT}/jobs/nothing"
            assert await api.as_(ORGANIZER).refused("GET", nowhere) == (404, "NOT_FOUND")

    run(looking())
