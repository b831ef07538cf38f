"""The OpenAPI document of ladders, and whether the service keeps to it.

Requests are generated from the document, with teams, plans, assessments and reports that exist put
into them, so that most of them reach the use cases. Whatever is sent: no 5xx, nothing undeclared,
every error a problem document, and nobody does what they may not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from tests.service.good_requests import send, told
from tests.service.reading import (
    check_answers,
    check_bodies,
    check_operations,
    check_parameters,
    examples_of,
    operations_of,
    subjects_of,
)
from tests.systems.ladders.api_probing import prober
from tests.systems.ladders.api_requests import MAY, good_request
from tests.systems.ladders.api_world import World, world
from tests.systems.ladders.support import API

QUICK, DEEP = 2, 80
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
    made: dict[str, Any] = service.http.get("/ladders/openapi.json").json()
    return made


# --- whether the service keeps to it -------------------------------------------------------------


def test_generated_requests(service: World) -> None:
    probing = prober(service)
    for name, operation in probing.operations().items():
        if name not in SHARED:
            probing.probe(name, operation, QUICK)
    tally = probing.tally
    seen = "\n".join(tally.lines())
    assert tally.reached > 0.6 * tally.right > 0, seen
    assert len(tally.succeeded()) > 0.7 * len(MAY.keys() - SHARED), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(MAY))
def test_many_generated_requests(name: str, service: World) -> None:
    probing = prober(service)
    probing.probe_deeply(name, DEEP)
    assert name in probing.tally.succeeded(), list(probing.tally.lines())


def test_examples_are_accepted(service: World, document: dict[str, Any]) -> None:
    """What the document shows can be sent as it stands, to a place where there is such a thing."""
    sent = 0
    for name, operation in operations_of(document).items():
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            for shown in examples_of(document, content):
                request = good_request(name, service)
                head = {**request.headers, "Content-Type": media_type}
                made = replace(request, headers=head, content=orjson.dumps(shown))
                answer = send(service.http, made, service.headers(sorted(MAY[name])[0]))
                # That what they name is not there, or is, is all that may be wrong with them.
                said = {} if answer.status_code < 400 else answer.json()
                fields = {each["field"] for each in said.get("errors", ())}
                named = said.get("code", "") in _NOT_THERE or (fields and fields <= _UNKNOWN)
                assert named, (name, answer.text)
                sent += 1
    assert sent > 15


_NOT_THERE = (
    *("", "NOT_FOUND", "NOT_A_MANAGER", "NOT_A_MEMBER"),
    *("EMAIL_TAKEN", "VERSION_EXISTS"),
)
_UNKNOWN = {"body.user_ids.0", "body.emails.0"}


def test_a_change_of_what_was_not_seen_is_refused(service: World, document: dict[str, Any]) -> None:
    """With one code, wherever it is; where it has to be said what was seen, with another one."""
    changes = {each: found for each, found in operations_of(document).items() if _is_seen(found)}
    assert len(changes) >= 15
    for name, operation in changes.items():
        who = service.headers
        made = replace(good_request(name, service), headers={"If-Match": '"99"'})
        answer = send(service.http, made, who(sorted(MAY[name])[0]))
        assert told(answer) == (412, "REVISION_CONFLICT"), name
        unsaid = replace(good_request(name, service), headers={})
        answer = send(service.http, unsaid, who(sorted(MAY[name])[0]))
        if "428" in operation["responses"]:
            assert told(answer) == (428, "PRECONDITION_REQUIRED"), name
        else:
            assert answer.is_success, (name, answer.text)


def _is_seen(operation: dict[str, Any]) -> bool:
    return "if-match" in {each["name"].lower() for each in operation.get("parameters", ())}


def test_a_request_is_repeated_under_its_key(service: World, document: dict[str, Any]) -> None:
    """Whoever may still do it is answered as before, wherever the document has the header."""
    keyed = [name for name, each in operations_of(document).items() if _is_keyed(each)]
    assert len(keyed) >= 20
    for name in keyed:
        request = good_request(name, service)
        made = replace(request, headers={**request.headers, "Idempotency-Key": name})
        who = service.headers(sorted(MAY[name])[0])
        first, again = (send(service.http, made, who) for _ in range(2))
        assert first.is_success, (name, first.text)
        assert again.headers.get("idempotency-replayed") == "true", (name, again.text)
        assert (again.status_code, again.content) == (first.status_code, first.content), name


def _is_keyed(operation: dict[str, Any]) -> bool:
    return "Idempotency-Key" in {each["name"] for each in operation.get("parameters", ())}


# --- how it reads --------------------------------------------------------------------------------


def test_the_document_reads_well(document: dict[str, Any]) -> None:
    check_operations(document)
    check_parameters(document)
    check_answers(document)
    check_bodies(document)


def test_every_route_says_who_may_call_it(document: dict[str, Any]) -> None:
    assert operations_of(document).keys() == MAY.keys()
    for name, operation in operations_of(document).items():
        named = {scheme for each in operation["security"] for scheme in each}
        assert named == {"bearer", "key", "session"}, name
        assert {"401", "403", "429"} <= operation["responses"].keys()


def test_what_is_named_in_an_address_has_one_name(document: dict[str, Any]) -> None:
    """And may be somebody else's: 404 is among the answers."""
    known = {"user_id", "team_id", "plan_id", "assessment_id", "report_id", "action_id"}
    known |= {"config_id", "other", "key_id", "handle"}
    for path, found in document["paths"].items():
        names = re.findall(r"\{(\w+)\}", path)
        assert set(names) <= known, path
        for operation in found.values():
            assert not names or "404" in operation["responses"], path


def test_a_stale_revision_is_told_where_one_is_heeded(document: dict[str, Any]) -> None:
    for name, operation in operations_of(document).items():
        assert ("412" in operation["responses"]) == _is_seen(operation), name


def test_subjects_are_in_the_order_of_use(document: dict[str, Any]) -> None:
    names = subjects_of(document)
    assert names[:4] == ["Me", "Users", "Teams", "Plans"]
    assert names[-1] == "outbox"


def test_the_document_names_no_secret(service: World) -> None:
    text = service.http.get("/ladders/openapi.json").text
    assert not [each for each in service.keys.values() if each in text]


def test_what_is_not_documented_is_not_there(service: World) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("PATCH", "/teams", 405),
        ("TRACE", "/teams", 405),
        ("DELETE", "/users", 405),
        ("GET", "/configs/rollback/now", 404),
    ):
        answer = service.http.request(method, f"{API}{path}", headers=service.headers("admin"))
        assert answer.status_code == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        if status == 405:
            assert method not in answer.headers["allow"].split(", ")
            assert answer.headers["allow"]
