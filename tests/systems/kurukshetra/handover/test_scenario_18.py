"""Paid teams go to judging: the real vibejudge, over HTTP and beside us."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx2
from tests.service.support import running
from tests.systems.kurukshetra.support import (
    API,
    EVENT,
    NOW,
    ORGANIZER,
    VOLUNTEER,
    Made,
    caller,
    event_made,
    festival_on,
    refused,
    run,
    team_made,
    token_of,
)
from tests.systems.vibejudge import support as judging

from tablewright.clock import ManualClock
from tablewright.service.app import assemble
from tablewright.service.kit import kit_model
from tablewright.service.ports import Ports
from tablewright.service.process import runtime_of
from tablewright.service.runtime import Runtime
from tablewright.service.settings import Settings
from tablewright.service.system import Parts, System
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system as kurukshetra
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.submissions import Neighbour
from tablewright.systems.vibejudge.system import system as vibejudge
from tablewright.testing.backends import Backend


@dataclass
class Bench:
    """A hackathon in vibejudge, and its organiser's key."""

    key: str = ""
    hack_id: str = ""

    async def prepare(self, runtime: Runtime) -> None:
        await self.open(Courtroom(runtime))

    async def open(self, courtroom: Courtroom) -> None:
        body = OrganizerIn(email="olga@people.test", name="Olga")
        made = await courtroom.organizers.register(body, None)
        by = judging.caller_of(made.organizer.org_id)
        dates = {
            "start_date": judging.moment(NOW - timedelta(days=1)),
            "end_date": judging.moment(NOW + timedelta(days=1)),
        }
        self.hack_id = (await judging.hackathon(courtroom, by, **dates)).hack_id
        self.key = made.api_key


async def with_repository(festival: Festival, made: Made, name: str) -> None:
    now = festival.now()
    submission = m.Submission(
        event_id=EVENT,
        team_id=made.team_id,
        repo_url=f"https://github.com/{name}/project",
        repository=f"github.com/{name}/project",
        created_at=now,
        updated_at=now,
    )
    await festival.db.run(m.set_repository(submission, None))


async def teams(festival: Festival, hack_id: str) -> list[Made]:
    """Three that have paid, the last of which has no repository, and one that has not paid."""
    await event_made(festival, vibejudge_hack_id=hack_id)
    made = [await team_made(festival, payment_status="paid") for _ in range(3)]
    unpaid = await team_made(festival)
    for number, each in enumerate([*made[:2], unpaid]):
        await with_repository(festival, each, f"team-{number}")
    return made


async def handed_over(festival: Festival) -> dict[str, Any]:
    by = await caller(festival, ORGANIZER)
    job = await festival.handover.start(by)
    assert await festival.jobs.work_all() == 1
    after = await festival.jobs.read(by, job.job_id)
    assert after.state == "done", after.error
    return {name: count for name, count in after.result.items() if count}


async def check_handover(festival: Festival, made: list[Made]) -> None:
    assert await handed_over(festival) == {"created": 2, "no_repository": 1}
    first = await festival.db.require(m.submission(EVENT, made[0].team_id))
    assert first.sub_id is not None
    assert await handed_over(festival) == {"before": 2, "no_repository": 1}
    # Somebody died before it was written down what judging had answered.
    forgotten = first.model_copy(update={"sub_id": None})
    await festival.db.run(m.set_repository(forgotten, first.repository))
    await with_repository(festival, made[2], "team-3")
    assert await handed_over(festival) == {"created": 1, "unchanged": 1, "before": 1}
    again = await festival.db.require(m.submission(EVENT, made[0].team_id))
    assert again.sub_id == first.sub_id


def test_scenario_18_handover_twice_has_each_paid_team_once(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Handover twice: each paid team once."""
    bench = Bench()

    async def over_http(url: str, key: str) -> None:
        options = {"vibejudge_url": f"{url}/vibejudge", "vibejudge_key": key}
        async with festival_on(engine_backend, clock, **options) as festival:
            made = await teams(festival, bench.hack_id)
            await check_handover(festival, made)
            # What judging refuses is told, and stops nobody else.
            odd = await team_made(festival, payment_status="paid", name="--")
            await with_repository(festival, odd, "team-4")
            result = await handed_over(festival)
            assert (result["refused"], result["before"]) == (1, 3)
            assert result["refusals"][0]["team_id"] == odd.team_id

    with running(
        vibejudge, engine_backend, clock=clock, opened=bench.prepare, workers=False
    ) as service:
        run(over_http(service.url, bench.key))
        with service.client() as http:
            path = f"/vibejudge/api/v1/hackathons/{bench.hack_id}/submissions"
            listed = http.get(path, headers={"X-API-Key": bench.key}).json()["items"]
        assert len(listed) == len({each["external_id"] for each in listed}) == 3


def test_on_ones_own_machine_judging_is_beside_us(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def beside() -> None:
        bench = Bench()
        async with (
            judging.courtroom_on(engine_backend, clock) as courtroom,
            festival_on(engine_backend, clock) as festival,
        ):
            await bench.open(courtroom)
            made = await teams(festival, bench.hack_id)
            start = festival.handover.start
            nobody = await refused(start(await caller(festival, ORGANIZER)))
            assert (nobody.status, nobody.code) == (409, "NO_JUDGING")
            festival.handover.joined(Ports(submissions=Neighbour(courtroom)))
            assert (await refused(start(await caller(festival, VOLUNTEER)))).status == 403
            await check_handover(festival, made)

    run(beside())


def test_two_systems_of_one_process_are_joined(engine_backend: Backend, clock: ManualClock) -> None:
    async def joined() -> None:
        bench, settings, carried = Bench(), Settings(), engine_backend.async_transport()
        systems: dict[System, tuple[Runtime, Parts]] = {}
        for each in (kurukshetra, vibejudge):
            runtime = runtime_of(each, carried, settings, clock=clock, environ={})
            await runtime.db.create_tables(each.model, kit_model)
            systems[each] = (runtime, each.build(runtime))
        await bench.open(Courtroom(systems[vibejudge][0]))
        festival = Festival(systems[kurukshetra][0])
        await teams(festival, bench.hack_id)
        app = assemble(systems, settings=settings)
        async with app.parent.router.lifespan_context(app.parent):
            way = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=way, base_url=settings.url) as http:
                head = {"Authorization": f"Bearer {token_of(festival.runtime, ORGANIZER)}"}
                path = f"{API}/events/{EVENT}/admin/handover"
                place = (await http.post(path, headers=head)).headers["location"]
                said = {"state": "queued"}
                while said["state"] in ("queued", "running"):
                    await asyncio.sleep(0.1)
                    said = (await http.get(place, headers=head)).json()
            app.stop_soon()
        assert (said["state"], said["result"]["created"]) == ("done", 2)
        await carried.close()

    run(joined())


async def failing(festival: Festival, hack_id: str) -> m.Job:
    await teams(festival, hack_id)
    by = await caller(festival, ORGANIZER)
    job = await festival.handover.start(by)
    await festival.jobs.work_all()
    return await festival.jobs.read(by, job.job_id)


def test_judging_that_is_away_is_asked_again(engine_backend: Backend, clock: ManualClock) -> None:
    async def asking() -> None:
        options = {"vibejudge_url": "http://127.0.0.1:9/vibejudge", "vibejudge_key": "twk_x"}
        async with festival_on(engine_backend, clock, **options) as festival:
            after = await failing(festival, "nobody-knows")
            assert (after.state, after.attempts) == ("queued", 1)

    run(asking())


def test_a_key_that_judging_does_not_know_ends_the_job(
    engine_backend: Backend, clock: ManualClock
) -> None:
    bench = Bench()

    async def asking(url: str) -> None:
        options = {"vibejudge_url": f"{url}/vibejudge", "vibejudge_key": "twk_nobody"}
        async with festival_on(engine_backend, clock, **options) as festival:
            after = await failing(festival, bench.hack_id)
            assert (after.state, after.error_code) == ("failed", "JUDGING_REFUSED")

    with running(
        vibejudge, engine_backend, clock=clock, opened=bench.prepare, workers=False
    ) as service:
        run(asking(service.url))
