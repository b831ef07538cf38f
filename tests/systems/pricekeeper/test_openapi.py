"""The OpenAPI document of pricekeeper, and whether the service keeps to it.

Requests are generated from the document, with organisations, tokens and records that exist put into
them, so that most of them reach the use cases. Whatever is sent: no 5xx, nothing undeclared, every
error a problem document, and nobody does what they may not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

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
from tests.systems.pricekeeper.api_probing import prober
from tests.systems.pricekeeper.api_requests import DESTRUCTIVE, MAY, good_request
from tests.systems.pricekeeper.api_world import API, Tenant, World, world

QUICK, DEEP = 2, 150


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def tenant(service: World) -> Tenant:
    return service.tenant()


@pytest.fixture(scope="module")
def document(service: World) -> dict[str, Any]:
    made: dict[str, Any] = service.http.get("/pricekeeper/openapi.json").json()
    return made


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return operations_of(document)


# --- whether the service keeps to it -------------------------------------------------------------


def test_generated_requests(service: World) -> None:
    probing = prober(service)
    for name, operation in probing.operations().items():
        probing.probe(name, operation, QUICK)
    tally = probing.tally
    seen = "\n".join(tally.lines())
    assert tally.reached > 0.6 * tally.right > 0, seen
    assert len(tally.succeeded()) > 0.8 * len(MAY), seen


@pytest.mark.slow
@pytest.mark.parametrize("name", MAY)
def test_many_generated_requests(name: str, service: World) -> None:
    probing = prober(service)
    probing.probe_deeply(name, DEEP)
    assert name in probing.tally.succeeded(), list(probing.tally.lines())


def test_examples_are_accepted(
    service: World, document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    """What the document shows can be sent as it stands, to a place where there is such a thing."""
    sent, shared = 0, service.tenant()
    for name, operation in operations.items():
        tenant = service.tenant() if name in DESTRUCTIVE else shared
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            for shown in examples_of(document, content):
                request = good_request(name, service, tenant)
                if name in _CREATING:
                    request = replace(request, path=_CREATING[name](tenant), headers={})
                answer = service.http.request(
                    request.method,
                    request.path,
                    headers={**request.headers, **service.headers(sorted(MAY[name])[0], tenant)},
                    **{"json" if media_type == "application/json" else "data": shown},
                )
                # That there is no such record or token is all that may be wrong with it.
                told = "" if answer.status_code < 400 else answer.json()["code"]
                assert told in ("", *_NOT_THERE), (name, answer.text)
                sent += 1
    assert sent > 20


#: PUT refuses to reset settings that it leaves out; an example is a new organisation, or app.
_CREATING: dict[str, Callable[[Tenant], str]] = {
    "put_org": lambda _: f"{API}/orgs/{uuid4()}",
    "put_app": lambda tenant: f"{tenant.path}/apps/example",
}
_NOT_THERE = ("NOT_FOUND", "INVALID_CLIENT", "INVALID_GRANT", "OUTSIDE_WINDOW")


# --- how it reads --------------------------------------------------------------------------------


def test_the_document_reads_well(document: dict[str, Any]) -> None:
    check_operations(document)
    check_parameters(document)
    check_answers(document)
    check_bodies(document)


def test_every_route_says_who_may_call_it(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    schemes = set(document["components"]["securitySchemes"])
    clients = {"org", "app"}
    for name, operation in operations.items():
        named = {scheme for each in operation["security"] for scheme in each}
        assert named <= schemes
        may = MAY[name]
        if "nobody" in may:
            assert operation["security"] == [] or {} in operation["security"]
        else:
            assert ("client" in named) == bool(may & clients), name
            assert ({"bearer", "key", "session"} <= named) == ("admin" in may), name
            assert {"401", "403", "429"} <= operation["responses"].keys()
    assert {"client", "bearer", "key", "session"} <= schemes


def test_subjects_are_in_the_order_of_use(document: dict[str, Any]) -> None:
    names = subjects_of(document)
    # What every app needs comes first, what the process is looked after with last.
    assert names[:3] == ["auth", "selection", "costs"]
    assert names[-1] == "outbox"


def test_the_document_names_no_secret(service: World, tenant: Tenant) -> None:
    text = service.http.get("/pricekeeper/openapi.json").text
    for secret in (*tenant.secrets.values(), *tenant.tokens.values(), *service.keys.values()):
        assert secret not in text


def test_what_is_not_documented_is_not_there(service: World) -> None:
    for method, path, status in (
        ("GET", f"{API}/nothing", 404),
        ("GET", "/pricekeeper/auth/nothing", 404),
        ("PATCH", f"{API}/orgs", 405),
        ("TRACE", f"{API}/labels", 405),
        ("POST", f"{API}/prices", 405),
        ("GET", "/pricekeeper/auth/token", 405),
    ):
        answer = service.http.request(method, path, headers=service.admin)
        assert answer.status_code == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        if status == 405:
            assert method not in answer.headers["allow"].split(", ")
            assert answer.headers["allow"]
