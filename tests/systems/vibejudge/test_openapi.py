"""The OpenAPI document of vibejudge, and whether the service keeps to it.

Requests are generated from the document, with hackathons, submissions and judges that exist put
into them, so that most of them reach the use cases. Whatever is sent: no 5xx, nothing undeclared,
every error a problem document, and nobody does what they may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from tests.service.reading import (
    check_answers,
    check_bodies,
    check_operations,
    check_parameters,
    examples_of,
    operations_of,
    subjects_of,
)
from tests.systems.vibejudge.api_probing import prober
from tests.systems.vibejudge.api_requests import ENDLESS, INSTEAD, MAY, OPEN, good_request
from tests.systems.vibejudge.api_world import API, World, world

QUICK, DEEP = 2, 80
PROBED = sorted(MAY.keys() - ENDLESS)
#: What all systems have, and others probe each time.
SHARED = frozenset(
    {
        *("create_stream_token", "list_api_keys", "create_api_key", "revoke_api_key"),
        "end_sessions",
        *("list_dead_messages", "list_sent_messages", "retry_message", "discard_message"),
    }
)


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def document(service: World) -> dict[str, Any]:
    made: dict[str, Any] = service.http.get("/vibejudge/openapi.json").json()
    return made


# --- whether the service keeps to it -------------------------------------------------------------


def test_generated_requests(service: World) -> None:
    probing = prober(service)
    for name, operation in probing.operations().items():
        if name not in ENDLESS | SHARED:
            probing.probe(name, operation, QUICK)
    tally = probing.tally
    seen = "\n".join(tally.lines())
    assert tally.reached > 0.6 * tally.right > 0, seen
    assert len(tally.succeeded()) > 0.75 * len(PROBED), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBED)
def test_many_generated_requests(name: str, service: World) -> None:
    probing = prober(service)
    probing.probe_deeply(name, DEEP)
    assert name in probing.tally.succeeded(), list(probing.tally.lines())


def test_examples_are_accepted(service: World, document: dict[str, Any]) -> None:
    """What the document shows can be sent as it stands, to a place where there is such a thing."""
    sent = 0
    for name, operation in operations_of(document).items():
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            if media_type == "multipart/form-data":
                continue
            for shown in examples_of(document, content):
                request = good_request(name, service)
                body = shown.encode() if isinstance(shown, str) else orjson.dumps(shown)
                who = INSTEAD.get(name, sorted(MAY[name])[0])
                answer = service.http.request(
                    request.method,
                    request.path,
                    content=body,
                    headers={
                        **request.headers,
                        **service.headers(who),
                        "Content-Type": media_type,
                    },
                )
                # That what they name is not there is all that may be wrong with them.
                told = {} if answer.status_code < 400 else answer.json()
                fields = [each["field"] for each in told.get("errors", ())]
                named = told.get("code", "") in _NOT_THERE or fields == ["body.conflicts"]
                assert named, (name, answer.text)
                sent += 1
    assert sent > 15


#: The address may be taken: generated requests before this one are made of the examples, too.
_NOT_THERE = ("", "NOT_FOUND", "NO_JUDGES", "EMAIL_TAKEN")


# --- how it reads --------------------------------------------------------------------------------


def test_the_document_reads_well(document: dict[str, Any]) -> None:
    check_operations(document)
    check_parameters(document)
    check_answers(document)
    check_bodies(document)
    assert "POST /organizers" in document["info"]["description"]


def test_every_route_says_who_may_call_it(document: dict[str, Any]) -> None:
    for name, operation in operations_of(document).items():
        if name in OPEN or name == "get_leaderboard":
            assert "security" not in operation, name
            assert "429" in operation["responses"], name
            continue
        named = {scheme for each in operation["security"] for scheme in each}
        assert named == {"bearer", "key", "session"}, name
        assert {"401", "403", "429"} <= operation["responses"].keys()


def test_what_is_named_in_an_address_has_one_name(document: dict[str, Any]) -> None:
    """And may be somebody else's: 404 is among the answers."""
    known = {
        *("hack_id", "sub_id", "job_id", "run_id", "import_id", "round_number", "judge_id"),
        *("org_id", "key_id", "token", "handle"),
    }
    for path, found in document["paths"].items():
        names = re.findall(r"\{(\w+)\}", path)
        assert set(names) <= known, path
        for operation in found.values():
            assert not names or "404" in operation["responses"], path


def test_subjects_are_in_the_order_of_use(document: dict[str, Any]) -> None:
    names = subjects_of(document)
    # Who begins registers; what the process is looked after with comes last.
    assert names[:4] == ["organizers", "public", "hackathons", "submissions"]
    assert names[-1] == "outbox"


def test_the_document_names_no_secret(service: World) -> None:
    text = service.http.get("/vibejudge/openapi.json").text
    assert not [each for each in service.keys.values() if each in text]


def test_what_is_not_documented_is_not_there(service: World) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("PATCH", "/hackathons", 405),
        ("TRACE", "/hackathons", 405),
        ("DELETE", "/organizers", 405),
        ("GET", "/judging/accept", 405),
    ):
        answer = service.http.request(method, f"{API}{path}", headers=service.headers("admin"))
        assert answer.status_code == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        if status == 405:
            assert method not in answer.headers["allow"].split(", ")
            assert answer.headers["allow"]
