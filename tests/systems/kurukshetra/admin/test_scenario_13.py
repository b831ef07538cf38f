"""Personal data at rest: not in a dump, not to be moved, and under a new key while work goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.systems.kurukshetra.erasing.support import TABLE, dump, issued, paying
from tests.systems.kurukshetra.exports.test_exports import asked
from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    START,
    Api,
    api_on,
    audited,
    caller,
    event_made,
    festival_on,
    person,
    registered,
    registration_body,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.kurukshetra.privacy.errors import BrokenSeal
from tablewright.systems.kurukshetra.privacy.opening import FIELDS
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing.backends import Backend, in_process

#: What somebody types, each to be found nowhere.
TYPED = {
    "first_name": "Ashalata",
    "last_name": "Vermani",
    "phone": "+919812345678",
    "github_username": "ashalata-codes",
    "linkedin": "https://www.linkedin.com/in/ashalata-vermani",
}
ADDRESS, ANSWER, FRIEND = "ashalata@people.test", "allergic to walnuts", "friend-of-a@people.test"


def test_scenario_13_a_raw_dump_has_nobody_in_it(tmp_path: Path) -> None:
    """Raw dump has no demo PII; moved ciphertext fails."""

    async def used(api: Api) -> None:
        festival = api.festival
        await event_made(festival)
        await asked(festival)
        asha = api.as_(person("ashalata"))
        await asha.done("PUT", f"/events/{EVENT}/draft", {"data": TYPED})
        body = registration_body(**TYPED, answers={"diet": ANSWER})
        await asha.done("POST", f"/events/{EVENT}/register", body)
        made = await team_made(festival)
        await festival.teams.invite(made.leader, made.team_id, [FRIEND])
        await paying(festival, made)
        await issued(festival, made)
        admin = await caller(festival, ADMIN)
        await festival.events.roles.grant(admin, "volunteer-v@people.test", {"volunteer"})
        await asha.done("GET", "/me")

    clock = ManualClock(START)
    with Engine(tmp_path / "store", clock=clock) as engine, in_process(engine) as backend:

        async def main() -> None:
            async with api_on(backend, clock) as api:
                await used(api)

        run(main())
        told = dump(engine)
    files = [each for each in (tmp_path / "store").rglob("*") if each.is_file()]
    raw = told.encode() + b"".join(each.read_bytes() for each in files)
    assert b"kurukshetra-2026" in raw, "the dump is of what was written"
    personal = [*TYPED.values(), ADDRESS, ANSWER, FRIEND, "volunteer-v", "Asha Verma"]
    for each in personal:
        assert each.encode() not in raw, each


def test_scenario_13_a_ciphertext_that_was_moved_does_not_open(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            ravi = await registered(festival, EVENT, "ravi")
            keys = [_key(each.participant()) for each in (asha, ravi)]
            own = tablewright_engine.call("GetItem", {"TableName": TABLE, "Key": keys[0]})["Item"]
            for name, moved in (("email", own["email"]), ("first_name", own["last_name"])):
                request = {
                    "TableName": TABLE,
                    "Key": keys[0] if name == "first_name" else keys[1],
                    "UpdateExpression": "SET #n = :v",
                    "ExpressionAttributeNames": {"#n": name},
                    "ExpressionAttributeValues": {":v": moved},
                }
                tablewright_engine.call("UpdateItem", request)
            for each in (asha, ravi):
                with pytest.raises(BrokenSeal):
                    await festival.people.read(each, each.participant())

    run(main())


def _key(participant_id: str) -> dict[str, dict[str, str]]:
    return {"PK": {"S": f"EVENT#{EVENT}#PARTICIPANT#{participant_id}"}, "SK": {"S": "PROFILE"}}


def test_scenario_13_keys_rotate_under_load(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    """Keys rotate under load: nobody is refused, and everything ends under the newest."""

    async def main() -> None:
        async with festival_on(engine_backend, clock, data=tmp_path) as festival:
            await event_made(festival)
            await asked(festival)
            made = await team_made(festival)
            await issued(festival, made)
            await festival.teams.invite(made.leader, made.team_id, [FRIEND])
            stop = asyncio.Event()
            load = asyncio.create_task(busy(festival, stop))
            other = festival_on(engine_backend, clock, data=tmp_path)
            async with other as elsewhere:
                also = asyncio.create_task(busy(elsewhere, stop))
                old = await festival.resealing.under()
                kids = [await festival.resealing.rotate(ADMIN) for _ in range(2)]
                await asyncio.sleep(0.1)
                # Other processes look for keys once a minute: a test does not wait for that.
                elsewhere.keys.ring(FIELDS).renew()
                done = await festival.resealing.work()
                assert done.resealed > 0
                await asyncio.sleep(0.05)
                stop.set()
                people = [*await load, *await also]
            await festival.resealing.work()
            under = await festival.resealing.under()
            assert set(under) == {*old, *kids}
            assert all(under[kid] == 0 for kid in under if kid != kids[-1]), "old keys can go"
            assert under[kids[-1]] > 0
            for each in people:
                view = await festival.people.read(each, each.participant())
                assert view.email == each.address()
            assert [each for each, _ in await audited(festival)].count("keys.rotate") == 2
            await nothing_is_read_once_all_is_done(festival, clock)

    run(main())


async def busy(festival: Festival, stop: asyncio.Event) -> list[Caller]:
    """People register and look at themselves, all the time."""
    people = []
    while not stop.is_set():
        name = f"busy-{id(festival)}-{len(people)}"
        who = await registered(festival, EVENT, name, answers={"diet": "Rice"})
        view = await festival.people.read(who, who.participant())
        assert view.first_name == name.capitalize()
        people.append(who)
        await asyncio.sleep(0)
    return people


async def nothing_is_read_once_all_is_done(festival: Festival, clock: ManualClock) -> None:
    clock.advance(200)
    done = await festival.resealing.work()
    assert (done.resealed, done.looked_at > 0) == (0, True)
    assert (await festival.resealing.work()).looked_at == 0
