"""Leaderboards with right ranks, figures, and code that resembles other code."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge.api_support import OTTO, api_on, code_of
from tests.systems.vibejudge.standings.support import GIVEN, scored
from tests.systems.vibejudge.support import (
    caller_of,
    courtroom_on,
    hackathon,
    moved,
    organizer,
    refused,
    run,
    submission,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.systems.vibejudge import task_writes, writes
from tablewright.systems.vibejudge.analysis import Fingerprint
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.rules.figures import distribution, spread
from tablewright.systems.vibejudge.rules.minhash import minhash
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing import Backend

PENDING = 50


def one(hackathon: HackathonDetail, number: int, score: Decimal | None, **said: Any) -> Submission:
    ranked = {} if score is None else {"status": "completed", "overall_score": score}
    return Submission(
        hack_id=hackathon.hack_id,
        team_name=said.pop("team", f"Team {number}"),
        repo_url=f"https://github.com/team-{number}/project",
        repo_owner=f"team-{number}",
        repo_name="project",
        rank_score=score,
        confidence=Decimal("0.5"),
        recommendation="solid_submission" if score is not None else None,
        created_at=hackathon.created_at,
        updated_at=hackathon.created_at,
        **ranked,
        **said,
    )


async def handed_in(courtroom: Courtroom, rows: list[Submission], org_id: str) -> None:
    for at in range(0, len(rows), 20):
        some = rows[at : at + 20]
        await courtroom.db.run(writes.submit(some, org_id, 5000, courtroom.now(), by_owner=True))


def ranks_of(scores: list[Decimal]) -> list[int]:
    """By counting: one more than there are better ones."""
    counts = Counter(scores)
    ahead, found = 0, {}
    for score in sorted(counts, reverse=True):
        found[score] = ahead + 1
        ahead += counts[score]
    return [found[each] for each in scores]


def test_scenario_11_all_paged_and_ties_right(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """600 submissions: all paged, ties right, pending absent."""

    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            org_id = (await api.get("/organizers/me"))["org_id"]
            made = await hackathon(api.courtroom, caller_of(org_id))
            # Sixty of each score: ties go over the ends of pages, whatever their length.
            scores = [Decimal(number % 10) * 10 + Decimal("5.25") for number in range(600)]
            rows = [
                one(made, number, None if number < PENDING else score)
                for number, score in enumerate(scores)
            ]
            await handed_in(api.courtroom, rows, org_id)
            for limit in (29, 50):
                found = await _all(api, f"/hackathons/{made.hack_id}/leaderboard", limit)
                points = [Decimal(str(each["score"])) for each in found]
                assert len(found) == len({each["sub_id"] for each in found}) == 600 - PENDING
                assert points == sorted(points, reverse=True)
                assert [each["rank"] for each in found] == ranks_of(points)
                assert {each["sub_id"] for each in found} == {
                    each.sub_id for each in rows[PENDING:]
                }
            listed = await _all(api, f"/hackathons/{made.hack_id}/submissions", 100)
            assert len({each["sub_id"] for each in listed}) == 600

    run(main())


async def _all(api: Any, path: str, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = await api.get(f"{path}?limit={limit}{cursor}")
        assert len(page["items"]) <= limit
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def test_a_leaderboard_of_50_is_one_request_and_three_units(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        heard: list[RequestEvent] = []
        async with courtroom_on(tablewright_backend, clock, heard=heard) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            rows = [
                one(made, n, Decimal(n), team=f"{n:02} {'w' * 47}", final_score=Decimal("99.25"))
                for n in range(60)
            ]
            await handed_in(courtroom, rows, made.org_id)
            heard.clear()
            page = await courtroom.standings.leaderboard(made, 50)
            assert [each.rank for each in page] == list(range(1, 51))
            (event,) = heard
            assert (event.operation, event.index) == ("Query", "GSI2")
            assert 0 < event.read_units <= 3
            heard.clear()
            rest = await courtroom.standings.leaderboard(made, 50, page.cursor)
            assert [each.rank for each in rest] == list(range(51, 61))
            assert len(heard) == 1

    run(main())


def test_who_sees_a_leaderboard(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            org_id = (await api.get("/organizers/me"))["org_id"]
            olga = caller_of(org_id)
            made = await hackathon(api.courtroom, olga, visibility="public")
            await handed_in(api.courtroom, [one(made, 1, Decimal("80.5"))], org_id)
            path = f"/hackathons/{made.hack_id}/leaderboard"
            own = await api.get(path)
            assert own["items"][0]["confidence"] == 0.5
            others = (api.as_(OTTO), api.as_("nobody"))
            for each in others:
                assert code_of(await each("GET", path)) == (404, "NOT_FOUND")
            made = await moved(api.courtroom, made, "completed")
            await api.courtroom.releases.release(olga, made.hack_id)
            for each in others:
                (row,) = (await each.get(path))["items"]
                assert (row["rank"], row["score"], row["team_name"]) == (1, 80.5, "Team 1")
                assert (row["confidence"], row["recommendation"]) == (None, None)
            for sub in ("stats", "similarity"):
                answer = await api.as_(OTTO)("GET", f"/hackathons/{made.hack_id}/{sub}")
                assert code_of(answer) == (404, "NOT_FOUND")
            await moved(api.courtroom, made, "completed", visibility="private")
            assert code_of(await api.as_("nobody")("GET", path)) == (404, "NOT_FOUND")
            assert code_of(await api("GET", "/hackathons/none/leaderboard")) == (404, "NOT_FOUND")

    run(main())


def test_a_cursor_is_of_one_leaderboard(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            org_id = (await api.get("/organizers/me"))["org_id"]
            first = await hackathon(api.courtroom, caller_of(org_id))
            other = await hackathon(api.courtroom, caller_of(org_id))
            rows = [one(first, number, Decimal(50)) for number in range(3)]
            await handed_in(api.courtroom, rows, org_id)
            paths = [f"/hackathons/{each.hack_id}/leaderboard" for each in (first, other)]
            cursor = (await api.get(f"{paths[0]}?limit=1"))["next_cursor"]
            listing = f"/hackathons/{first.hack_id}/submissions?limit=1"
            foreign = (await api.get(listing))["next_cursor"]
            for path, given in ((paths[1], cursor), (paths[0], foreign), (paths[0], "x" * 20)):
                answer = await api("GET", f"{path}?cursor={given}")
                assert code_of(answer) == (400, "BAD_CURSOR")

    run(main())


# --- figures -------------------------------------------------------------------------------------


def test_figures_of_a_hackathon(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            await submission(courtroom, made)
            full = await scored(courtroom, made, flags=("commits_outside_dates:2",))
            part = {agent: text for agent, text in GIVEN.items() if agent != "innovation"}
            await scored(courtroom, made, part)
            reason = {"disqualified_reason": "Begun before the start", "rank_score": None}
            await scored(courtroom, made, **reason)
            found = await courtroom.standings.stats(olga, made.hack_id)
            assert found.by_status == {"pending": 1, "completed": 3}
            assert (found.submissions, found.disqualified, found.ranked) == (4, 1, 2)
            assert found.partial == 1
            assert found.scores is not None
            assert (found.scores.highest, found.scores.lowest) == (
                full.summary.overall_score,
                Decimal("74.49"),
            )
            assert found.scores.mean == Decimal("75.66")  # of 76.82 and 74.49, half up
            assert [each.count for each in found.distribution] == [0] * 7 + [2, 0, 0]
            assert found.dimensions["innovation"].count == 1
            assert found.dimensions["code_quality"].mean == Decimal("6.78")
            assert found.agents["bug_hunter"].median == Decimal("67.75")
            assert found.flags == {"commits_outside_dates": 1}
            assert found.recommendations == {"solid_submission": 2}
            empty = await hackathon(courtroom, olga)
            nothing = await courtroom.standings.stats(olga, empty.hack_id)
            assert (nothing.scores, nothing.ranked, nothing.dimensions) == (None, 0, {})

    run(main())


def test_the_ends_of_a_distribution() -> None:
    bars = distribution([Decimal(0), Decimal("9.99"), Decimal(10), Decimal("99.99"), Decimal(100)])
    assert [each.count for each in bars] == [2, 1, 0, 0, 0, 0, 0, 0, 0, 2]
    found = spread([Decimal(1), Decimal(4), Decimal(2), Decimal("2.01")])
    assert found is not None
    assert (found.median, found.mean) == (Decimal("2.01"), Decimal("2.25"))


# --- resemblances --------------------------------------------------------------------------------


def test_code_that_resembles_other_code(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            teams = [await submission(courtroom, made) for _ in range(4)]
            spans = [range(1000), range(100, 1100), range(5000, 6000), range(1000)]
            for team, span in zip(teams, spans, strict=True):
                mark = minhash(each * 0x9E3779B97F4A7C15 % 2**64 for each in span)
                await courtroom.db.run(
                    task_writes.store_fingerprint(
                        Fingerprint(
                            hack_id=made.hack_id,
                            sub_id=team.sub_id,
                            minhash=mark,
                            created_at=courtroom.now(),
                        )
                    )
                )
            found = await courtroom.standings.similarity(olga, made.hack_id)
            pairs = {frozenset((each.first.sub_id, each.second.sub_id)) for each in found.pairs}
            ids = [each.sub_id for each in teams]
            alike = {frozenset((ids[a], ids[b])) for a, b in ((0, 1), (0, 3), (1, 3))}
            assert (found.compared, found.found, pairs) == (4, 3, alike)
            assert found.pairs[0].similarity == 1
            await courtroom.submissions.withdraw(olga, made.hack_id, ids[3])
            left = await courtroom.standings.similarity(olga, made.hack_id)
            assert [{each.first.sub_id, each.second.sub_id} for each in left.pairs] == [
                {ids[0], ids[1]}
            ]
            stranger = await organizer(courtroom, "otto")
            problem = await refused(courtroom.standings.similarity(stranger, made.hack_id))
            assert problem.status == 404

    run(main())
