"""Teams over HTTP: the codes, the headers, and who is let in."""

from __future__ import annotations

from tests.systems.kurukshetra.support import (
    EVENT,
    api_on,
    code_of,
    event_made,
    person,
    registered,
    registration_body,
    run,
)

from tablewright.clock import ManualClock
from tablewright.testing import Backend

AT = f"/events/{EVENT}"
TEAM = {"name": "Code Warriors", "track": "ai-ml"}


def test_a_team_from_its_founding_to_its_end(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def go() -> None:
        async with api_on(tablewright_backend, clock) as api:
            await event_made(api.festival)
            asha, ravi = api.as_(person("asha")), api.as_(person("ravi"))
            body = {"person": registration_body("asha"), "team": TEAM}
            assert await api.refused("POST", f"{AT}/register/team", body) == (
                401,
                "UNAUTHENTICATED",
            )
            unverified = api.as_(person("eve", verified=False))
            assert await unverified.refused("POST", f"{AT}/register/team", body) == (
                403,
                "EMAIL_UNVERIFIED",
            )
            made = await asha("POST", f"{AT}/register/team", body)
            assert made.status_code == 201, made.text
            assert made.headers["etag"] == f'"{made.json()["version"]}"'
            path = f"{AT}/team/{made.json()['team_id']}"

            bare = {"team": {**TEAM, "name": "Others"}}
            assert await ravi.refused("POST", f"{AT}/register/team", bare) == (
                403,
                "NOT_REGISTERED",
            )
            assert await ravi.refused("GET", path) == (404, "NOT_FOUND")
            await ravi.done("POST", f"{AT}/register", registration_body("ravi"))
            page = await asha.get(path)
            assert [(each["name"], each["leads"]) for each in page["members"]] == [
                ("Asha Verma", True)
            ]
            for wrong, code in (({}, "INVALID"), ({"code": "x", "team_id": "y"}, "INVALID")):
                assert await ravi.refused("POST", f"{AT}/team/join", wrong) == (422, code)
            refusal = await ravi.refused("POST", f"{AT}/team/join", {"code": "0000-0000"})
            assert refusal == (404, "INVITE_INVALID")
            joined = await ravi.done("POST", f"{AT}/team/join", {"code": page["invite_code"]})
            assert joined["member_count"] == 2

            change = {"name": "Code Warriors II"}
            seen = (await asha("GET", path)).headers["etag"]
            assert await asha.refused("PUT", path, change) == (428, "PRECONDITION_REQUIRED")
            assert await asha.refused("PUT", path, change, If_Match='"0"') == (
                412,
                "VERSION_CONFLICT",
            )
            assert await ravi.refused("PUT", path, change, If_Match=seen) == (403, "FORBIDDEN")
            changed = await asha("PUT", path, change, If_Match=seen)
            assert (changed.status_code, changed.json()["name"]) == (200, "Code Warriors II")
            assert await asha.refused("PUT", path, {"paid": True}) == (422, "INVALID")

            invited = await asha.done("POST", f"{path}/invite", {"emails": ["meera@people.test"]})
            assert invited["invite_code"] == page["invite_code"]
            (guest,) = invited["invited"]
            rotated = await asha.done("POST", f"{path}/invite")
            assert rotated["invite_code"] != page["invite_code"]
            wrong = {"emails": ["meera@people.test", "nobody at all"], "rotate": True}
            answer = await asha("POST", f"{path}/invite", wrong)
            assert code_of(answer) == (422, "INVALID")
            assert [each["field"] for each in answer.json()["errors"]] == ["body.emails.1"]
            assert (await asha.get(path))["invite_code"] == rotated["invite_code"]
            meera = await registered(api.festival, EVENT, "meera")
            there = {"team_id": made.json()["team_id"]}
            await api.as_(meera.principal).done("POST", f"{AT}/team/join", there)
            gone = f"{path}/invite/{guest['email_hash']}"
            assert await asha.refused("DELETE", gone) == (404, "NOT_FOUND")

            repository = {"repo_url": "https://github.com/code-warriors/solution"}
            assert await ravi.refused("PUT", f"{path}/repository", repository) == (
                403,
                "FORBIDDEN",
            )
            set_ = await asha.done("PUT", f"{path}/repository", repository)
            assert (set_["repo_url"], set_["submitted"]) == (repository["repo_url"], False)
            assert await asha.refused("POST", f"{path}/leave") == (409, "LEADER_MUST_HAND_OVER")
            await api.as_(meera.principal).done("POST", f"{path}/leave")
            new = {"participant_id": page["members"][0]["participant_id"]}
            assert await ravi.refused("POST", f"{path}/leader", new) == (403, "FORBIDDEN")
            assert (await asha.done("POST", f"{path}/leader", new))["version"] > 0
            await asha.done("DELETE", path)
            assert await asha.refused("GET", path) == (404, "NOT_FOUND")
            again = await asha("POST", f"{AT}/register/team", {"team": TEAM})
            assert again.status_code == 201

    run(go())
