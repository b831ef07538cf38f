"""Messages: written with what they tell of, once; mails find the organiser, webhooks nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.systems.vibejudge.jobs.support import Hold, case_on, repositories
from tests.systems.vibejudge.support import (
    courtroom_on,
    hackathon,
    moved,
    organizer,
    refused,
    run,
    submission,
)

from tablewright.clock import ManualClock
from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.kit.patterns import messages_in
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.vibejudge.bodies.results import AppealIn
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.service import freezing
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.messages import (
    APPEAL_OPENED,
    FREEZE_INCOMPLETE,
    JOB_FINISHED,
    RESULTS_RELEASED,
)
from tablewright.testing import Backend


async def waiting(courtroom: Courtroom) -> list[OutboxEntry]:
    """Messages that have not been sent, in the order in which they were written."""
    found: list[OutboxEntry] = []
    for slot in range(OUTBOX_SLOTS):
        found += await courtroom.db.run(messages_in(f"PENDING#{slot:02d}"))
    return sorted(found, key=lambda each: (each.at, each.message_id))


async def send(courtroom: Courtroom, data: Path) -> list[dict[str, Any]]:
    """What the outbox does where there is no mail server; what went out."""
    runtime = replace(courtroom.runtime, settings=Settings(data=data))
    await run_once(outbox_worker(runtime, (), courtroom.messages.address_of))
    assert await waiting(courtroom) == []
    lines = (data / "outbox" / "messages.jsonl").read_bytes().splitlines()
    return [orjson.loads(line) for line in lines]


def mails(data: Path) -> Iterable[Any]:
    for file in sorted((data / "outbox").glob("*.eml")):
        yield message_from_bytes(file.read_bytes(), policy=policy.default)


def test_the_end_of_a_job_is_told_with_it(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path, hold: Hold
) -> None:
    repos = repositories(tmp_path, 2)

    async def go() -> None:
        async with case_on(tablewright_backend, clock, repos) as case:
            job = await case.start()
            hold.errors.append(RepoError("REPO_NOT_FOUND", "it is gone"))
            while await case.courtroom.analyst.work_once():
                pass
            # Whoever comes later finds it ended, and tells nothing.
            await case.courtroom.jobs.finish_if_done(job)
            (told,) = await waiting(case.courtroom)
            assert (told.kind, told.subject) == (JOB_FINISHED, f"hackathon/{case.hack_id}")
            assert told.body["job_id"] == job.job_id
            assert told.body["status"] == (await case.job(job.job_id)).status == "completed"
            counts = {"total": 2, "completed": 1, "failed": 1, "blocked": 0, "cancelled": 0}
            assert told.body["submissions"] == counts

    run(go())


def test_a_job_that_is_cancelled(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    repos = repositories(tmp_path, 1)

    async def go() -> None:
        async with case_on(tablewright_backend, clock, repos) as case:
            job = await case.start()
            await case.courtroom.jobs.cancel(case.caller, case.hack_id, job.job_id)
            await case.courtroom.jobs.settle()
            (told,) = await waiting(case.courtroom)
            assert (told.body["status"], told.body["job_id"]) == ("cancelled", job.job_id)

    run(go())


def test_release_and_appeal_reach_their_organiser_and_nobody_else(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            sub = await submission(courtroom, made, team="Ada Lovelace")
            text = await courtroom.submissions.new_token(caller, made.hack_id, sub.sub_id)
            await moved(courtroom, made, "completed")
            await courtroom.releases.release(caller, made.hack_id)
            await courtroom.releases.release(caller, made.hack_id)

            body = AppealIn(text="Our tests were not seen.")
            clock.advance(1)
            await courtroom.results.appeal(text, body)
            assert (await refused(courtroom.results.appeal(text, body))).code == "ALREADY_APPEALED"
            released, appealed = await waiting(courtroom)
            assert (released.kind, appealed.kind) == (RESULTS_RELEASED, APPEAL_OPENED)
            assert appealed.body["sub_id"] == sub.sub_id

            sent = await send(courtroom, tmp_path)
            assert [each["kind"] for each in sent] == [RESULTS_RELEASED, APPEAL_OPENED]
            one, other = mails(tmp_path)
            assert {one["To"], other["To"]} == {"olga@people.test"}
            assert other["Subject"] == "Winter Code Jam: A team has appealed"
            assert str(sent[1]["body"]["url"]) in other.get_content()
            # What webhooks get: no address, no team, nothing that it has said.
            for secret in ("people.test", "Olga", sub.team_name, "not seen", text):
                assert secret not in orjson.dumps(sent).decode()

    run(go())


def test_who_is_gone_gets_no_mail(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            await moved(courtroom, made, "completed")
            await courtroom.releases.release(caller, made.hack_id)
            await courtroom.organizers.erase(caller)
            assert len(await send(courtroom, tmp_path)) == 1
            assert list(mails(tmp_path)) == []
            assert await courtroom.messages.address_of("organizer/nobody") is None

    run(go())


def test_what_was_not_frozen_is_told_once_at_the_end(
    tablewright_backend: Backend, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(url: str, access: object) -> Any:
        raise RepoError("REPO_UNREACHABLE", "it does not answer")

    monkeypatch.setattr(freezing, "head_of", unreachable)

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            sub = await submission(courtroom, made)
            assert made.end_date is not None
            clock.set(made.end_date.timestamp())
            await courtroom.freezing.ring()
            assert await waiting(courtroom) == []  # it is tried again
            clock.advance(freezing.GIVEN_UP.total_seconds())
            await courtroom.freezing.ring()
            await courtroom.freezing.ring()
            (told,) = await waiting(courtroom)
            assert told.kind == FREEZE_INCOMPLETE
            named = [{"sub_id": sub.sub_id, "code": "REPO_UNREACHABLE"}]
            assert (told.body["count"], told.body["submissions"]) == (1, named)
            # Who asks for it sees it in the answer.
            report = await courtroom.freezing.now(caller, made.hack_id)
            assert report.unfrozen
            assert len(await waiting(courtroom)) == 1

    run(go())
