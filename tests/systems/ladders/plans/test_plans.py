"""Plans from draft to archive, and who takes part in them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import count

from tests.systems.ladders.plans.support import all_of, draft, drafted
from tests.systems.ladders.support import (
    OPERATOR,
    again,
    api_on,
    audited,
    code_in,
    company_on,
    config_made,
    crew_made,
    plan_made,
    run,
    user_made,
)

from tablewright.client import Db, RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.testing.backends import Backend


def test_a_plan_keeps_the_ladder_that_it_was_drafted_with(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await drafted(company, crew)
            await config_made(company, "2.0.0")
            view = await company.plans.activate(crew.manager, plan.plan_id)
            assert view.plan.config_version == "1.0.0"
            other = await drafted(company, crew, "2027-H1")
            assert other.config_version == "2.0.0"
            named = await drafted(company, crew, "2027-H2", config_version="1.0.0")
            assert named.config_id == ids.config_id("1.0.0")
            wanted = draft(company, "2028", config_version="7.0.0")
            work = company.plans.draft(crew.manager, crew.team_id, wanted)
            assert await code_in(work) == (422, "INVALID")

    run(story())


def test_a_review_over_http_from_draft_to_archive(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            company = api.company
            crew, stranger = await crew_made(company, 2), await user_made(company)
            await config_made(company)
            omar, member = api.as_(crew.manager), api.as_(crew.members[0])
            body = {
                "season": "H2-2026",
                "plan_name": "Autumn review",
                "start_date": "2026-11-01T00:00:00Z",
                "end_date": "2026-11-30T17:00:00+01:00",
            }
            plans = f"/teams/{crew.team_id}/plans"
            assert await member.refused("POST", plans, body) == (403, "FORBIDDEN")
            assert await api.as_(stranger).refused("POST", plans, body) == (404, "NOT_FOUND")
            made = await omar("POST", plans, body)
            plan = made.json()
            assert (made.status_code, plan["season"]) == (201, "2026-H2")
            assert plan["end_date"] == "2026-11-30T16:00:00Z"
            assert await omar.refused("POST", plans, body) == (409, "SEASON_TAKEN")
            early = {**body, "season": "2027", "end_date": "2026-10-01T00:00:00Z"}
            assert await omar.refused("POST", plans, early) == (422, "INVALID")
            odd = {**body, "season": "2027", "status": "active"}
            assert (await omar("POST", plans, odd)).status_code == 422

            one = f"/plans/{plan['plan_id']}"
            change = {"plan_name": "Autumn", "end_date": "2026-11-29T17:00:00Z"}
            assert (await omar("PUT", one, change)).status_code == 428
            edited = await omar("PUT", one, change, If_Match=made.headers["ETag"])
            assert edited.json()["plan_name"] == "Autumn"
            stale = await omar.refused("PUT", one, change, If_Match=made.headers["ETag"])
            assert stale == (412, "REVISION_CONFLICT")
            assert (await member.get("/plans/active"))["items"] == []

            active = await omar("POST", f"{one}/activate")
            assert active.json()["status"] == "active"
            assert len(active.json()["member_ids"]) == 2
            assert [each["plan_id"] for each in (await member.get("/plans/active"))["items"]] == [
                plan["plan_id"]
            ]
            tag = active.headers["ETag"]
            earlier = {**change, "end_date": "2026-11-20T17:00:00Z"}
            assert await omar.refused("PUT", one, earlier, If_Match=tag) == (409, "NOT_DRAFT")
            other = {**change, "flag_threshold": 3}
            assert await omar.refused("PUT", one, other, If_Match=tag) == (409, "NOT_DRAFT")
            later = {**change, "end_date": "2026-12-06T17:00:00Z", "flag_threshold": 2}
            assert (await omar.done("PUT", one, later, If_Match=tag))["end_date"][:10] == (
                "2026-12-06"
            )
            assert await omar.refused("DELETE", one) == (409, "NOT_DRAFT")
            assert await member.refused("GET", f"{one}/board") == (403, "FORBIDDEN")
            assert await omar.refused("POST", f"{one}/archive") == (409, "BAD_STATE")
            board = await omar.get(f"{one}/board?limit=1")
            assert (board["progress"]["members"], len(board["items"])) == (2, 1)
            rest = await omar.get(f"{one}/board?cursor={board['next_cursor']}")
            names = sorted(each["name"] for each in (*board["items"], *rest["items"]))
            assert names == sorted(each.user.name for each in crew.members)
            for wrong in ("x", crew.members[0].user_id, board["next_cursor"][:-2]):
                answer = await omar.refused("GET", f"{one}/board?cursor={wrong}")
                assert answer == (400, "BAD_CURSOR"), wrong

            open_now = await omar("POST", f"{one}/complete")
            assert (open_now.status_code, open_now.json()["open"]) == (409, 4)
            ended = await omar.done("POST", f"{one}/complete", {"force": True})
            assert ended["status"] == "completed"
            assert (await omar.done("POST", f"{one}/complete"))["revision"] == ended["revision"]
            because = {"reason": "Two people were ill."}
            assert await omar.refused("POST", f"{one}/reopen", because) == (403, "FORBIDDEN")
            ines = api.as_(OPERATOR)
            for reason in ("x", " \n\n\n\n\n", "    x    "):
                answer = await ines("POST", f"{one}/reopen", {"reason": reason})
                assert answer.status_code == 422
            assert (await ines.done("POST", f"{one}/reopen", because))["status"] == "active"
            await omar.done("POST", f"{one}/complete", {"force": True})
            assert (await omar.done("POST", f"{one}/archive"))["status"] == "archived"
            listed = await ines.get("/plans?status=archived")
            assert [each["plan_id"] for each in listed["items"]] == [plan["plan_id"]]
            assert await omar.refused("GET", "/plans") == (403, "FORBIDDEN")

    run(story())


def test_a_draft_is_really_deleted(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await drafted(company, crew)
            work = company.plans.delete(crew.manager, plan.plan_id, Precondition.seen(9))
            assert await code_in(work) == (412, "REVISION_CONFLICT")
            await company.plans.delete(crew.manager, plan.plan_id)
            assert await company.db.run(m.plan(plan.plan_id)) is None
            assert await code_in(company.plans.read(crew.manager, plan.plan_id)) == (
                404,
                "NOT_FOUND",
            )
            assert (await drafted(company, crew)).plan_id == plan.plan_id

    run(story())


def test_a_draft_that_is_changed_meanwhile_is_deleted_all_the_same(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            plan = await drafted(company, crew)
            other, seen = Db(engine_backend.transport()), count(1)

            def hook(event: RequestEvent) -> None:
                if event.pattern == "plan" and next(seen) == 1:
                    other.run(m.edit_draft(plan.model_copy(update={"plan_name": "Other"})))

            company.db.context = replace(company.db.context, hook=hook)
            await company.plans.delete(crew.manager, plan.plan_id)
            assert await company.db.run(m.plan(plan.plan_id)) is None

    run(story())


def test_who_comes_and_goes_while_it_is_under_way(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with company_on(tablewright_backend, clock) as company:
            crew, late = await crew_made(company, 1), await user_made(company)
            plan = await plan_made(company, crew.team)
            plans, by = company.plans, crew.manager
            work = plans.enrol(by, plan.plan_id, late.user_id)
            assert await code_in(work) == (409, "NOT_A_MEMBER")
            work = plans.withdraw(by, plan.plan_id, late.user_id)
            assert await code_in(work) == (404, "NOT_FOUND")
            await company.db.run(m.add_members(crew.team_id, [late.user_id], company.now()))
            for _ in range(2):
                view = await plans.enrol(by, plan.plan_id, late.user_id)
                assert late.user_id in view.plan.member_ids
            assert len(await all_of(company, plan)) == 4
            for _ in range(2):
                view = await plans.withdraw(by, plan.plan_id, late.user_id)
                assert late.user_id not in view.plan.member_ids
            gone = [each for each in await all_of(company, plan) if each.withdrawn_at is not None]
            assert {each.team_member_id for each in gone} == {late.user_id}
            board = await company.boards.board(by, plan.plan_id)
            assert [each.user_id for each in board.rows] == [crew.members[0].user_id]
            assert board.progress.not_started == 2
            # By mistake: what was written is there again.
            back = await plans.enrol(by, plan.plan_id, late.user_id)
            assert late.user_id in back.plan.member_ids
            assert all(each.withdrawn_at is None for each in await all_of(company, plan))
            assert len(await all_of(company, plan)) == 4
            await plans.complete(by, plan.plan_id, force=True)
            work = plans.enrol(by, plan.plan_id, late.user_id)
            assert await code_in(work) == (409, "BAD_STATE")
            actions = [each for each, _ in await audited(company) if each.startswith("plan.")]
            assert actions == ["plan.enrol", "plan.withdraw", "plan.enrol", "plan.complete"]
            assert (await again(company, late)).user.team_ids == {crew.team_id}

    run(story())


def test_plans_of_a_team_begin_with_the_latest(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with company_on(engine_backend, clock) as company:
            crew = await crew_made(company, 1)
            for season in ("2026-Q1", "2027", "2026-H1", "2026-Q4"):
                await drafted(company, crew, season)
            found = await company.plans.of_team(crew.members[0], crew.team_id)
            seasons = [each.season for each in found]
            assert seasons == ["2027", "2026-Q4", "2026-H1", "2026-Q1"]
            ends = company.now() + timedelta(days=14)
            assert {each.end_date for each in found} == {ends}

    run(story())


def test_season_of_an_impossible_year_returns_422(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew = await crew_made(api.company)
            await config_made(api.company)
            manager, path = api.as_(crew.manager), f"/teams/{crew.team_id}/plans"
            dates = {"start_date": "2026-11-01T00:00:00Z", "end_date": "2026-12-30T00:00:00Z"}
            for season in ("0000", "1999-H1", "2101", "9999-Q4"):
                body = {"season": season, "plan_name": "A review", **dates}
                answer = await manager("POST", path, body)
                assert answer.status_code == 422, season
                assert "2026-H2" in answer.json()["errors"][0]["message"]
            await manager.done("POST", path, {"season": "2100", "plan_name": "Far", **dates})

    run(story())
