"""Erasing: all that somebody had goes, through crashes too, and costs stay without a name."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from typing import Any, get_args, get_type_hints

from tests.systems.vibejudge.api_support import OLGA, OTTO, api_on, code_of
from tests.systems.vibejudge.support import (
    ADMIN,
    NOW,
    ORGANIZER,
    courtroom_on,
    hackathon,
    moved,
    organizer,
    refused,
    run,
    submission,
    wanted_body,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import Entity, new_ulid, put
from tablewright.model.errors import TablewrightError
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import demo_judging as people
from tablewright.systems.vibejudge import erasing_reads, job_reads, reads
from tablewright.systems.vibejudge import judging_patterns as judging
from tablewright.systems.vibejudge.analysis import LEASE
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import Appeal, HumanScore, Override
from tablewright.systems.vibejudge.model import model
from tablewright.systems.vibejudge.service.blobs.blobs import answers_key
from tablewright.systems.vibejudge.service.callers import Caller, judge_owner, organizer_owner
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing import Backend, injected

#: What names nobody, and bills rest on.
KEPT = {"COST_RECORD", "HACKATHON_COST"}


def kinds_in(engine: Engine) -> Counter[str]:
    items = engine.call("Scan", {"TableName": "VibeJudgeTable"})["Items"]
    return Counter(each["entity_type"]["S"] for each in items)


async def judged(courtroom: Courtroom, found: HackathonDetail) -> Submission:
    """A submission of it that was analysed, judged, overridden and appealed; and what it cost."""
    sub = await submission(courtroom, found, status="completed", run_id=new_ulid())
    run_id = sub.run_id or ""
    job = runs.job_of(found, new_ulid(), NOW, status="completed")
    named = {"hack_id": found.hack_id, "judge_id": new_ulid()}
    judge = people.judge_of(70, "Ada").model_copy(update=named)
    number = 1 + len(await courtroom.db.run(judging.rounds(found.hack_id)))
    common = {"sub_id": sub.sub_id, "hack_id": found.hack_id, "created_at": NOW}
    score = HumanScore(**common, round_number=1, judge_id=judge.judge_id, scores={})
    override = Override(**common, score=Decimal(80), reason="Seen it work", updated_at=NOW)
    appeal = Appeal(**common, text="One agent looked at a fork", updated_at=NOW)
    items: list[Entity] = [
        *(runs.run_of(sub, run_id, NOW), runs.summary_of(sub, run_id, NOW)),
        *(runs.score_of(sub, run_id, "innovation", NOW), runs.fingerprint_of(sub, NOW)),
        *(runs.paid_call(sub, run_id, "innovation", NOW), job, runs.task_of(job, sub)),
        *(judge, score, override, appeal),
        people.round_of(number, state="open").model_copy(update={"hack_id": found.hack_id}),
    ]
    for each in items:
        await courtroom.db.run(put(each))
    answers = answers_key(found.hack_id, sub.sub_id, run_id, "innovation")
    await courtroom.blobs.put(answers, b"{}")
    keys = courtroom.runtime.auth.api_keys
    owner = judge_owner(found.hack_id, judge.judge_id)
    await courtroom.db.run(keys.prepared(ADMIN, name="Ada", roles=["judge"], owner=owner).op)
    return sub


async def filled(courtroom: Courtroom) -> Caller:
    """Somebody with two hackathons in which much has happened."""
    made = await courtroom.organizers.register(
        OrganizerIn(email="olga@people.test", name="Olga"), ORGANIZER
    )
    caller = await courtroom.organizers.caller(ORGANIZER)
    assert caller.org_id == made.organizer.org_id
    for name in ("One", "Two"):
        found = await hackathon(courtroom, caller, name=name)
        await judged(courtroom, found)
        await judged(courtroom, found)
    return caller


def test_an_organiser_goes_with_everything_but_the_costs(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(engine_backend, clock) as courtroom:
            other = await organizer(courtroom, OTTO)
            kept = await hackathon(courtroom, other)
            before = kinds_in(tablewright_engine)
            keys_before = len(await courtroom.runtime.auth.api_keys.list(limit=100))
            olga = await filled(courtroom)
            costs = kinds_in(tablewright_engine)
            await courtroom.organizers.erase(olga)
            # At once: nobody is that organiser, and the address is free.
            assert (await courtroom.organizers.caller(ORGANIZER)).org_id is None
            assert await courtroom.erasing.work() == 1
            after = kinds_in(tablewright_engine)
            assert after - before == Counter({"COST_RECORD": 4, "HACKATHON_COST": 2}), (
                "costs stay, and nothing else"
            )
            assert {kind: costs[kind] for kind in KEPT} == {kind: after[kind] for kind in KEPT}
            assert before - after == Counter()
            items = tablewright_engine.call("Scan", {"TableName": "VibeJudgeTable"})["Items"]
            assert "olga" not in str(items).lower()
            left = await courtroom.runtime.auth.api_keys.list(limit=100)
            assert len(left) == keys_before
            assert await courtroom.hackathons.owned(other, kept.hack_id)
            assert await courtroom.erasing.work() == 0

    run(main())


def test_a_crash_at_any_step_is_made_good(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(engine_backend, clock, quick=True) as courtroom:
            olga = await filled(courtroom)
            org_id = olga.registered()
            await courtroom.organizers.erase(olga)
            crashes = 0
            for lost in (False, True) * 100:
                fault = Fault(
                    {"BatchWriteItem", "TransactWriteItems", "DeleteItem"},
                    error="AccessDeniedException",
                    rate=0.4,
                    after=lost,
                )
                try:
                    with injected(tablewright_engine, fault):
                        await courtroom.erasing.work()
                except TablewrightError:
                    crashes += 1
                if not await left(courtroom):
                    break
            assert crashes >= 3
            assert not await left(courtroom)
            assert set(kinds_in(tablewright_engine)) == KEPT
            assert not await courtroom.runtime.auth.api_keys.owned(organizer_owner(org_id))

    run(main())


async def left(courtroom: Courtroom) -> list[Any]:
    return [each async for each in courtroom.db.iterate(erasing_reads.erasures())]


def test_work_under_way_ends_before_submissions_go(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(engine_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            found = await hackathon(courtroom, olga)
            sub = await submission(courtroom, found)
            job = runs.job_of(found, new_ulid(), NOW)
            until = NOW + LEASE
            task = runs.task_of(job, sub, state="leased", lease_owner="w", lease_until=until)
            for each in (job, task):
                await courtroom.db.run(put(each))
            await courtroom.organizers.erase(olga)
            assert await courtroom.erasing.work() == 0
            # Who works on it finds that out at the next beat.
            assert not await courtroom.db.run(job_reads.tasks_of_job(job.job_id))
            assert await courtroom.db.run(reads.submission(found.hack_id, sub.sub_id))
            assert await courtroom.db.run(reads.hackathon(found.hack_id)) is None
            clock.advance(LEASE.total_seconds() - 1)
            assert await courtroom.erasing.work() == 0
            clock.advance(1)
            assert await courtroom.erasing.work() == 1
            assert set(kinds_in(tablewright_engine)) == {"HACKATHON_COST"}

    run(main())


def test_a_hackathon_goes_unless_it_is_analysed(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga, otto = await organizer(courtroom, OLGA), await organizer(courtroom, OTTO)
            found = await hackathon(courtroom, olga)
            sub = await judged(courtroom, found)
            answers = answers_key(found.hack_id, sub.sub_id, sub.run_id or "", "innovation")
            assert await courtroom.blobs.get(answers) == b"{}"
            begin = courtroom.erasing.begin_hackathon
            await moved(courtroom, found, "analyzing", active_job_id=new_ulid())
            assert (await refused(begin(olga, found.hack_id))).code == "ANALYZING"
            await moved(courtroom, found, "completed", active_job_id=None)
            assert (await refused(begin(otto, found.hack_id))).code == "NOT_FOUND"
            await begin(olga, found.hack_id)
            assert (await refused(begin(olga, found.hack_id))).code == "NOT_FOUND"
            assert not await courtroom.hackathons.of(olga)
            assert await courtroom.erasing.work() == 1
            left_over = await courtroom.db.require(erasing_reads.hackathon_partition(found.hack_id))
            assert left_over.cost is not None
            assert not left_over.submissions
            assert await courtroom.blobs.get(answers) is None
            assert await courtroom.organizers.me(olga)

    run(main())


def test_erasing_over_http(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            me = await api.get("/organizers/me")
            body = wanted_body(visibility="public")
            made = await api.done("POST", "/hackathons", body)
            await api.done("POST", f"/hackathons/{made['hack_id']}/activate")
            assert (await api("DELETE", "/organizers/me")).status_code == 204
            assert code_of(await api("GET", "/organizers/me")) == (401, "UNAUTHENTICATED")
            nobody = api.as_("nobody")
            assert (await nobody.get("/public/hackathons"))["items"] == []
            body = {"email": me["email"].upper(), "name": "Olga again"}
            again = await nobody("POST", "/organizers", body)
            assert again.status_code == 201
            clock.advance(timedelta(seconds=31).total_seconds())
            assert await api.courtroom.erasing.work() == 1
            assert code_of(await api("GET", "/organizers/me")) == (401, "UNAUTHENTICATED")
            assert ("key", "organizer.erase", f"organizer/{me['org_id']}") in await api.audited()

    run(main())


def test_every_kind_of_item_is_looked_for_where_it_lies() -> None:
    partitions = {
        "HACK#{hack_id}": erasing_reads.HackathonPartition,
        "SUB#{sub_id}": erasing_reads.SubmissionPartition,
        "JOB#{job_id}": erasing_reads.JobPartition,
    }
    for text, partition in partitions.items():
        lying = {known.cls for known in model.entities.values() if known.primary.key.pk == text}
        collected = {
            each
            for hint in get_type_hints(partition).values()
            for each in get_args(hint)
            if isinstance(each, type) and issubclass(each, Entity)
        }
        assert collected == lying, text
