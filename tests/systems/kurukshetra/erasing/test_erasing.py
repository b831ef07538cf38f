"""Erasing: people go, through crashes and restores too; teams, seats and books stay right."""

from __future__ import annotations

import gzip
import json
import time
from datetime import timedelta
from pathlib import Path

import pytest
from tests.systems.kurukshetra.checkout.support import check_seats
from tests.systems.kurukshetra.erasing.support import (
    TABLE,
    dump,
    holding,
    issued,
    kinds,
    paying,
    person_of,
    team_of,
)
from tests.systems.kurukshetra.support import (
    ADMIN,
    EVENT,
    FINANCE,
    NOW,
    ORGANIZER,
    Made,
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
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.model.errors import TablewrightError
from tablewright.service.auth.principal import system_principal
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.plain import Plain
from tablewright.systems.kurukshetra.service.erasing.journal import FILE
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.testing import Backend, injected

CLI = system_principal("kurukshetra", "erase")


async def revenue(festival: Festival) -> tuple[int, int]:
    sums = (await festival.statistics.of(EVENT)).sums
    return sums.paid, sums.revenue


def test_scenario_14_a_paid_leader_is_erased(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Erase paid leader: email reusable, revenue same."""

    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=3)
            payment = await paying(festival, made)
            before = await revenue(festival)
            leader, heir = made.members[0], made.members[1]
            await festival.erasing.erase(leader, leader.participant())
            gone = await person_of(festival, leader.participant_id)
            assert gone.erased_at == NOW
            assert (gone.email, gone.email_hash, gone.firebase_uid, gone.team_id) == (None,) * 4
            page = await team_of(festival, made)
            # Both joined at the same second: the earliest is then the first by id.
            heir = min(made.members[1:], key=lambda each: each.participant())
            assert page.team.leader_participant_id == heir.participant_id
            assert (page.team.member_count, len(page.members)) == (2, 2)
            assert page.team.payment_status == "paid"
            assert await revenue(festival) == before == (1, payment.amount)
            kept = await festival.db.require(m.payment(EVENT, payment.payment_id))
            assert kept.payer_ref not in (leader.uid_hash, leader.participant_id, payment.payer_ref)
            assert (kept.amount, kept.status) == (payment.amount, "paid")
            # The same user and address, as somebody new.
            again = await registered(festival, EVENT, leader.principal.name.lower())
            assert again.participant_id not in (None, leader.participant_id)
            assert await festival.erasing.retention.sweep() == 1
            assert [each async for each in festival.db.iterate(m.erasures())] == []
            await check_seats(festival)

    run(main())


def test_who_may_erase_whom(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            ravi = await registered(festival, EVENT, "ravi")
            finance = await caller(festival, FINANCE)
            organizer = await caller(festival, ORGANIZER)
            erase = festival.erasing.erase
            assert (await refused(erase(ravi, asha.participant()))).status == 404
            assert (await refused(erase(finance, asha.participant()))).status == 403
            for nobody in ("4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10", "no id # at all"):
                assert (await refused(erase(organizer, nobody))).code == "NOT_FOUND"
            await erase(organizer, asha.participant())
            await erase(organizer, asha.participant())
            subject = f"event/{EVENT}/participant/{asha.participant_id}"
            log = await audited(festival)
            assert log.count(("participant.erase", subject)) == 1
            # At once: who was erased is nobody any more.
            assert (await festival.access.caller(asha.principal, EVENT)).participant_id is None

    run(main())


def test_a_user_goes_with_drafts_and_roles_at_all_events(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            for event_id in (EVENT, "spring-2027"):
                await event_made(festival, event_id)
                await registered(festival, event_id, "asha")
            who = person("asha")
            admin = await caller(festival, ADMIN)
            await festival.events.roles.grant(admin, "asha@people.test", {"volunteer"})
            await festival.people.save_draft(await caller(festival, who), {"first_name": "Asha"})
            assert await festival.erasing.erase_me(await festival.access.user(who)) == 2
            assert await festival.erasing.erase_me(await festival.access.user(who)) == 0
            me = await festival.people.me(await festival.access.user(who))
            assert me.events == ()
            # Nothing leads to the user but what is still to be looked through.
            await festival.erasing.retention.sweep()
            told = dump(tablewright_engine)
            for hashed in (
                festival.privacy.blind.uid(who.id),
                festival.privacy.blind.email("asha@people.test"),
            ):
                assert f"UID#{hashed}" not in told
                assert f"EMAIL#{hashed}" not in told
            assert who.id not in told, "the log keeps who it was at the event alone"

    run(main())


@pytest.mark.parametrize("status", ["unpaid", "waitlisted"])
def test_a_team_that_nobody_is_left_in_disbands(
    tablewright_backend: Backend, clock: ManualClock, status: str
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            config = await event_made(festival, max_teams=1)
            made = await team_made(festival, size=1)
            if status == "waitlisted":
                await holding(festival, await team_made(festival))
                await festival.db.run(m.enter_queue(made.team, 0, config.max_waitlist, NOW))
            await festival.erasing.erase(made.leader, made.leader.participant())
            page = await team_of(festival, made)
            assert (page.team.payment_status, page.members) == ("cancelled", ())
            assert await festival.db.run(m.team_name(EVENT, made.team.name.casefold())) is None
            await check_seats(festival)

    run(main())


def test_a_seat_that_is_held_ends_by_itself_first(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival, size=1)
            await holding(festival, made)
            await festival.erasing.erase(made.leader, made.leader.participant())
            # The person is gone; nobody joins a team that nobody leads.
            assert (await person_of(festival, made.leader.participant_id)).email is None
            page = await team_of(festival, made)
            assert (page.team.payment_status, page.team.invite_hash) == ("pending", None)
            assert await festival.erasing.work() == 0
            clock.advance(timedelta(minutes=26).total_seconds())
            await festival.seats.expire_due(EVENT, 10)
            assert await festival.erasing.work() == 1
            assert (await team_of(festival, made)).team.payment_status == "cancelled"
            await check_seats(festival)

    run(main())


def test_a_crash_at_any_step_is_made_good(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock, quick=True) as festival:
            await event_made(festival)
            made = await team_made(festival, size=2)
            payment = await paying(festival, made)
            before = await revenue(festival)
            await issued(festival, made)
            crashes, work = 0, festival.erasing.erase(made.leader, made.leader.participant())
            for lost in (False, True) * 100:
                fault = Fault(
                    {"TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"},
                    error="AccessDeniedException",
                    rate=0.5,
                    after=lost,
                )
                try:
                    with injected(tablewright_engine, fault):
                        await work
                except TablewrightError:
                    crashes += 1
                left = [each async for each in festival.db.iterate(m.erasures())]
                if any(each.gone for each in left):
                    break
                work = (
                    festival.erasing.work()  # type: ignore[assignment]
                    if left
                    else festival.erasing.erase(made.leader, made.leader.participant())
                )
            assert crashes >= 2
            assert await revenue(festival) == before
            assert kinds(tablewright_engine, made.leader.participant()) == [
                "erasure",
                "participant",
            ]
            assert made.leader.uid_hash not in str(await kept(festival, payment))
            page = await team_of(festival, made)
            assert page.team.leader_participant_id == made.members[1].participant_id
            assert page.team.member_count == len(page.members) == 1

    run(main())


async def kept(festival: Festival, payment: m.Payment) -> m.Payment:
    return await festival.db.require(m.payment(EVENT, payment.payment_id))


@pytest.mark.parametrize("lost", ["table", "both"])
def test_after_a_restore_everybody_is_erased_again(
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    tmp_path: Path,
    lost: str,
) -> None:
    """The file knows it even if the kit's table was restored too."""

    async def main() -> None:
        async with festival_on(engine_backend, clock, data=tmp_path) as festival:
            await event_made(festival)
            made = await team_made(festival, size=2)
            await paying(festival, made)
            tables = [TABLE] if lost == "table" else [TABLE, "kurukshetra-kit"]
            arns = {name: backed_up(tablewright_engine, name) for name in tables}
            await festival.erasing.erase(made.leader, made.leader.participant())
            stays = await registered(festival, EVENT, "diya")
            for name, arn in arns.items():
                restore(tablewright_engine, name, arn)
            assert (await person_of(festival, made.leader.participant_id)).email is not None
            # A line that a dying process left half-written is no obstacle.
            with (tmp_path / FILE).open("ab") as file:
                file.write(b'{"at": "2026-')
            done = await festival.erasing.replay(CLI)
            assert (done.known, done.erased) == (1, 1)
            assert (await person_of(festival, made.leader.participant_id)).email is None
            assert (await festival.erasing.replay(CLI)).erased == 0
            # Who came after the backup is lost, and nobody's line leads to them.
            assert await festival.db.run(m.participant(EVENT, stays.participant())) is None
            assert "diya" not in (tmp_path / FILE).read_text()
            await check_seats(festival)

    run(main())


def backed_up(engine: Engine, table: str) -> str:
    made = engine.call("CreateBackup", {"TableName": table, "BackupName": "before"})
    return str(made["BackupDetails"]["BackupArn"])


def restore(engine: Engine, table: str, arn: str) -> None:
    engine.call("DeleteTable", {"TableName": table})
    engine.call("RestoreTableFromBackup", {"TargetTableName": table, "BackupArn": arn})
    while engine.call("DescribeTable", {"TableName": table})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.01)


def test_an_event_that_is_long_over_forgets_its_people_and_keeps_its_books(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock, data=tmp_path) as festival:
            config = await event_made(festival, retention_days=30)
            await event_made(festival, "spring-2027", retention_days=400)
            made = await team_made(festival, size=3)
            payment = await paying(festival, made)
            await registered(festival, EVENT, "asha")
            other = await registered(festival, "spring-2027", "ravi")
            assert await festival.erasing.retention.run() == 0
            after = config.event_end + timedelta(days=30)
            clock.set(after.timestamp())
            assert await festival.erasing.retention.run() == 4
            assert await festival.erasing.retention.run() == 0
            kept = await festival.db.require(m.participant("spring-2027", other.participant()))
            assert kept.email is not None
            assert (await team_of(festival, made)).team.payment_status == "paid"
            archive = tmp_path / "archive" / f"{EVENT}.jsonl.gz"
            rows = [json.loads(each) for each in gzip.decompress(archive.read_bytes()).splitlines()]
            assert {each["entity"] for each in rows} >= {"Config", "Team", "Payment", "Statistics"}
            paid = [each for each in rows if each["entity"] == "Payment"]
            assert [(each["payment_id"], each["amount"]) for each in paid] == [
                (payment.payment_id, payment.amount)
            ]
            assert "invite_code" not in archive.read_text("latin1")
            # No line for each: what time decides is decided again by itself.
            assert not (tmp_path / FILE).exists()
            assert ("event.retention", f"event/{EVENT}") in await audited(festival)

    run(main())


def test_invitations_of_who_was_erased_go_and_later_ones_stay(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            made = await team_made(festival)
            asha = await registered(festival, EVENT, "asha")
            await invited(festival, made)
            await festival.erasing.erase(asha, asha.participant())
            assert len((await team_of(festival, made)).invited) == 1
            assert await festival.erasing.retention.sweep() == 1
            assert (await team_of(festival, made)).invited == ()
            clock.advance(1)
            await invited(festival, made)
            assert await festival.erasing.retention.sweep() == 0
            assert len((await team_of(festival, made)).invited) == 1

    run(main())


def test_who_paid_and_left_the_team_is_forgotten_in_the_books_too(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with festival_on(tablewright_backend, clock) as festival:
            await event_made(festival)
            await event_made(festival, "spring-2027")
            made = await team_made(festival, size=3)
            payment = await paying(festival, made)
            team = (await team_of(festival, made)).team
            leader, heir = made.members[:2]
            await festival.db.run(m.hand_over(team, heir.participant(), NOW))
            left = m.leave_team(EVENT, made.team_id, leader.participant(), 1, NOW)
            await festival.db.run(left)
            await festival.erasing.erase(leader, leader.participant())
            assert await festival.erasing.retention.sweep() == 1
            found = await kept(festival, payment)
            assert payment.payer_ref == leader.uid_hash != found.payer_ref
            assert found.status == "paid"

    run(main())


async def invited(festival: Festival, made: Made) -> None:
    """Asha is asked to join."""
    now = festival.now()
    item = m.Invited(
        event_id=EVENT,
        team_id=made.team_id,
        email_hash=festival.privacy.blind.email("asha@people.test"),
        email=Plain("asha@people.test"),
        ttl=now + timedelta(days=14),
        created_at=now,
        updated_at=now,
    )
    await festival.db.run(m.invite_person(festival.privacy.vault.sealed(item)))


def test_more_answers_than_one_transaction_takes_go_too(
    engine_backend: Backend, clock: ManualClock
) -> None:
    """Questions come and go, and answers stay: somebody may have many."""

    async def main() -> None:
        async with festival_on(engine_backend, clock) as festival:
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            for number in range(130):
                answer = m.Answer(
                    event_id=EVENT,
                    participant_id=asha.participant(),
                    question_id=f"question-{number}",
                    value="yes",
                    created_at=NOW,
                    updated_at=NOW,
                )
                await festival.db.run(put(answer))
            await festival.erasing.erase(asha, asha.participant())
            assert [each async for each in festival.db.iterate(m.every_answer())] == []
            assert (await person_of(festival, asha.participant_id)).erased_at is not None

    run(main())


def test_erasing_deletes_the_copies_of_mails_in_files(
    engine_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    async def main() -> None:
        async with festival_on(engine_backend, clock, data=tmp_path) as festival:
            await event_made(festival)
            asha = await registered(festival, EVENT, "asha")
            folder = tmp_path / "outbox"
            folder.mkdir(exist_ok=True)
            for name, to in (("1", asha.email), ("2", "ravi@people.test")):
                (folder / f"{name}.eml").write_text(f"To: {to}\nSubject: Hello\n\nHello Asha\n")
            await festival.erasing.erase(asha, asha.participant())
            assert [each.name for each in folder.glob("*.eml")] == ["2.eml"]

    run(main())
