"""Who may do what: every operation, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service.good_requests import send
from tests.service.reading import operations_of
from tests.systems.kurukshetra.api_requests import ENDLESS, INSTEAD, MAY, good_request, refusal
from tests.systems.kurukshetra.api_world import WHO, World, world


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


def test_every_operation_is_in_the_table(service: World) -> None:
    document = service.http.get("/kurukshetra/openapi.json").json()
    assert operations_of(document).keys() == MAY.keys()
