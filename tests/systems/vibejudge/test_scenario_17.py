"""Scenario 17: foreign ids, all routes: 404. What belongs to somebody else is not there.

The routes are those of the OpenAPI document: whoever adds one adds it here as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from tests.service.good_requests import send
from tests.service.hostile import Route, routes_of
from tests.systems.vibejudge.api_requests import ADMIN, MAY, OPEN, good_request
from tests.systems.vibejudge.api_world import API, JUDGE, OLGA, OTHER_JUDGE, OTTO, World, world

from tablewright.model import new_ulid

#: The first are nobody's, the others cannot be ids.
_NOBODYS = ("", "nonsense", "%00", "../..", "a" * 2000, "#💥")


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def routes(service: World) -> list[Route]:
    """All that name something in their address, and are for those whose it is."""
    document = service.http.get("/vibejudge/openapi.json").json()
    found = [each for each in routes_of(document) if each.names]
    # Administrators reach everything; what is for everybody is nobody's.
    return [each for each in found if MAY[each.name] != ADMIN and each.name not in OPEN]


def other(route: Route) -> str:
    """Somebody who may do the same, with things of their own."""
    return OTHER_JUDGE if "/judging/" in route.path else OTTO


def gone(answer: httpx2.Response) -> dict[str, Any]:
    """What is told of something that is not there, without what differs each time."""
    told: dict[str, Any] = answer.json()
    assert (answer.status_code, told["code"]) == (404, "NOT_FOUND"), answer.text
    return {name: each for name, each in told.items() if name not in ("instance", "request_id")}


def test_scenario_17_foreign_ids_on_all_routes(service: World, routes: list[Route]) -> None:
    """What is Olga's is for Otto as if it were not there, and stays as it is."""
    assert len(routes) > 50
    requests = [good_request(each.name, service) for each in routes]
    before = sorted(map(str, service.items()))
    for route, request in zip(routes, requests, strict=True):
        service.rest()
        headers = service.headers(other(route))
        told = gone(send(service.http, request, headers))
        # The same words as for what nobody has: nothing is found out by asking.
        path = f"/vibejudge{route.address(**{name: _nobodys(name) for name in route.names})}"
        nowhere = send(service.http, replace(request, path=path), headers)
        assert gone(nowhere) == told, route.name
    assert sorted(map(str, service.items())) == before


def _nobodys(name: str, text: str = "") -> str:
    if name == "round_number":
        return "77"
    return text or new_ulid()


def test_scenario_17_foreign_ids_behind_an_own_one(service: World, routes: list[Route]) -> None:
    """Otto's own hackathon does not lead to what lies in Olga's, nor Olga's to Otto's."""
    own = service.hackathon(who=OTTO)
    tried = 0
    for route in routes:
        if route.names[0] != "hack_id" or len(route.names) < 2:
            continue
        service.rest()
        request = good_request(route.name, service)
        named = route.named_in(request.path)
        path = f"/vibejudge{route.address(**{**named, 'hack_id': own})}"
        gone(send(service.http, replace(request, path=path), service.headers(OTTO)))
        tried += 1
    assert tried > 15


def test_scenario_17_ids_that_are_none(service: World, routes: list[Route]) -> None:
    """Whatever stands in an address: it is not there either, for whoever may."""
    tried = limited = 0
    for route in routes:
        service.rest()
        request = good_request(route.name, service)
        who = JUDGE if "/judging/" in route.path else OLGA
        for name in route.names:
            for text in _NOBODYS[:1] if name == "round_number" else _NOBODYS:
                named = {**route.named_in(request.path), name: _nobodys(name, text)}
                path = f"/vibejudge{route.address(**named)}"
                answer = send(service.http, replace(request, path=path), service.headers(who))
                tried += 1
                if answer.status_code == 429:
                    limited += 1
                else:
                    gone(answer)
    assert limited < tried / 10


@pytest.mark.parametrize("number", ["0", "-1", "100", "1e1", "9" * 400, "9" * 5000, "x"])
def test_scenario_17_rounds_that_are_none(number: str, service: World) -> None:
    path = f"/hackathons/{service.judged[JUDGE]}/rounds/{quote(number)}"
    answer = service.ask("GET", path)
    assert answer.status_code in (404, 422), answer.text


def test_scenario_17_foreign_ids_in_bodies(service: World) -> None:
    """A judge judges what was assigned, an organiser names what is in the hackathon."""
    foreign = service.assigned(OTHER_JUDGE)
    desk = f"/judging/{service.judged[JUDGE]}"
    mine = service.assigned()
    for sub_id in (foreign, new_ulid(), "nonsense", "#", f"{mine}#", "META"):
        score = {"round_number": 1, "sub_id": sub_id, "scores": service.points()}
        skip = {"round_number": 1, "sub_id": sub_id, "reason": "I know them"}
        for path, body in (
            ("scores", score),
            ("skip", skip),
            ("comparisons", {"round_number": 2, "winner": sub_id, "loser": mine}),
            ("comparisons", {"round_number": 2, "winner": mine, "loser": sub_id}),
        ):
            gone(service.ask("POST", f"{desk}/{path}", body, JUDGE))
        place = f"/hackathons/{service.judged[JUDGE]}/judges"
        answer = service.ask("POST", place, {"name": "Jo", "conflicts": [sub_id]})
        assert answer.status_code == 422, answer.text


def test_scenario_17_results_of_others(service: World) -> None:
    """A token opens one result: no other id in it, no other secret, not before the release."""
    hack_id, sub_id, token = service.released()
    other_hack, other_sub, other_token = service.released(OTTO)
    waiting = service.scored(service.hackathon()).submission
    early = service.token(waiting.hack_id, waiting.sub_id)
    secret, other_secret = token.rpartition(".")[2], other_token.rpartition(".")[2]
    assert service.ask("GET", f"/results/{token}", who="nobody").status_code == 200
    answers = []
    for wrong in (
        early,
        f"{other_hack}.{other_sub}.{secret}",
        f"{hack_id}.{other_sub}.{secret}",
        f"{other_hack}.{sub_id}.{secret}",
        f"{hack_id}.{sub_id}.{other_secret}",
        f"{hack_id}.{sub_id}.{secret[:-1]}",
        f"{hack_id}.{sub_id}.{secret.swapcase()}",
        f"{hack_id}.{sub_id}.",
        f"Z{hack_id[1:]}.{sub_id}.{secret}",
        f"{new_ulid()}.{new_ulid()}.{secret}",
        f"{hack_id}.{sub_id}",
        "nonsense",
        "a" * 4000,
    ):
        said = {"text": "The tests are elsewhere."}
        for method, path, body in (("GET", "", None), ("POST", "/appeal", said)):
            address = f"{API}/results/{quote(wrong)}{path}"
            answers.append(gone(service.http.request(method, address, json=body)))
    assert all(each == answers[0] for each in answers)


def test_scenario_17_cursors_of_others(service: World) -> None:
    """Where Olga's list goes on, Otto's does not."""
    for _ in range(2):
        service.hackathon()
    cursor = service.done("GET", "/hackathons?limit=1")["next_cursor"]
    answer = service.ask("GET", f"/hackathons?limit=1&cursor={quote(cursor)}", who=OTTO)
    assert (answer.status_code, answer.json()["code"]) == (400, "BAD_CURSOR")
