"""Who may do what: every operation, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service.good_requests import send
from tests.service.reading import operations_of
from tests.systems.pricekeeper.api_requests import DESTRUCTIVE, MAY, good_request
from tests.systems.pricekeeper.api_world import ROLES, WHO, Tenant, World, world

FOR_ROLES = frozenset(name for name, may in MAY.items() if may <= frozenset(ROLES))


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def shared(service: World) -> Tenant:
    return service.tenant()


@pytest.mark.parametrize("operation", MAY)
def test_who_may(operation: str, service: World, shared: Tenant) -> None:
    tenant = service.tenant() if operation in DESTRUCTIVE else shared
    request = good_request(operation, service, tenant)
    # Those who may not come first: what they try must leave everything as it was.
    for who in sorted(frozenset(WHO) - MAY[operation]):
        answer = send(service.http, request, service.headers(who, tenant))
        assert answer.status_code == refusal(who, operation, request.path), (who, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    for who in sorted(MAY[operation]):
        request = good_request(operation, service, tenant)
        answer = send(service.http, request, service.headers(who, tenant))
        assert answer.is_success, (who, answer.text)


def refusal(who: str, operation: str, path: str) -> int:
    """What somebody is told who may not."""
    if who in ("nobody", "nonsense"):
        return 401
    if who in ROLES:
        return 403
    if operation in FOR_ROLES:
        return 403  # a client is known, and has no roles
    if who.startswith("foreign"):
        return 404  # not even that there is such an organisation
    return 403


def test_every_operation_is_in_the_table(service: World) -> None:
    document = service.http.get("/pricekeeper/openapi.json").json()
    assert operations_of(document).keys() == MAY.keys()
