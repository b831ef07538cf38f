"""Who may do what: every operation, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service.good_requests import send
from tests.service.reading import operations_of
from tests.systems.vibejudge.api_requests import ENDLESS, INSTEAD, MAY, good_request, refusal
from tests.systems.vibejudge.api_world import API, GUEST, JUDGE, OLGA, OTTO, WHO, World, world


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.mark.parametrize("operation", sorted(MAY.keys() - ENDLESS))
def test_who_may(operation: str, service: World) -> None:
    service.rest()
    request = good_request(operation, service)
    # Those who may not come first: what they try must leave everything as it was.
    for who in sorted(frozenset(WHO) - MAY[operation]):
        answer = send(service.http, request, service.headers(who))
        assert answer.status_code == refusal(operation, who), (who, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    for who in sorted(MAY[operation]):
        request = good_request(operation, service)
        answer = send(service.http, request, service.headers(INSTEAD.get(operation, who)))
        assert answer.status_code < 400, (who, answer.text)


@pytest.mark.parametrize("who", WHO)
def test_who_may_follow_a_job(who: str, service: World) -> None:
    request = good_request("follow_job", service)
    with service.http.stream("GET", request.path, headers=service.headers(who)) as answer:
        may = who in MAY["follow_job"]
        assert answer.status_code == (200 if may else refusal("follow_job", who))


@pytest.mark.parametrize(("who", "status"), [(OLGA, 200), (OTTO, 404), (JUDGE, 403), (GUEST, 403)])
def test_a_token_opens_a_stream_for_who_may_look(who: str, status: int, service: World) -> None:
    token = service.done("POST", "/stream-token", who=who)["stream_token"]
    hack_id, job_id = service.job()
    path = f"/hackathons/{hack_id}/jobs/{job_id}"
    with service.http.stream("GET", f"{API}{path}/events?stream_token={token}") as answer:
        assert answer.status_code == status
    # And nothing else.
    assert service.ask("GET", f"{path}?stream_token={token}", who="nobody").status_code == 401


def test_what_is_released_is_for_everybody(service: World) -> None:
    """If the hackathon is in the gallery; else its leaderboard stays its organiser's."""
    for visibility, others in (("public", 200), ("private", 404)):
        hack_id, *_ = service.released(visibility=visibility)
        path = f"/hackathons/{hack_id}/leaderboard"
        assert service.ask("GET", path).status_code == 200
        for who in (OTTO, JUDGE, GUEST, "nobody"):
            assert service.ask("GET", path, who=who).status_code == others, who


def test_who_was_removed_is_no_judge(service: World) -> None:
    hack_id = service.hackathon()
    invited = service.invitation(hack_id)
    key = service.done("POST", "/judging/accept", {"token": invited["token"]}, "nobody")["api_key"]
    path = f"/judging/{hack_id}/next"
    assert service.ask("GET", path, who=key).status_code == 200
    judge = f"/hackathons/{hack_id}/judges/{invited['judge']['judge_id']}"
    service.done("PATCH", judge, {"state": "removed"})
    assert service.ask("GET", path, who=key).status_code in (401, 403)
    assert service.ask("POST", f"{judge}/invite").status_code == 409


def test_who_was_erased_is_nobody(service: World) -> None:
    key = service.registered()["api_key"]
    service.done("DELETE", "/organizers/me", who=key)
    service.rest()
    for path in ("/organizers/me", "/hackathons"):
        assert service.ask("GET", path, who=key).status_code == 401


def test_every_operation_is_in_the_table(service: World) -> None:
    document = service.http.get("/vibejudge/openapi.json").json()
    assert operations_of(document).keys() == MAY.keys()
