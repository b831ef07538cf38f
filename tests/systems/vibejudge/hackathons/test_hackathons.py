"""Hackathons: made, changed, opened, released, put away."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.vibejudge.api_support import OTTO, Api, api_on, code_of
from tests.systems.vibejudge.support import (
    NOW,
    audited,
    courtroom_on,
    hackathon,
    moment,
    moved,
    organizer,
    refused,
    run,
    submission,
    wanted,
    wanted_body,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine, Fault
from tablewright.model import new_ulid
from tablewright.service.preconditions import Precondition
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge import erasing_reads, reads
from tablewright.systems.vibejudge.cost_writes import reserve
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.hackathons import revision
from tablewright.testing import Backend, injected


def seen(found: HackathonDetail) -> Precondition:
    return Precondition.seen(revision(found))


async def timer_of(courtroom: Courtroom, hack_id: str) -> Any:
    return (await courtroom.db.require(erasing_reads.hackathon_partition(hack_id))).timer


# --- making --------------------------------------------------------------------------------------


def test_a_hackathon_is_made_with_all_that_belongs_to_it(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await courtroom.hackathons.create(olga, wanted(budget_limit_usd="2.5"))
            assert (made.status, made.org_id, made.budget_limit_usd) == (
                "draft",
                olga.org_id,
                Decimal("2.5"),
            )
            (row,) = await courtroom.hackathons.of(olga)
            assert (row.hack_id, row.name, row.status) == (made.hack_id, made.name, "draft")
            cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.budget_remaining_usd == Decimal("2.5")
            assert (await timer_of(courtroom, made.hack_id)).due_at == made.end_date
            profile = await courtroom.organizers.me(olga)
            assert (profile.usage.hackathons, profile.organizer.hackathon_count) == (1, 1)
            assert (await audited(courtroom))[-1] == (
                "hackathon.create",
                f"hackathon/{made.hack_id}",
            )

    run(main())


def test_of_many_at_once_a_tier_allows_three_a_year(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom, tier="free")
            tries = [courtroom.hackathons.create(olga, wanted(f"Jam {n}")) for n in range(8)]
            found = await asyncio.gather(*tries, return_exceptions=True)
            made = [each for each in found if isinstance(each, HackathonDetail)]
            assert len(made) == 3
            codes = {getattr(each, "code", each) for each in found if each not in made}
            assert codes == {"TIER_LIMIT"}
            assert len(await courtroom.hackathons.of(olga)) == 3
            clock.advance(60 * 86_400)  # another year
            await courtroom.hackathons.create(olga, wanted("Next year"))

    run(main())


# --- changing ------------------------------------------------------------------------------------


def test_an_edit_changes_the_list_the_budget_and_the_timer(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            later = NOW + timedelta(days=3)
            body = wanted("Renamed", end_date=moment(later), budget_limit_usd=7)
            edited = await courtroom.hackathons.edit(olga, made.hack_id, body, seen(made))
            assert (edited.name, edited.end_date) == ("Renamed", later)
            assert [each.name for each in await courtroom.hackathons.of(olga)] == ["Renamed"]
            assert (await timer_of(courtroom, made.hack_id)).due_at == later
            cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.budget_remaining_usd == Decimal(7)

    run(main())


def test_a_budget_cannot_take_what_is_set_aside(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            own = {"hack_id": made.hack_id, "amount_usd": Decimal(4)}
            taken = runs.ORPHAN.model_copy(update=own)
            await courtroom.db.run(reserve(taken, NOW))
            edit = courtroom.hackathons.edit
            problem = await refused(
                edit(olga, made.hack_id, wanted(budget_limit_usd="3.99"), seen(made))
            )
            assert (problem.status, problem.code) == (409, "BUDGET_SPENT")
            await edit(olga, made.hack_id, wanted(budget_limit_usd=4), seen(made))
            cost = await courtroom.db.require(reads.hackathon_cost(made.hack_id))
            assert cost.budget_remaining_usd == 0

    run(main())


def test_submissions_do_not_make_an_edit_stale_and_edits_do(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            handed_in = [submission(courtroom, made) for _ in range(5)]
            edit = courtroom.hackathons.edit(olga, made.hack_id, wanted("New"), seen(made))
            edited, *_ = await asyncio.gather(edit, *handed_in)
            assert edited.name == "New"
            latest = await courtroom.hackathons.owned(olga, made.hack_id)
            (row,) = await courtroom.hackathons.of(olga)
            assert (latest.submission_count, row.submission_count) == (5, 5)
            again = courtroom.hackathons.edit(olga, made.hack_id, wanted("Other"), seen(made))
            assert (await refused(again)).code == "STALE_VERSION"

    run(main())


def test_what_is_in_the_way_is_tried_again_and_then_given_up(
    tablewright_backend: Backend, clock: ManualClock, tablewright_engine: Engine
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock, quick=True) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            busy = Fault(
                {"TransactWriteItems"},
                error="TransactionCanceledException",
                members=(0,),
                reason="TransactionConflict",
                times=5,
            )
            with injected(tablewright_engine, busy):
                edited = await courtroom.hackathons.edit(
                    olga, made.hack_id, wanted("Patience"), seen(made)
                )
            assert edited.name == "Patience"

    run(main())


@pytest.mark.parametrize(
    ("status", "released", "said", "code"),
    [
        ("analyzing", False, {"name": "New", "budget_limit_usd": 9}, None),
        ("analyzing", False, {"human_weight": 0.4}, "ANALYZING"),
        ("analyzing", False, {"ai_policy_mode": "traditional"}, "ANALYZING"),
        ("completed", False, {"ai_policy_mode": "traditional"}, None),
        ("completed", False, {"end_date": moment(NOW + timedelta(days=9))}, "WRONG_STATE"),
        ("completed", True, {"description": "Thank you all"}, None),
        ("completed", True, {"ai_policy_mode": "traditional"}, "RELEASED"),
        ("archived", False, {"name": "New"}, "ARCHIVED"),
    ],
)
def test_what_may_be_changed_depends_on_the_state(
    tablewright_backend: Backend,
    clock: ManualClock,
    status: Any,
    released: bool,
    said: dict[str, Any],
    code: str | None,
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await hackathon(courtroom, olga)
            there = await moved(courtroom, made, status, released_at=NOW if released else None)
            work = courtroom.hackathons.edit(olga, made.hack_id, wanted(**said), seen(there))
            if code is None:
                await work
            else:
                problem = await refused(work)
                assert (problem.status, problem.code) == (409, code)
                assert [each.field for each in problem.errors] == [f"body.{name}" for name in said]

    run(main())


# --- states --------------------------------------------------------------------------------------


def test_the_life_of_a_hackathon(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            hackathons = courtroom.hackathons
            vague = await hackathons.create(
                olga, wanted("Some day", start_date=None, end_date=None)
            )
            h = vague.hack_id
            assert (await refused(hackathons.activate(olga, h))).code == "NOT_READY"
            await hackathons.edit(olga, h, wanted(), seen(vague))
            assert (await hackathons.activate(olga, h)).status == "configured"
            assert (await refused(hackathons.activate(olga, h))).code == "WRONG_STATE"
            assert (await refused(courtroom.releases.release(olga, h))).code == "WRONG_STATE"
            await moved(courtroom, vague, "analyzing", active_job_id=new_ulid())
            assert (await refused(hackathons.archive(olga, h))).code == "ANALYZING"
            await moved(courtroom, vague, "completed", active_job_id=None)
            both = await asyncio.gather(
                courtroom.releases.release(olga, h), courtroom.releases.release(olga, h)
            )
            assert {each.released_at for each in both} == {NOW}
            clock.advance(60)
            assert (await courtroom.releases.release(olga, h)).released_at == NOW
            reopened = await hackathons.reopen(olga, h)
            assert (reopened.status, reopened.released_at) == ("configured", None)
            assert (await hackathons.archive(olga, h)).status == "archived"
            assert (await hackathons.archive(olga, h)).status == "archived"
            assert await timer_of(courtroom, h) is None
            (row,) = await hackathons.of(olga)
            assert row.status == "archived"
            acts = [action for action, _ in await audited(courtroom)]
            assert acts.count("hackathon.release") == acts.count("hackathon.archive") == 1

    run(main())


def test_a_draft_without_dates_can_be_put_away(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            olga = await organizer(courtroom)
            made = await courtroom.hackathons.create(olga, wanted(start_date=None, end_date=None))
            assert (await courtroom.hackathons.archive(olga, made.hack_id)).end_date is None

    run(main())


# --- over HTTP -----------------------------------------------------------------------------------


async def made_by(api: Api, **said: Any) -> dict[str, Any]:
    made: dict[str, Any] = await api.done("POST", "/hackathons", wanted_body(**said))
    return made


def test_hackathons_over_http(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            made = await made_by(api, ai_policy_mode="traditional", budget_limit_usd="0.000000001")
            assert made["effective_weights"]["authenticity"] == 0.3
            assert made["budget_limit_usd"] == 1e-9
            path = f"/hackathons/{made['hack_id']}"
            answer = await api("GET", path)
            tag = answer.headers["etag"]
            body = wanted_body("Other", visibility="public")
            assert code_of(await api("PUT", path, body)) == (428, "PRECONDITION_REQUIRED")
            changed = await api("PUT", path, body, If_Match=tag)
            assert (changed.status_code, changed.json()["name"]) == (200, "Other")
            assert code_of(await api("PUT", path, body, If_Match=tag)) == (412, "STALE_VERSION")
            nobody = api.as_("nobody")
            public = f"/public/hackathons/{made['hack_id']}"
            assert code_of(await nobody("GET", public)) == (404, "NOT_FOUND")
            assert (await nobody.get("/public/hackathons"))["items"] == []
            await api.done("POST", f"{path}/activate")
            shown = await nobody.get(public)
            assert (shown["name"], shown["open"], shown["released"]) == ("Other", True, False)
            assert not {"org_id", "budget_limit_usd", "active_job_id"} & set(shown)
            listed = (await nobody.get("/public/hackathons"))["items"]
            assert [each["hack_id"] for each in listed] == [made["hack_id"]]
            for gone in (path, f"{path}?erase=true"):
                stale = await api("DELETE", gone, If_Match=tag)
                assert code_of(stale) == (412, "STALE_VERSION")
            assert (await api.get(path))["status"] == "configured"
            assert (await api("DELETE", path)).status_code == 204
            seen = await api("GET", path)
            assert seen.json()["status"] == "archived"
            erased = await api("DELETE", f"{path}?erase=true", If_Match=seen.headers["etag"])
            assert erased.status_code == 204
            assert code_of(await api("GET", path)) == (404, "NOT_FOUND")

    run(main())


def test_a_request_that_is_repeated_makes_one_hackathon(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            once = {"Idempotency_Key": "spring"}
            made = [await api.done("POST", "/hackathons", wanted_body(), **once) for _ in range(2)]
            assert made[0] == made[1]
            # A key of another's is another key.
            theirs = await api.as_(OTTO).done("POST", "/hackathons", wanted_body(), **once)
            assert theirs["hack_id"] != made[0]["hack_id"]
            assert len((await api.get("/hackathons"))["items"]) == 1

    run(main())


def test_pages_of_ones_own_hackathons(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            names = []
            for number in range(5):
                clock.advance(1)
                names.append((await made_by(api, name=f"Jam {number}"))["name"])
            await made_by(api.as_(OTTO))
            found, cursor = [], ""
            while True:
                page = await api.get(f"/hackathons?limit=2{cursor}")
                found += [each["name"] for each in page["items"]]
                if page["next_cursor"] is None:
                    break
                cursor = f"&cursor={page['next_cursor']}"
            assert found == names[::-1]

    run(main())


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": ""}, "body.name"),
    ({"name": "a\x1b[31m"}, "body.name"),
    ({"name": "a\x9b31m"}, "body.name"),
    ({"description": "a\x00"}, "body.description"),
    ({"start_date": "2026-12-01T00:00:00"}, "body.start_date"),
    ({"start_date": 1_800_000_000}, "body.start_date"),
    ({"start_date": "0001-01-01T00:00:00+14:00"}, "body.start_date"),
    ({"end_date": "9999-12-31T23:59:59-14:00"}, "body.end_date"),
    ({"end_date": "2026-01-01T00:00:00Z"}, "body"),
    ({"budget_limit_usd": 10_001}, "body.budget_limit_usd"),
    ({"budget_limit_usd": "0.0000000001"}, "body.budget_limit_usd"),
    ({"human_weight": True}, "body.human_weight"),
    ({"agents_enabled": ["bug_hunter"]}, "body"),
    ({"agents_enabled": ["bug_hunter"] * 2}, "body.agents_enabled"),
    ({"ai_policy_mode": "custom"}, "body"),
    ({"rubric": {"name": "r", "dimensions": []}}, "body.rubric.dimensions"),
    (
        {
            "rubric": {
                "name": "r",
                "dimensions": [{"name": "a", "weight": 0.9, "agent": "innovation"}],
            }
        },
        "body.rubric",
    ),
    ({"surprise": 1}, "body.surprise"),
]


def test_what_is_wrong_with_a_hackathon_is_said(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            for said, field in WRONG:
                answer = await api("POST", "/hackathons", wanted_body(**said))
                assert code_of(answer) == (422, "INVALID"), said
                assert [each["field"] for each in answer.json()["errors"]] == [field], said
            halves = json.dumps(wanted_body(description="\ud800")).encode()
            sent = {"headers": {"Content-Type": "application/json"}, "content": halves}
            assert (await api.send("POST", "/hackathons", **sent)).status_code in (400, 422)

    run(main())


def test_what_belongs_to_another_is_not_there(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            path = f"/hackathons/{(await made_by(api))['hack_id']}"
            tag = (await api("GET", path)).headers["etag"]
            for ids, who in (
                (path, OTTO),
                ("/hackathons/x", "olga"),
                (f"/hackathons/{'é' * 9}", OTTO),
            ):
                theirs = api.as_(who)
                for method, rest in (
                    ("GET", ""),
                    ("PUT", ""),
                    ("DELETE", ""),
                    ("DELETE", "?erase=true"),
                    ("POST", "/activate"),
                    ("POST", "/reopen"),
                    ("POST", "/release"),
                ):
                    body = wanted_body() if method == "PUT" else None
                    answer = await theirs(method, f"{ids}{rest}", body, If_Match=tag)
                    assert code_of(answer) == (404, "NOT_FOUND"), (method, ids, rest)
            assert (await api("GET", path)).status_code == 200
            # An administrator reaches it, which is written down.
            await api.as_("admin").done("POST", f"{path}/activate")
            assert ("key", "hackathon.activate", path[1:].replace("hackathons", "hackathon")) in (
                await api.audited()
            )

    run(main())


def test_templates_are_rubrics_that_can_be_used(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(tablewright_backend, clock) as api:
            found = (await api.as_("nobody").get("/rubric-templates"))["items"]
            assert [each["id"] for each in found] == [each.id for each in TEMPLATES]
            for each in found:
                assert (await made_by(api, rubric=each["rubric"]))["rubric"] == each["rubric"]

    run(main())
