"""``me``, ``users`` and ``audit`` as programs use them."""

from __future__ import annotations

from tests.systems.ladders.support import (
    OPERATOR,
    Api,
    api_on,
    crew_made,
    person,
    plan_made,
    run,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.demo_items import report
from tablewright.testing.backends import Backend


async def invited(api: Api, name: str = "lina") -> dict[str, object]:
    body = {"email": f"{name}@people.test", "name": name.capitalize()}
    made: dict[str, object] = await api.as_(OPERATOR).done("POST", "/users", body)
    return made


def test_somebody_is_invited_and_signs_in(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            user = await invited(api)
            me = await api.as_(person("lina")).get("/me")
            assert me["user_id"] == user["user_id"]
            assert (me["roles"], me["signed_in"], me["operator"]) == ([], True, False)
            path = f"/users/{user['user_id']}"
            answer = await api.as_(OPERATOR)("GET", path)
            assert (answer.headers["ETag"], answer.json()["signed_in"]) == ('"2"', True)
            change = {"roles": ["manager"]}
            assert await api.as_(OPERATOR).refused("PATCH", path, change) == (
                428,
                "PRECONDITION_REQUIRED",
            )
            found = await api.as_(OPERATOR).done("PATCH", path, change, If_Match='"2"')
            assert found["roles"] == ["manager"]
            stale = await api.as_(OPERATOR).refused("PATCH", path, change, If_Match='"2"')
            assert stale == (412, "REVISION_CONFLICT")

    run(story())


def test_what_is_wrong_with_a_body_is_said(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            admin, good = api.as_(OPERATOR), {"email": "a@b.test", "name": "A"}
            for wrong in (
                {**good, "email": "nobody"},
                {**good, "name": "  "},
                {**good, "name": "x" * 101},
                {**good, "name": "a\u202eb"},
                {**good, "roles": ["owner"]},
                {**good, "is_active": False},
                {**good, "user_id": "1"},
            ):
                answer = await admin("POST", "/users", wrong)
                assert (answer.status_code, answer.json()["code"]) == (422, "INVALID"), wrong
                assert "nobody" not in answer.text
            user = await invited(api)
            path = f"/users/{user['user_id']}"
            for patch in ({"name": None}, {"roles": None}, {"email": "x@y.test"}):
                refusal = await admin.refused("PATCH", path, patch, If_Match='"1"')
                assert refusal == (422, "INVALID")
            assert await admin.refused("POST", "/users", {**good, "email": "LINA@people.test"}) == (
                409,
                "EMAIL_TAKEN",
            )

    run(story())


def test_who_comes_in(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            assert await api.refused("GET", "/me") == (401, "UNAUTHENTICATED")
            assert await api.as_(person("eve")).refused("GET", "/me") == (403, "NOT_INVITED")
            unverified = person("eve", verified=False)
            assert await api.as_(unverified).refused("GET", "/me") == (403, "EMAIL_UNVERIFIED")
            me = await api.as_(OPERATOR).get("/me")
            assert (me["operator"], me["roles"], me["email"]) == (True, ["admin"], None)

    run(story())


def test_users_end_and_come_back(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            path, admin = f"/users/{(await invited(api))['user_id']}", api.as_(OPERATOR)
            assert (await admin.done("POST", f"{path}/deactivate"))["is_active"] is False
            assert await api.as_(person("lina")).refused("GET", "/me") == (403, "USER_INACTIVE")
            assert (await admin.done("POST", f"{path}/reactivate"))["is_active"] is True
            gone = await admin.done("POST", f"{path}/erase")
            assert (gone["email"], gone["is_active"]) == (None, False)
            assert await admin.refused("POST", f"{path}/reactivate") == (409, "USER_ERASED")
            page = await admin.get("/audit?limit=100")
            told = {each["action"] for each in page["items"]}
            assert {"user.invite", "user.deactivate", "user.reactivate", "user.erase"} <= told
            assert "lina" not in str(page)
            clock.advance(3600)
            one = await admin.get("/audit?action=user.erase&limit=1")
            assert [each["action"] for each in one["items"]] == ["user.erase"]

    run(story())


def test_the_log_is_for_admins(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            max_ = await user_made(api.company, "max", "manager")
            assert await api.as_(max_).refused("GET", "/audit") == (403, "FORBIDDEN")
            assert await api.as_(max_).refused("GET", "/users") == (403, "FORBIDDEN")
            assert await api.as_(max_).refused("GET", "/users?limit=0") == (422, "INVALID")
            bad = await api.as_(OPERATOR).refused("GET", "/users?cursor=forged")
            assert bad == (400, "BAD_CURSOR")

    run(story())


def test_a_repeated_invitation_is_one(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            body, admin = {"email": "lina@people.test", "name": "Lina"}, api.as_(OPERATOR)
            first = await admin.done("POST", "/users", body, Idempotency_Key="once")
            again = await admin.done("POST", "/users", body, Idempotency_Key="once")
            assert first == again

    run(story())


def test_one_takes_ones_own_data_along(engine_backend: Backend, clock: ManualClock) -> None:
    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            crew = await crew_made(api.company)
            plan, lina = await plan_made(api.company, crew.team), crew.members[0]
            told = report(plan, 1, "released").model_copy(
                update={
                    "team_member_id": lina.user_id,
                    "report_id": ids.report_id(plan.plan_id, lina.user_id),
                }
            )
            await api.company.db.run(put(told))
            answer = await api.as_(crew.members[0])("GET", "/me/export")
            assert answer.headers["Content-Disposition"].startswith("attachment")
            found = answer.json()
            assert found["user"]["user_id"] == crew.members[0].user_id
            kinds = {each["assessment_type"] for each in found["assessments"]}
            assert kinds == {"self", "manager"}
            assert [each["report_id"] for each in found["reports"]] == [told.report_id]
            theirs = await api.as_(crew.members[1]).get("/me/export")
            assert [each["assessment_type"] for each in theirs["assessments"]] == ["self"]
            assert theirs["reports"] == []

    run(story())
