"""Mails to many: each of those who are meant gets one, whatever happens on the way."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from tests.systems.kurukshetra.messages.support import waiting
from tests.systems.kurukshetra.support import (
    EVENT,
    FINANCE,
    ORGANIZER,
    Made,
    api_on,
    audited,
    caller,
    event_made,
    festival_on,
    person,
    refused,
    registered,
    run,
    team_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault
from tablewright.model import put
from tablewright.model.errors import OutcomeUnknown
from tablewright.service.workers import Held, run_once
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.bodies.mail import MailIn
from tablewright.systems.kurukshetra.service import mailing
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.service.jobs import Going
from tablewright.systems.kurukshetra.service.messages import BROADCAST, REMINDER
from tablewright.systems.kurukshetra.workers import reminders
from tablewright.testing import Backend, injected


def said(**to: Any) -> MailIn:
    return MailIn.model_validate({"subject": "News", "text": "There is none.", "to": to})


async def told(festival: Festival, kind: str = BROADCAST) -> list[str]:
    """Whom the waiting messages are for."""
    return sorted(str(each.body["participant_id"]) for each in await waiting(festival, kind))


async def moved(festival: Festival, made: Made, status: m.TeamStatus) -> None:
    team = await festival.db.require(m.team(EVENT, made.team_id))
    await festival.db.run(put(team.model_copy(update={"payment_status": status})).replace())


def ids(*teams: Made) -> list[str]:
    return sorted(each.participant_id or "" for team in teams for each in team.members)


def test_everybody_who_is_meant_gets_one(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            paid, unpaid = await team_made(festival, size=3), await team_made(festival, size=2)
            await moved(festival, paid, "paid")
            alone = await registered(festival, EVENT, "alone", college="Elsewhere College")
            by = await caller(festival, ORGANIZER)
            everybody = sorted([*ids(paid, unpaid), alone.participant_id or ""])
            audiences: list[tuple[dict[str, Any], list[str]]] = [
                ({}, everybody),
                ({"status": ["paid"]}, ids(paid)),
                ({"leaders": True}, leaders(paid, unpaid)),
                ({"track": "ai-ml", "status": ["unpaid", "waitlisted"]}, ids(unpaid)),
                ({"track": "blockchain"}, []),
                ({"college": "elsewhere  COLLEGE"}, [alone.participant_id or ""]),
            ]
            expected: Counter[str] = Counter()
            for to, meant in audiences:
                job = await festival.mailing.start(by, said(**to))
                await festival.jobs.work_all()
                ended = await festival.jobs.read(by, job.job_id)
                assert (ended.state, ended.result) == ("done", {"queued": len(meant)})
                expected.update(meant)
                assert Counter(await told(festival)) == expected
            assert await festival.jobs.work_all() == 0
            noted = [action for action, _ in await audited(festival)]
            assert noted.count("job.mail") == len(audiences)
            work = festival.mailing.start(await caller(festival, FINANCE), said())
            assert (await refused(work)).status == 403

    run(go())


def leaders(*teams: Made) -> list[str]:
    return sorted(team.leader.participant_id or "" for team in teams)


def test_whoever_dies_on_the_way_is_followed_by_who_goes_on(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailing, "TOGETHER", 2)

    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            people = [await registered(festival, EVENT, f"reader-{n}") for n in range(9)]
            by = await caller(festival, ORGANIZER)
            job = await festival.mailing.start(by, said())
            queue, steps = festival.mailing._queue, 0

            async def dying(going: Going, puts: Any, position: str) -> None:
                nonlocal steps
                steps += 1
                if steps == 3:
                    # Another process has taken it over, and we do not know yet.
                    later = Held("jobs", "mail", "", going.job.fence + 1, 0.0)
                    monkeypatch.setattr(festival.mailing, "_queue", queue)
                    await festival.jobs.work(later)
                await queue(going, puts, position)

            monkeypatch.setattr(festival.mailing, "_queue", dying)
            await festival.jobs.work(Held("jobs", "mail", "", 1, 0.0))
            assert steps == 3
            assert (await festival.jobs.read(by, job.job_id)).state == "done"
            assert await told(festival) == sorted(each.participant_id or "" for each in people)

    run(go())


def test_mails_to_many_survive_a_store_that_goes_away(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """It did what it was asked, and was gone before it could say so."""
    gone = Fault("TransactWriteItems", drop=True, after=True, times=12)

    async def go() -> None:
        async with festival_on(engine_backend, clock, quick=True) as festival:
            await event_made(festival)
            made = [await team_made(festival, size=2) for _ in range(3)]
            by = await caller(festival, ORGANIZER)
            job = await festival.mailing.start(by, said())
            with injected(tablewright_engine, gone):
                for _ in range(8):
                    # As the runner does: a run that fails is followed by another one.
                    with suppress(OutcomeUnknown):
                        await festival.jobs.work_all()
                    clock.advance(3600)
            await festival.jobs.work_all()
            assert (await festival.jobs.read(by, job.job_id)).state == "done"
            assert await told(festival) == ids(*made)

    run(go())


def test_reminders_come_once_to_those_whom_they_concern(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival)
            paid, unpaid = await team_made(festival, size=2), await team_made(festival, size=2)
            await moved(festival, paid, "paid")
            await registered(festival, EVENT, "alone")

            async def reminded(**before: float) -> list[str]:
                """Who was reminded since, after the worker has come by twice."""
                seen = {each.message_id for each in await waiting(festival, REMINDER)}
                for _ in range(2):
                    await run_once(reminders.worker(festival))
                    await festival.jobs.work_all()
                found = await waiting(festival, REMINDER)
                new = [each for each in found if each.message_id not in seen]
                assert {each.body["hours"] for each in new} <= set(before.values())
                return sorted(str(each.body["participant_id"]) for each in new)

            clock.set((config.registration_end - timedelta(hours=49)).timestamp())
            assert await reminded() == []
            clock.advance(3600)
            assert await reminded(hours=48) == leaders(unpaid)
            # The process was away for a day: one reminder, not two.
            clock.set((config.registration_end - timedelta(hours=1)).timestamp())
            assert await reminded(hours=2) == leaders(unpaid)
            clock.set(config.registration_end.timestamp() + 1)
            assert await reminded() == []
            clock.set((config.event_start - timedelta(hours=24)).timestamp())
            assert await reminded(hours=24) == ids(paid)
            # Another process has the same reminders.
            async with festival_on(tablewright_backend, clock) as other:
                assert await other.mailing.remind_due() == 0
            clock.set(config.event_start.timestamp())
            assert await reminded() == []

    run(go())


def test_a_mail_over_http_is_a_job_that_is_asked_for_once(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            await registered(api.festival, EVENT, "asha")
            path, body = f"/events/{EVENT}/admin/mail", {"subject": "News", "text": "None."}
            asha, organizer = api.as_(person("asha")), api.as_(ORGANIZER)
            assert await asha.refused("POST", path, body) == (403, "FORBIDDEN")
            assert await api.refused("POST", path, body) == (401, "UNAUTHENTICATED")
            unknown = path.replace(EVENT, "unknown")
            assert await organizer.refused("POST", unknown, body) == (404, "NOT_FOUND")
            for wrong in ({"text": " "}, {"subject": "a\nb\x00"}, {"to": {"status": ["rich"]}}):
                assert (await organizer("POST", path, {**body, **wrong})).status_code == 422
            first = await organizer("POST", path, body, Idempotency_Key="one")
            again = await organizer("POST", path, body, Idempotency_Key="one")
            assert first.status_code == again.status_code == 202
            assert first.json() == again.json()
            assert first.json()["state"] == "queued"
            await api.festival.jobs.work_all()
            assert len(await told(api.festival)) == 1

    run(go())
