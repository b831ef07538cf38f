"""The OpenAPI document of kurukshetra, and whether the service keeps to it.

Requests are generated from the document, with events, teams, payments and tickets that exist put
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
from tests.systems.kurukshetra.api_probing import prober
from tests.systems.kurukshetra.api_requests import ENDLESS, INSTEAD, MAY, OPEN, good_request
from tests.systems.kurukshetra.api_world import API, World, world

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
#: Only the gateway can sign what it says.
SIGNED = frozenset({"take_delivery"})


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def document(service: World) -> dict[str, Any]:
    made: dict[str, Any] = service.http.get("/kurukshetra/openapi.json").json()
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
    assert len(tally.succeeded()) > 0.7 * len(PROBED), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBED)
def test_many_generated_requests(name: str, service: World) -> None:
    probing = prober(service)
    probing.probe_deeply(name, DEEP)
    assert name in probing.tally.succeeded() | SIGNED, list(probing.tally.lines())


def test_examples_are_accepted(service: World, document: dict[str, Any]) -> None:
    """What the document shows can be sent as it stands, to a place where there is such a thing."""
    sent = 0
    for name, operation in operations_of(document).items():
        if name in SIGNED:
            continue
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            for shown in examples_of(document, content):
                request = good_request(name, service)
                who = INSTEAD.get(name, sorted(MAY[name])[0])
                answer = service.http.request(
                    request.method,
                    request.path,
                    content=orjson.dumps(shown),
                    headers={
                        **request.headers,
                        **service.headers(who),
                        "Content-Type": media_type,
                    },
                )
                # That what they name is not there is all that may be wrong with them.
                said = {} if answer.status_code < 400 else answer.json()
                fields = [each["field"] for each in said.get("errors", ())]
                named = said.get("code", "") in _NOT_THERE or fields == ["body.answers"]
                assert named, (name, answer.text)
                sent += 1
    assert sent > 15


_NOT_THERE = (
    *("", "NOT_FOUND", "INVITE_INVALID", "VOUCHER_INVALID", "NOT_REDEEMED"),
    *("EVENT_EXISTS", "ALREADY_EXISTS"),
)


def test_a_change_of_what_was_not_seen_is_refused(service: World, document: dict[str, Any]) -> None:
    """With one code, wherever it is; without saying what was seen, with another one."""
    changes = [each for each, found in operations_of(document).items() if _is_seen(found)]
    assert len(changes) >= 6
    for name in changes:
        for seen, status, code in (('"99"', 412, "VERSION_CONFLICT"), (None, 428, _UNSAID)):
            request = good_request(name, service)
            new = request.headers.get("If-None-Match") == "*"
            head = {} if seen is None else {"If-Match": seen}
            changed = replace(request, headers=head)
            answer = send(service.http, changed, service.headers("admin"))
            if new and seen is None:
                assert answer.is_success, name
            else:
                assert told(answer) == (status, code), name


_UNSAID = "PRECONDITION_REQUIRED"


def _is_seen(operation: dict[str, Any]) -> bool:
    return "if-match" in {each["name"].lower() for each in operation.get("parameters", ())}


# --- how it reads --------------------------------------------------------------------------------


def test_the_document_reads_well(document: dict[str, Any]) -> None:
    check_operations(document)
    check_parameters(document)
    check_answers(document)
    check_bodies(document)


def test_every_route_says_who_may_call_it(document: dict[str, Any]) -> None:
    for name, operation in operations_of(document).items():
        if name in OPEN:
            assert "security" not in operation, name
            assert name in SIGNED | {"health"} or "429" in operation["responses"], name
            continue
        named = {scheme for each in operation["security"] for scheme in each}
        assert named == {"bearer", "key", "session"}, name
        assert {"401", "403", "429"} <= operation["responses"].keys()


def test_what_is_named_in_an_address_has_one_name(document: dict[str, Any]) -> None:
    """And may be somebody else's: 404 is among the answers."""
    known = {"e", "t", "p", "y", "email_hash", "code", "job_id", "key_id", "handle"}
    for path, found in document["paths"].items():
        names = re.findall(r"\{(\w+)\}", path)
        assert set(names) <= known, path
        for operation in found.values():
            assert not names or "404" in operation["responses"], path


def test_subjects_are_in_the_order_of_use(document: dict[str, Any]) -> None:
    names = subjects_of(document)
    assert names[:4] == ["Events", "Registration", "Teams", "Seats and checkout"]
    assert names[-1] == "outbox"


def test_the_document_names_no_secret(service: World) -> None:
    text = service.http.get("/kurukshetra/openapi.json").text
    assert not [each for each in service.keys.values() if each in text]


def test_what_is_not_documented_is_not_there(service: World) -> None:
    for method, path, status in (
        ("GET", "/nothing", 404),
        ("PATCH", "/events", 405),
        ("TRACE", "/events", 405),
        ("DELETE", "/events", 405),
        ("GET", "/payment/webhook", 405),
    ):
        answer = service.http.request(method, f"{API}{path}", headers=service.headers("admin"))
        assert answer.status_code == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        if status == 405:
            assert method not in answer.headers["allow"].split(", ")
            assert answer.headers["allow"]
