"""``teams`` as programs use them."""

from __future__ import annotations

from tests.systems.ladders.support import OPERATOR, api_on, crew_made, run, user_made

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend


def test_a_team_lives(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            max_ = await user_made(api.company, "max", "manager")
            lina = await user_made(api.company, "lina")
            mine, admin = api.as_(max_), api.as_(OPERATOR)
            team = await mine.done("POST", "/teams", {"team_name": " Plat  form "})
            path = f"/teams/{team['team_id']}"
            assert (team["team_name"], team["manager"]["name"]) == ("Plat form", "Max")
            joined = await mine.done("POST", f"{path}/members", {"emails": ["lina@people.test"]})
            assert [each["user_id"] for each in joined["members"]] == [lina.user_id]
            assert joined["members"][0]["email"] == "lina@people.test"
            seen = await api.as_(lina).get(path)
            assert seen["members"][0]["email"] is None
            assert [
                each["team_id"] for each in (await api.as_(lina).get("/teams/mine"))["items"]
            ] == [team["team_id"]]
            tag = (await mine("GET", path)).headers["ETag"]
            named = await mine.done("PATCH", path, {"description": "Tools"}, If_Match=tag)
            assert (named["team_name"], named["description"]) == ("Plat form", "Tools")
            left = await mine.done("DELETE", f"{path}/members/{lina.user_id}")
            assert left["members"] == []
            assert await api.as_(lina).refused("GET", path) == (404, "NOT_FOUND")
            bare = await admin.done("PUT", f"{path}/manager", {"manager_id": None})
            assert bare["manager"] is None
            assert await mine.refused("GET", path) == (404, "NOT_FOUND")
            assert (await admin("DELETE", path)).status_code == 204
            (listed,) = (await admin.get("/teams"))["items"]
            assert (listed["team_id"], listed["is_active"]) == (team["team_id"], False)

    run(story())


def test_what_is_wrong_with_a_body_is_said(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew = await crew_made(api.company)
            by, path = api.as_(crew.manager), f"/teams/{crew.team_id}"
            tag = f'"{crew.team.revision}"'
            for method, where, wrong in (
                ("POST", "/teams", {"team_name": "x"}),
                ("POST", "/teams", {"team_name": "Good", "member_ids": []}),
                ("POST", "/teams", {"team_name": "Good", "manager_id": "EMAIL#a@b.test"}),
                ("POST", "/teams", {"team_name": "Good", "description": "x" * 1001}),
                ("PATCH", path, {"team_name": None}),
                ("PATCH", path, {"manager_id": crew.manager.user_id}),
                ("POST", f"{path}/members", {}),
                ("POST", f"{path}/members", {"user_ids": ["1"]}),
            ):
                assert await by.refused(method, where, wrong, If_Match=tag) == (422, "INVALID")
            assert await by.refused("PUT", f"{path}/manager", {}) == (422, "INVALID")

    run(story())


def test_a_team_is_its_peoples(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew, other = await crew_made(api.company), await crew_made(api.company)
            path = f"/teams/{crew.team_id}"
            lina = api.as_(crew.members[0])
            assert await lina.refused("DELETE", path) == (403, "FORBIDDEN")
            assert await lina.refused("PUT", f"{path}/manager", {"manager_id": None}) == (
                403,
                "FORBIDDEN",
            )
            assert await lina.refused("GET", "/teams") == (403, "FORBIDDEN")
            for by in (other.manager, other.members[0]):
                for there in (path, "/teams/nothing", "/teams/ACTIVE"):
                    assert await api.as_(by).refused("GET", there) == (404, "NOT_FOUND")

    run(story())
