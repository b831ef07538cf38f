"""Submissions as programs, spreadsheets and teams hand them in."""

from __future__ import annotations

import asyncio
import csv
import io
from decimal import Decimal
from typing import Any

from tests.systems.vibejudge.api_support import OTTO, Api, api_on, code_of
from tests.systems.vibejudge.support import (
    NOW,
    caller_of,
    hackathon,
    run,
    submission,
)

from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.systems.vibejudge import demo_analysis as runs
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.testing import Backend

OWLS = {"team_name": "Night Owls", "repo_url": "https://github.com/night-owls/lantern"}
BATS = {"team_name": "Bats", "repo_url": "https://gitlab.com/cave/inner/bats"}


async def opened(api: Api, **said: Any) -> HackathonDetail:
    me = await api.get("/organizers/me")
    return await hackathon(api.courtroom, caller_of(me["org_id"]), **said)


def test_handing_in_as_json_and_as_files(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api)
            path = f"/hackathons/{made.hack_id}/submissions"
            wrong = {"team_name": "--", "repo_url": "https://github.com/a/b"}
            answer = await api("POST", path, {"submissions": [OWLS, wrong, {"x": 1}, OWLS]})
            assert answer.status_code == 207, answer.text
            body = answer.json()
            assert (body["created"], body["unchanged"], body["refused"]) == (1, 0, 3)
            codes = [(each["problem"] or {}).get("code") for each in body["results"]]
            assert codes == [None, "INVALID", "INVALID", "DUPLICATE_REPO"]
            assert body["results"][0]["result_token"].startswith(made.hack_id)

            csv_file = b"\xef\xbb\xbfteam;repo\n\nBats;https://gitlab.com/cave/inner/bats\n;\nX;y\n"
            answer = await api.send(
                "POST", path, headers={"content_type": "text/csv"}, content=csv_file
            )
            body = answer.json()
            assert [(each["line"], each["status"]) for each in body["results"]] == [
                (3, 201),
                (5, 422),
            ]
            devpost = (
                'Project Title,Submission Url,"""Try it out"" Links"\r\n'
                '"Lynx, the cat",https://jam.devpost.com/submissions/7-lynx,'
                '"https://lynx.example,https://github.com/lynx/cat/"\r\n'
            )
            file = {"file": ("projects.csv", devpost.encode(), "text/csv")}
            for status in (201, 200):
                body = (await api.send("POST", path, files=file)).json()
                assert [each["status"] for each in body["results"]] == [status]
            listed = await api.get(f"{path}?limit=2")
            more = await api.get(f"{path}?limit=2&cursor={listed['next_cursor']}")
            items = [*listed["items"], *more["items"]]
            assert [each["team_name"] for each in items] == ["Night Owls", "Bats", "Lynx, the cat"]
            assert items[2]["external_id"] == "devpost:7-lynx"
            assert "result_token_hash" not in items[0]
            assert (await api.get(f"{path}?status=completed"))["items"] == []

    run(go())


def test_what_is_refused_as_a_whole(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api)
            path = f"/hackathons/{made.hack_id}/submissions"
            for body, expected in (
                ([], (422, "INVALID")),
                ({"submissions": []}, (422, "INVALID")),
                ({"submissions": [OWLS], "more": 1}, (422, "INVALID")),
                ({"submissions": [OWLS] * 501}, (422, "TOO_MANY_ROWS")),
            ):
                assert code_of(await api("POST", path, body)) == expected
            for content, kind, expected in (
                (b"{", "application/json", (400, "MALFORMED")),
                (b"a,b\n1,2\n", "text/csv", (422, "BAD_FILE")),
                (b"team,repo\n", "text/csv", (422, "BAD_FILE")),
                (b"x", "image/png", (415, "UNSUPPORTED_MEDIA_TYPE")),
            ):
                answer = await api.send(
                    "POST", path, headers={"content_type": kind}, content=content
                )
                assert code_of(answer) == expected
            # More than any other request may have, and not without end.
            filled = b"A,https://github.com/a/b," + b"x" * 100_000 + b"\n"
            large = b"team,repo,about\n" + filled * 15
            answer = await api.send(
                "POST", path, headers={"content_type": "text/csv"}, content=large
            )
            assert answer.status_code == 207
            answer = await api.send(
                "POST", path, headers={"content_type": "text/csv"}, content=large * 15
            )
            assert answer.status_code == 413
            assert code_of(await api.as_("nobody")("POST", path, {}))[0] == 401
            for who in (OTTO,):
                assert code_of(await api.as_(who)("POST", path, {"submissions": [OWLS]})) == (
                    404,
                    "NOT_FOUND",
                )

    run(go())


def test_many_rows_are_stored_beside_requests(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api)
            path = f"/hackathons/{made.hack_id}/submissions"
            rows = [
                {"team_name": f"Team {n}", "repo_url": f"https://github.com/a/b{n}"}
                for n in range(30)
            ]
            answer = await api("POST", path, {"submissions": rows}, prefer="respond-async")
            assert answer.status_code == 202, answer.text
            assert answer.json()["total"] == 30
            place = answer.headers["location"].partition("/api/v1")[2]
            while (state := await api.get(place))["state"] == "running":
                await asyncio.sleep(0.01)
            assert (state["state"], state["done"], state["created"]) == ("done", 30, 30)
            assert all(each["result_token"] for each in state["results"])
            assert code_of(await api.as_(OTTO)("GET", place)) == (404, "NOT_FOUND")

    run(go())


def test_one_submission(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api)
            one = await submission(api.courtroom, made, "Owls")
            path = f"/hackathons/{made.hack_id}/submissions/{one.sub_id}"
            assert (await api.get(path))["status"] == "pending"
            found = await api("GET", f"/submissions/{one.sub_id}")
            assert found.status_code == 307
            assert found.headers["location"].endswith(f"/vibejudge/api/v1{path}")
            answer = await api("PATCH", path, {"disqualified": True})
            assert code_of(answer) == (422, "INVALID")
            marked = await api.done("PATCH", path, {"disqualified": True, "reason": " Copied "})
            assert marked["disqualified_reason"] == "Copied"
            cleared = await api.done("PATCH", path, {"disqualified": False})
            assert cleared["disqualified_reason"] is None
            token = await api.done("POST", f"{path}/token")
            assert token["result_token"].startswith(f"{made.hack_id}.{one.sub_id}.")
            frozen = await api.done("POST", f"/hackathons/{made.hack_id}/freeze")
            # Nobody is asked for it here: it cannot be looked up.
            assert [each["sub_id"] for each in frozen["unfrozen"]] == [one.sub_id]
            for method, where, body in (
                ("GET", path, None),
                ("PATCH", path, {"disqualified": True, "reason": "Copied"}),
                ("DELETE", path, None),
                ("POST", f"{path}/token", None),
                ("GET", f"/submissions/{one.sub_id}", None),
                ("POST", f"/hackathons/{made.hack_id}/freeze", None),
                ("GET", f"/hackathons/{made.hack_id}/export.csv", None),
                ("GET", f"/hackathons/{made.hack_id}/submissions", None),
            ):
                answer = await api.as_(OTTO)(method, where, body)
                assert code_of(answer) == (404, "NOT_FOUND"), (method, where)
            assert (await api("DELETE", path)).status_code == 204
            assert code_of(await api("DELETE", path)) == (409, "WITHDRAWN")

    run(go())


def test_a_team_hands_in_by_itself(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api, visibility="public")
            path = f"/public/hackathons/{made.hack_id}/submissions"
            nobody = api.as_("nobody")
            handed = await nobody("POST", path, OWLS)
            assert handed.status_code == 201, handed.text
            assert set(handed.json()) == {"sub_id", "hack_id", "result_token", "warning"}
            assert "ratelimit-limit" in handed.headers
            assert code_of(await nobody("POST", path, OWLS)) == (409, "DUPLICATE_REPO")
            # Only organisers' systems have ids of their own: with one, others could be changed.
            spoofed = {**BATS, "external_id": "entry-1"}
            assert code_of(await nobody("POST", path, spoofed)) == (422, "INVALID")
            bad = {"team_name": "Moles", "repo_url": "file:///etc/passwd"}
            assert code_of(await nobody("POST", path, bad)) == (422, "BAD_REPO_URL")
            codes = [(await nobody("POST", path, bad)).status_code for _ in range(70)]
            assert codes[-1] == 429
            assert code_of(await nobody("POST", "/public/hackathons/x/submissions", BATS))[0] in (
                404,
                429,
            )

    run(go())


def test_the_export_is_by_rank_and_harmless(engine_backend: Backend, clock: ManualClock) -> None:
    async def go() -> None:
        async with api_on(engine_backend, clock) as api:
            made = await opened(api)
            scores = {"-Owls": "80.00", "Bats": "91.50", "Crows": "80.00", "Doves": "12.00"}
            for number, (team, score) in enumerate(scores.items()):
                one = await submission(
                    api.courtroom,
                    made,
                    team,
                    status="completed",
                    overall_score=Decimal(score),
                    rank_score=Decimal(score),
                    run_id=(run_id := runs.demo_id(20, 200 + number)),
                )
                summary = runs.summary_of(one, run_id, NOW)
                flags = ["=cmd|' /C calc'!A0", "outside_window"]
                named = {
                    each.name: next(iter(summary.weighted_scores.values()))
                    for each in made.rubric.dimensions
                }
                changes = {"flags": flags, "weighted_scores": named}
                await api.courtroom.db.run(put(summary.model_copy(update=changes)))
                await api.courtroom.db.run(put(runs.run_of(one, run_id, NOW)))
            for number in range(60):
                await submission(api.courtroom, made, f"Waiting {number}")
            out = await submission(api.courtroom, made, "Out", disqualified_reason="Copied")
            answer = await api("GET", f"/hackathons/{made.hack_id}/export.csv")
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/csv")
            assert "attachment" in answer.headers["content-disposition"]
            rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
            assert list(rows[0]) == [
                "rank",
                "team",
                "repo",
                "sha",
                *(each.name for each in made.rubric.dimensions),
                "overall",
                "final",
                "confidence",
                "recommendation",
                "flags",
                "status",
            ]
            ranked = [(each["rank"], each["team"], each["overall"]) for each in rows[:4]]
            assert ranked[0] == ("1", "Bats", "91.50")
            assert {each[1] for each in ranked[1:3]} == {"'-Owls", "Crows"}
            assert [each[0] for each in ranked] == ["1", "2", "2", "4"]
            assert len(rows[0]["sha"]) == 40
            assert rows[0]["flags"].startswith("'=cmd")
            assert rows[0][made.rubric.dimensions[0].name] != ""
            assert len(rows) == 65
            assert {each["rank"] for each in rows[4:]} == {""}
            (last,) = [each for each in rows if each["team"] == out.team_name]
            assert (last["status"], last["overall"]) == ("disqualified", "")

    run(go())
