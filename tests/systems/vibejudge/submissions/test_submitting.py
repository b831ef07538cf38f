"""Handing in: what is unique, what is counted, what is told of each row."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.support import (
    NOW,
    audited,
    courtroom_on,
    hackathon,
    moved,
    organizer,
    refused,
    run,
    submission,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.service.repo_urls import BadRepoUrl
from tablewright.systems.vibejudge import reads, writes
from tablewright.systems.vibejudge.bodies.submissions import PublicSubmissionIn, SubmissionIn
from tablewright.systems.vibejudge.entities import Submission, repo_key
from tablewright.systems.vibejudge.rules.result_tokens import matches, parse
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.submissions import RowResult
from tablewright.systems.vibejudge.service.submissions.submitting import Hand, Submitting
from tablewright.testing import Backend, injected

DAY = timedelta(days=1)


def row(team: str, repo: str | None = None, external_id: str | None = None) -> SubmissionIn:
    name = team.lower().replace(" ", "-")
    url = repo or f"https://github.com/{name}/app"
    return SubmissionIn(team_name=team, repo_url=url, external_id=external_id)


def rows(number: int, first: int = 0) -> list[SubmissionIn]:
    return [row(f"Team {each}") for each in range(first, first + number)]


def told(results: list[RowResult]) -> list[tuple[int, str]]:
    return [(each.status, each.problem.code if each.problem else "") for each in results]


async def all_of(courtroom: Courtroom, hack_id: str) -> list[Submission]:
    return [each async for each in courtroom.db.iterate(reads.submissions(hack_id))]


def test_scenario_05_one_repository_however_it_is_written(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Same repository with .git, slash, capitals, in one batch: one row."""
    ways = [
        "https://github.com/night-owls/lantern",
        "https://github.com/night-owls/lantern.git",
        "https://github.com/night-owls/lantern/",
        "https://GitHub.com/Night-Owls/LANTERN",
        " https://www.github.com/night-owls/lantern.git ",
    ]

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            sent = [row(f"Team {n}", way) for n, way in enumerate(ways)]
            sent.insert(2, row("Others"))
            results = await courtroom.submissions.submit(caller, made.hack_id, sent)
            expected = [(409, "DUPLICATE_REPO")] * 6
            expected[0] = expected[2] = (201, "")
            assert told(results) == expected
            assert {each.sub_id for each in results} == {results[0].sub_id, results[2].sub_id}
            stored = await all_of(courtroom, made.hack_id)
            assert [each.team_name for each in stored] == ["Team 0", "Others"]
            assert stored[0].repo_url == ways[0]
            detail = await courtroom.hackathons.owned(caller, made.hack_id)
            assert detail.submission_count == 2
            again = await courtroom.submissions.submit(caller, made.hack_id, sent[:1])
            assert told(again) == [(409, "DUPLICATE_REPO")]

    run(go())


def test_rows_are_answered_one_by_one(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            await courtroom.submissions.submit(caller, made.hack_id, [row("Owls")])
            sent = [
                *rows(24),
                row("  OWLS ", "https://github.com/other/owls"),
                row("Bad", "file:///etc/passwd"),
                row("Worse", "/etc"),
                row("Worst", "http://127.0.0.1/a/b"),
            ]
            results = await courtroom.submissions.submit(caller, made.hack_id, sent)
            assert told(results) == [
                *[(201, "")] * 24,
                (409, "DUPLICATE_TEAM"),
                *[(422, "BAD_REPO_URL")] * 3,
            ]
            assert [each.index for each in results] == list(range(28))
            stored = {each.sub_id: each for each in await all_of(courtroom, made.hack_id)}
            assert len(stored) == 25
            # Each team has a token of its own, and only its digest is kept.
            for each in results[:24]:
                assert each.result_token is not None
                assert each.sub_id is not None
                token = parse(each.result_token)
                assert token is not None
                assert matches(token, stored[each.sub_id].result_token_hash)
                assert token.secret not in str(stored)
            detail = await courtroom.hackathons.owned(caller, made.hack_id)
            listed = await courtroom.db.require(reads.hackathon_of_id(made.hack_id))
            assert detail.submission_count == listed.submission_count == 25
            added = [each for each in await audited(courtroom) if each[0] == "submission.add"]
            # The first one; twenty together; then one by one, for one was refused.
            assert len(added) == 1 + 1 + 4

    run(go())


def test_scenario_11_six_hundred_submissions_are_all_paged(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """600 submissions: all paged (their storage; ranks are looked at elsewhere)."""

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom, tier="enterprise")
            made = await hackathon(courtroom, caller)
            for first in (0, 300):
                results = await courtroom.submissions.submit(caller, made.hack_id, rows(300, first))
                assert {each.status for each in results} == {201}
            seen: list[str] = []
            cursor, pages = None, 0
            while pages == 0 or cursor is not None:
                page = await courtroom.submissions.list(
                    caller, made.hack_id, "pending", limit=50, cursor=cursor
                )
                seen += [each.team_name for each in page]
                cursor, pages = page.cursor, pages + 1
            assert seen == [f"Team {each}" for each in range(600)]
            assert pages in (12, 13)
            none = await courtroom.submissions.list(caller, made.hack_id, "completed", limit=50)
            assert not list(none)
            detail = await courtroom.hackathons.owned(caller, made.hack_id)
            assert detail.submission_count == 600

    run(go())


def test_a_hackathon_has_room_for_so_many(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom, tier="free")
            made = await hackathon(courtroom, caller)
            results = await courtroom.submissions.submit(caller, made.hack_id, rows(53))
            assert told(results) == [(201, "")] * 50 + [(409, "HACKATHON_FULL")] * 3

    run(go())


@pytest.mark.parametrize("status", ["draft", "completed", "archived"])
def test_only_while_it_is_open(
    tablewright_backend: Backend, clock: ManualClock, status: Any
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller, status)
            problem = await refused(courtroom.submissions.submit(caller, made.hack_id, rows(1)))
            assert (problem.status, problem.code) == (409, "HACKATHON_CLOSED")

    run(go())


def test_it_closes_while_rows_come_in(tablewright_backend: Backend, clock: ManualClock) -> None:
    """What was read at the beginning does not decide: the transaction does."""

    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            hand = await courtroom.submissions._hand(caller, made.hack_id, rows(2))
            await moved(courtroom, made, "completed")
            found: dict[int, RowResult] = {}
            await courtroom.submissions._submitting.store(hand, rows(2), found)
            assert told(list(found.values())) == [(409, "HACKATHON_CLOSED")] * 2
            assert not await all_of(courtroom, made.hack_id)

    run(go())


def test_the_public_hands_in_until_the_end(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller, visibility="public")
            private = await hackathon(courtroom, caller)
            public = courtroom.submissions.submit_public
            owls = PublicSubmissionIn(
                team_name="Night  Owls", repo_url="https://github.com/owls/app.git"
            )
            assert (await refused(public(private.hack_id, owls))).status == 404
            handed = await public(made.hack_id, owls)
            assert handed.status == 201
            assert handed.result_token
            # Who was there before is not told.
            again = await refused(public(made.hack_id, owls))
            assert (again.code, again.extra) == ("DUPLICATE_REPO", {})
            other = PublicSubmissionIn(team_name="night owls", repo_url="https://github.com/o/b")
            assert (await refused(public(made.hack_id, other))).code == "DUPLICATE_TEAM"
            clock.advance(DAY.total_seconds())
            late = PublicSubmissionIn(team_name="Late", repo_url="https://github.com/late/app")
            assert (await refused(public(made.hack_id, late))).code == "HACKATHON_ENDED"
            # The organiser may be late, for a team that could not be on time.
            given = SubmissionIn(team_name="Late", repo_url="https://github.com/late/app")
            results = await courtroom.submissions.submit(caller, made.hack_id, [given])
            assert told(results) == [(201, "")]

    run(go())


# --- other systems' ids --------------------------------------------------------------------------


def test_what_another_system_sends_twice_is_one(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)

            async def send(*sent: SubmissionIn) -> list[RowResult]:
                return await courtroom.submissions.submit(caller, made.hack_id, sent)

            entry = row("Owls", external_id="entry-1")
            first, again = await send(entry, entry)
            assert (first.status, again.status, again.sub_id) == (201, 200, first.sub_id)
            assert again.result_token is None
            (once_more,) = await send(row("Owls", f"{entry.repo_url}.git", "entry-1"))
            assert (once_more.status, once_more.sub_id) == (200, first.sub_id)

            # Another repository while it is pending: the old one is free.
            await send(row("Bats"))
            taken = row("Owls", "https://github.com/bats/app", "entry-1")
            assert told(await send(taken)) == [(409, "DUPLICATE_REPO")]
            (moved_,) = await send(row("Owls", "https://github.com/owls/other", "entry-1"))
            assert (moved_.status, moved_.sub_id) == (200, first.sub_id)
            stored = await courtroom.submissions.read(caller, made.hack_id, str(first.sub_id))
            assert (stored.repo_url, stored.repo_name) == (
                "https://github.com/owls/other",
                "other",
            )
            assert told(await send(row("Larks", entry.repo_url))) == [(201, "")]

            # It was put away since the hackathon was looked at: the transaction decides.
            await moved(courtroom, made, "archived")
            late: dict[int, RowResult] = {}
            hand = Hand(made, 50, caller.principal)
            await Submitting(courtroom).store(
                hand, [row("Owls", "https://github.com/owls/late", "entry-1")], late
            )
            assert told(list(late.values())) == [(409, "HACKATHON_CLOSED")]
            await moved(courtroom, made, "configured")

            # Frozen, or no longer pending: it stays.
            await courtroom.db.run(writes.freeze_submission(stored, "a" * 40, NOW))
            third = row("Owls", "https://github.com/owls/third", "entry-1")
            assert told(await send(third)) == [(409, "REPO_FIXED")]
            assert (
                await courtroom.db.run(reads.repo_lock(made.hack_id, "github.com/owls/third"))
                is None
            )
            detail = await courtroom.hackathons.owned(caller, made.hack_id)
            assert detail.submission_count == 3

            # A repeat that comes late is a repeat still, and nothing else is.
            await moved(courtroom, made, "completed")
            same = row("Owls", stored.repo_url, "entry-1")
            results = await send(same, third, row("Late", external_id="entry-2"))
            assert told(results) == [(200, ""), *[(409, "HACKATHON_CLOSED")] * 2]

    run(go())


def test_a_file_that_is_sent_again_changes_nothing(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            sent = [row(f"Team {n}", external_id=f"devpost:{n}") for n in range(25)]
            before = await courtroom.submissions.submit(caller, made.hack_id, sent[:22])
            after = await courtroom.submissions.submit(caller, made.hack_id, sent)
            assert [each.status for each in after] == [200] * 22 + [201] * 3
            assert [each.sub_id for each in after[:22]] == [each.sub_id for each in before]

    run(go())


# --- at once, and when the store is busy ---------------------------------------------------------


def test_twenty_at_once_want_the_same_repository(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            url = "https://github.com/owls/app"
            found = await asyncio.gather(
                *(
                    courtroom.submissions.submit(caller, made.hack_id, [row(f"Team {n}", url)])
                    for n in range(20)
                )
            )
            statuses = sorted(each[0].status for each in found)
            assert statuses == [201] + [409] * 19
            assert len(await all_of(courtroom, made.hack_id)) == 1
            detail = await courtroom.hackathons.owned(caller, made.hack_id)
            assert detail.submission_count == 1

    run(go())


def test_rows_that_a_busy_store_refused_are_told_apart(
    tablewright_engine: Engine, engine_backend: Backend, clock: ManualClock
) -> None:
    """What was stored before is told with its tokens; sending the rest again finishes it."""

    async def go() -> None:
        async with courtroom_on(engine_backend, clock, quick=True) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            calm = rows(20)
            await courtroom.submissions.submit(caller, made.hack_id, calm[:1])
            fault = Fault("TransactWriteItems", error="ThrottlingException")
            with injected(tablewright_engine, fault):
                results = await courtroom.submissions.submit(caller, made.hack_id, calm[1:])
            assert told(results) == [(503, "STORE_UNAVAILABLE")] * 19
            results = await courtroom.submissions.submit(caller, made.hack_id, calm[1:])
            assert told(results) == [(201, "")] * 19

    run(go())


def test_who_else_writes_the_same_is_waited_for(
    tablewright_engine: Engine, tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            busy = Fault(
                "TransactWriteItems",
                error="TransactionCanceledException",
                reason="TransactionConflict",
                members=(0,),
                times=3,
            )
            with injected(tablewright_engine, busy):
                results = await courtroom.submissions.submit(caller, made.hack_id, rows(3))
            assert told(results) == [(201, "")] * 3
            assert len(await all_of(courtroom, made.hack_id)) == 3

    run(go())


def test_many_rows_wait_where_units_are_few(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        for on_demand in (False, True):
            options = {"on_demand": on_demand}
            async with courtroom_on(tablewright_backend, clock, **options) as courtroom:
                here = courtroom.runtime
                for is_local in (False, True):
                    settings = here.settings.model_copy(update={"local": is_local})
                    courtroom.runtime = replace(here, settings=settings)
                    assert not courtroom.submissions.takes_long(20)
                    few = not is_local and not on_demand
                    assert courtroom.submissions.takes_long(21) is few

    run(go())


def test_an_import_goes_on_beside_requests(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock, opened=True) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            submissions = courtroom.submissions
            begun = await submissions.submit_beside(caller, made.hack_id, rows(45))
            assert (begun.state, begun.total, begun.results) == ("running", 45, [])
            while begun.state == "running":
                await asyncio.sleep(0.01)
            found = await submissions.import_(caller, made.hack_id, begun.import_id)
            assert (found.state, told(found.results)) == ("done", [(201, "")] * 45)
            # It is this hackathon's, and its organiser's; and it is forgotten after an hour.
            mine = await hackathon(courtroom, caller)
            other = await organizer(courtroom, "otto")
            for who, where in ((caller, mine), (other, made)):
                work = submissions.import_(who, where.hack_id, begun.import_id)
                assert (await refused(work)).status == 404
            clock.advance(3601)
            work = submissions.import_(caller, made.hack_id, begun.import_id)
            assert (await refused(work)).status == 404

    run(go())


# --- taking out ----------------------------------------------------------------------------------


def test_disqualified_and_reinstated(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            scored = {"status": "completed", "overall_score": 70, "rank_score": 70}
            one = await submission(courtroom, made, "Owls", **scored)

            async def ranked() -> list[str]:
                page = await courtroom.db.run(reads.leaderboard(made.hack_id))
                return [each.team_name for each in page]

            mine = (caller, made.hack_id, one.sub_id)
            marked = await courtroom.submissions.disqualify(*mine, "Begun a month before")
            assert marked.disqualified_reason == "Begun a month before"
            assert await ranked() == []
            cleared = await courtroom.submissions.reinstate(*mine)
            assert (cleared.disqualified_reason, cleared.rank_score) == (None, 70)
            assert await ranked() == ["Owls"]
            assert (await refused(courtroom.submissions.reinstate(*mine))).code == (
                "NOT_DISQUALIFIED"
            )
            # The same while it is analysed once more, which may come to nothing.
            await courtroom.db.run(put(cleared.model_copy(update={"status": "cloning"})).replace())
            await courtroom.submissions.disqualify(*mine, "Once more")
            assert (await courtroom.submissions.reinstate(*mine)).rank_score == 70
            await courtroom.submissions.withdraw(*mine)
            assert await ranked() == []
            for work in (
                courtroom.submissions.withdraw(*mine),
                courtroom.submissions.disqualify(*mine, "Twice"),
                courtroom.submissions.reinstate(*mine),
            ):
                assert (await refused(work)).code == "WITHDRAWN"
            actions = [each[0] for each in await audited(courtroom)]
            assert sorted(each for each in actions if each.startswith("submission")) == [
                *["submission.disqualify"] * 2,
                *["submission.reinstate"] * 2,
                "submission.withdraw",
            ]

    run(go())


def test_a_new_token_voids_the_one_before(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            (first,) = await courtroom.submissions.submit(caller, made.hack_id, rows(1))
            sub_id = str(first.sub_id)
            text = await courtroom.submissions.new_token(caller, made.hack_id, sub_id)
            stored = await courtroom.submissions.read(caller, made.hack_id, sub_id)
            old, new = parse(str(first.result_token)), parse(text)
            assert old is not None
            assert new is not None
            assert (new.hack_id, new.sub_id) == (made.hack_id, sub_id)
            assert matches(new, stored.result_token_hash)
            assert not matches(old, stored.result_token_hash)

    run(go())


def test_what_was_put_away_stays_as_it_is(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller = await organizer(courtroom)
            made = await hackathon(courtroom, caller)
            mine = (caller, made.hack_id, (await submission(courtroom, made)).sub_id)
            await courtroom.hackathons.archive(caller, made.hack_id)
            for work in (
                courtroom.submissions.disqualify(*mine, "Too late"),
                courtroom.submissions.reinstate(*mine),
                courtroom.submissions.withdraw(*mine),
            ):
                assert (await refused(work)).code == "ARCHIVED"

    run(go())


def test_what_belongs_to_others_is_not_there(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            caller, other = await organizer(courtroom), await organizer(courtroom, "otto")
            made, theirs = await hackathon(courtroom, caller), await hackathon(courtroom, other)
            one = await submission(courtroom, made)
            use = courtroom.submissions

            async def is_absent(who: Caller, hack_id: str, sub_id: str) -> None:
                here = (who, hack_id, sub_id)
                for work in (
                    use.read(*here),
                    use.disqualify(*here, "Because"),
                    use.reinstate(*here),
                    use.withdraw(*here),
                    use.new_token(*here),
                ):
                    problem = await refused(work)
                    assert (problem.status, problem.code) == (404, "NOT_FOUND")

            await is_absent(other, made.hack_id, one.sub_id)
            await is_absent(other, theirs.hack_id, one.sub_id)
            await is_absent(caller, made.hack_id, "nonsense")
            assert await use.find(caller, one.sub_id) == made.hack_id
            foreign = await refused(use.find(other, one.sub_id))
            absent = await refused(use.find(other, "01KAGM5W00000000000000000A"))
            bad = await refused(use.find(other, "../../x"))
            assert {(each.status, each.detail) for each in (foreign, absent, bad)} == {
                (404, "There is no such submission.")
            }

    run(go())


# --- addresses -----------------------------------------------------------------------------------


def test_addresses_of_this_machine_where_they_are_allowed(
    tablewright_backend: Backend, clock: ManualClock, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / "team" / "App").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")

    async def go() -> None:
        options = {"allow_local_paths": True, "local_root": root, "allow_local_servers": True}
        async with courtroom_on(tablewright_backend, clock, **options) as courtroom:
            address = courtroom.submissions.address
            found = address(f"{root}/team/../team/App/")
            assert (found.url, found.owner, found.name) == (f"{root}/team/App", "team", "App")
            # Capitals count here, and only here.
            assert address(f"{root}/team/app").key != found.key
            server = address("http://127.0.0.1:8123/team/App.git/")
            assert (server.owner, server.name) == ("team", "App")
            assert server.key == "127.0.0.1:8123/team/app"
            for each in (found, server, address("https://www.GitHub.com/A/b.git")):
                assert repo_key(each.url) == each.key
            for bad in (
                str(root),
                f"{root}/link",
                f"{root}/../outside",
                "/etc/passwd",
                "relative/path",
                "file:///etc/passwd",
                "http://127.0.0.1:99999/a",
                "http://127.0.0.1:80/a?b",
                "http://127.0.0.1/../a",
                "http://user@127.0.0.1/a",
                "http://10.0.0.1/a/b",
                "http://example.org/a/b",
            ):
                with pytest.raises(BadRepoUrl):
                    address(bad)

    run(go())
