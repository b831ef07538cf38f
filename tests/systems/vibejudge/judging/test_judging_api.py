"""Judges, organisers and teams, each by their own API."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from tests.systems.vibejudge.api_support import OTTO, Api, api_on, code_of
from tests.systems.vibejudge.judging.support import RUBRIC, analysed
from tests.systems.vibejudge.support import NOW, moment, moved, run, wanted_body

from tablewright.clock import ManualClock
from tablewright.model import new_ulid
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.rules.result_tokens import new_token
from tablewright.systems.vibejudge.writes import issue_result_token
from tablewright.testing import Backend


async def prepared(api: Api, *scores: str) -> tuple[str, list[Submission]]:
    """A hackathon of Olga's with submissions that have these scores."""
    body = wanted_body(rubric=RUBRIC, min_reviews=1)
    hack_id = (await api.done("POST", "/hackathons", body))["hack_id"]
    await api.done("POST", f"/hackathons/{hack_id}/activate")
    made = await api.courtroom.db.require(reads.hackathon(hack_id))
    return hack_id, [await analysed(api.courtroom, made, score) for score in scores]


async def joined(api: Api, hack_id: str, name: str) -> Api:
    """The API as a judge who has followed an invitation uses it."""
    first = await api.done("POST", f"/hackathons/{hack_id}/judges", {"name": name})
    path = f"/hackathons/{hack_id}/judges/{first['judge']['judge_id']}/invite"
    invited = await api.done("POST", path)
    assert invited["judge"]["version"] == first["judge"]["version"] + 1
    # Whoever finds the first link is late.
    void = await api.as_("nobody")("POST", "/judging/accept", {"token": first["token"]})
    assert code_of(void) == (404, "NOT_FOUND")
    accepted = await api.as_("nobody").done("POST", "/judging/accept", {"token": invited["token"]})
    again = await api.as_("nobody")("POST", "/judging/accept", {"token": invited["token"]})
    assert code_of(again) == (404, "NOT_FOUND")
    return replace(api, keys={**api.keys, name: accepted["api_key"]}, who=name)


def test_a_round_from_the_invitation_to_the_leaderboard(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(engine_backend, clock) as api:
            hack_id, (sub, other) = await prepared(api, "60", "70")
            ada = await joined(api, hack_id, "Ada")
            path, desk = f"/hackathons/{hack_id}", f"/judging/{hack_id}"
            assert (await api.done("POST", f"{path}/rounds", {}))["state"] == "setup"
            await api.done("PATCH", f"{path}/rounds/1", {"state": "open"})
            for _ in range(2):
                shown = await ada.get(f"{desk}/next")
                seen = shown["submission"]
                assert set(seen) == {"sub_id", "team_name", "repo_url", "commit_sha"}
                points = 9.5 if seen["sub_id"] == sub.sub_id else 1
                said = {"round_number": 1, "sub_id": seen["sub_id"]}
                scores = {"idea": points, "code": str(points)}
                await ada.done("POST", f"{desk}/scores", {**said, "scores": scores})
            assert (await ada.get(f"{desk}/next"))["submission"] is None
            assert len((await ada.get(f"{desk}/scores"))["items"]) == 2
            progress = await api.get(f"{path}/rounds/1")
            assert [each["done"] for each in progress["judges"]] == [2]
            assert [each["done"] for each in progress["submissions"]] == [1, 1]
            (listed,) = (await api.get(f"{path}/judges"))["items"]
            assert listed["rounds"] == [{"round_number": 1, "assigned": 2, "done": 2, "skipped": 0}]
            await api.done("PATCH", f"{path}/rounds/1", {"state": "closed"})
            late = {"round_number": 1, "sub_id": sub.sub_id, "scores": {"idea": 1, "code": 1}}
            assert code_of(await ada("POST", f"{desk}/scores", late)) == (409, "ROUND_CLOSED")
            await api.courtroom.judging.blending.work()
            board = await api.courtroom.db.run(reads.leaderboard(hack_id))
            assert [(each.sub_id, float(each.rank_score)) for each in board] == [
                (sub.sub_id, 77.5),
                (other.sub_id, 40.0),
            ]
            override = f"{path}/submissions/{other.sub_id}/override"
            short = await api("POST", override, {"score": 99, "reason": "because"})
            assert code_of(short) == (422, "INVALID")
            assert code_of(await api("DELETE", override)) == (409, "NOT_OVERRIDDEN")
            await api.done("POST", override, {"score": 99, "reason": "It worked on the stage"})
            board = await api.courtroom.db.run(reads.leaderboard(hack_id))
            assert board[0].sub_id == other.sub_id
            assert (await api.done("DELETE", override))["revoked_at"] is not None
            await api.done("PATCH", f"{path}/judges/{listed['judge_id']}", {"state": "removed"})
            assert (await ada("GET", f"{desk}/next")).status_code in (401, 403)

    run(main())


def test_whatever_is_somebody_elses_is_not_there(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(engine_backend, clock) as api:
            hack_id, (sub,) = await prepared(api, "60")
            ada = await joined(api, hack_id, "Ada")
            await api.done("POST", f"/hackathons/{hack_id}/rounds", {})
            judge_id = (await api.get(f"/hackathons/{hack_id}/judges"))["items"][0]["judge_id"]
            for each in (hack_id, new_ulid(), "nonsense"):
                for method, path, body in organizers_routes(sub.sub_id, judge_id):
                    answer = await api.as_(OTTO)(method, f"/hackathons/{each}{path}", body)
                    assert code_of(answer) == (404, "NOT_FOUND"), (method, path)
            for method, path, body in organizers_routes("nonsense", "nonsense")[4:]:
                if "nonsense" in path:
                    answer = await api(method, f"/hackathons/{hack_id}{path}", body)
                    assert code_of(answer) == (404, "NOT_FOUND"), (method, path)
            for each in (new_ulid(), "nonsense"):
                for name in ("next", "scores", "comparisons"):
                    answer = await ada("GET", f"/judging/{each}/{name}")
                    assert code_of(answer) == (404, "NOT_FOUND")
            assert (await ada("GET", f"/hackathons/{hack_id}/judges")).status_code == 403
            assert (await api("GET", f"/judging/{hack_id}/next")).status_code == 403
            nobody = await api.as_("nobody")("GET", f"/judging/{hack_id}/next")
            assert nobody.status_code == 401

    run(main())


def organizers_routes(sub_id: str, judge_id: str) -> list[tuple[str, str, Any]]:
    sub = f"/submissions/{sub_id}"
    return [
        ("GET", "/judges", None),
        ("POST", "/judges", {"name": "Eve"}),
        ("GET", "/rounds", None),
        ("POST", "/rounds", {}),
        ("PATCH", f"/judges/{judge_id}", {"name": "Eve"}),
        ("POST", f"/judges/{judge_id}/invite", None),
        ("GET", "/rounds/1", None),
        ("PATCH", "/rounds/1", {"weight": 0.5}),
        ("POST", "/rounds/1/assign", None),
        ("GET", "/appeals", None),
        ("GET", f"{sub}/override", None),
        ("POST", f"{sub}/override", {"score": 1, "reason": "It is mine now"}),
        ("DELETE", f"{sub}/override", None),
        ("GET", f"{sub}/appeal", None),
        ("POST", f"{sub}/appeal", {"state": "upheld", "answer": "Yes"}),
    ]


def test_a_team_reads_its_card_once_released_and_appeals_once(
    engine_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with api_on(engine_backend, clock) as api:
            hack_id, (sub, best) = await prepared(api, "60", "70")
            token, digest = new_token(hack_id, sub.sub_id)
            now = api.courtroom.now()
            await api.courtroom.db.run(issue_result_token(hack_id, sub.sub_id, digest, now))
            team = api.as_("nobody")
            wrong, _ = new_token(hack_id, sub.sub_id)
            unissued, _ = new_token(hack_id, best.sub_id)
            assert code_of(await team("GET", f"/results/{token}")) == (404, "NOT_FOUND")
            made = await api.courtroom.db.require(reads.hackathon(hack_id))
            await moved(api.courtroom, made, "completed", released_at=now)
            for each in (wrong, unissued, "x", token.lower()):
                assert code_of(await team("GET", f"/results/{each}")) == (404, "NOT_FOUND")
            card = await team.get(f"/results/{token}")
            assert (card["team_name"], card["rank"], card["score"]) == (sub.team_name, 2, 60.0)
            assert card["appeal_until"] == moment(NOW + timedelta(hours=72))
            text = {"text": "The tests are elsewhere"}
            path = f"/hackathons/{hack_id}/submissions/{sub.sub_id}/appeal"
            assert code_of(await api("GET", path)) == (404, "NOT_FOUND")
            assert code_of(await team("POST", f"/results/{wrong}/appeal", text))[0] == 404
            await team.done("POST", f"/results/{token}/appeal", text)
            again = await team("POST", f"/results/{token}/appeal", text)
            assert code_of(again) == (409, "ALREADY_APPEALED")
            (found,) = (await api.get(f"/hackathons/{hack_id}/appeals"))["items"]
            assert (found["text"], found["state"]) == (text["text"], "open")
            answer = {"state": "rejected", "answer": "They were counted."}
            await api.done("POST", path, answer)
            assert code_of(await api("POST", path, answer)) == (409, "ANSWERED")
            assert (await team.get(f"/results/{token}"))["appeal"]["state"] == "rejected"
            assert ("key", "appeal.rejected") in {each[:2] for each in await api.audited()}
            # The other team has missed its time.
            late, digest = new_token(hack_id, best.sub_id)
            await api.courtroom.db.run(issue_result_token(hack_id, best.sub_id, digest, now))
            clock.advance(timedelta(hours=72, seconds=1).total_seconds())
            answer_ = await team("POST", f"/results/{late}/appeal", text)
            assert code_of(answer_) == (409, "APPEAL_CLOSED")

    run(main())
