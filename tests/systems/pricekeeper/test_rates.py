"""How often clients may ask, and what they are told about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.systems.pricekeeper.api_world import WEB, Tenant, World, report, world

from tablewright.systems.pricekeeper.options import Options

SELECTIONS, AGGREGATES, RECORDS = 5, 4, 30
HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy")


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    narrow = {
        "SELECTIONS_PER_MINUTE": SELECTIONS,
        "AGGREGATES_PER_MINUTE": AGGREGATES,
        "RECORDS_PER_MINUTE": RECORDS,
    }
    environ = {f"TABLEWRIGHT_PRICEKEEPER_{name}": str(each) for name, each in narrow.items()}
    with world(environ=environ) as found:
        yield found


@pytest.fixture
def tenant(service: World) -> Tenant:
    return service.tenant()


def test_unless_somebody_chooses_others() -> None:
    options = Options()
    assert options.records_per_minute == 300_000
    assert options.selections_per_minute == 600
    assert options.aggregates_per_minute == 60
    assert options.rotations_per_hour == 5
    assert options.login_failures_per_minute == 10


@pytest.mark.parametrize(
    ("path", "bucket", "most"),
    [("model-selection", "selections", SELECTIONS), ("aggregates/today", "aggregates", AGGREGATES)],
)
def test_what_is_left_is_said_and_then_nothing_is(
    path: str, bucket: str, most: int, service: World, tenant: Tenant
) -> None:
    url, headers = f"{tenant.app_path}/{path}", service.headers("app", tenant)
    left = most
    for _ in range(most):
        left -= 1
        answer = service.http.get(url, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["RateLimit-Limit"] == str(most)
        assert int(answer.headers["RateLimit-Remaining"]) == left
        assert answer.headers["RateLimit-Policy"].startswith(f'"{bucket}";q={most};')
        # Where it is counted: each process for itself.
        assert answer.headers["RateLimit-Policy"].endswith('scope="process"')
    refused = service.http.get(url, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert all(name in refused.headers for name in HEADERS)
    # Others are not in its way, not even of the same organisation.
    for who in ("other app", "org"):
        path = url.replace(f"/{WEB}/", "/mobile/") if who == "other app" else url
        assert service.http.get(path, headers=service.headers(who, tenant)).status_code == 200


def test_a_batch_counts_as_many_as_it_has(service: World, tenant: Tenant) -> None:
    headers = service.headers("org", tenant)
    url = f"{tenant.app_path}/costs/batch"
    batch = {"records": [report("premium") for _ in range(RECORDS - 1)]}
    answer = service.http.post(url, json=batch, headers=headers)
    assert answer.headers["RateLimit-Remaining"] == "1"
    assert service.http.post(url, json=batch, headers=headers).status_code == 429
    one = service.http.post(f"{tenant.app_path}/costs", json=report("premium"), headers=headers)
    assert (one.status_code, one.headers["RateLimit-Remaining"]) == (201, "0")


def test_five_rotations_an_hour(service: World, tenant: Tenant) -> None:
    url = f"{tenant.app_path}/credentials/rotate"
    answers = [
        service.http.post(url, json={"force": True}, headers=service.admin) for _ in range(6)
    ]
    assert [each.status_code for each in answers] == [200] * 5 + [429]
    assert 600 <= int(answers[-1].headers["Retry-After"]) <= 720  # a fifth of an hour
    other = f"{tenant.path}/credentials/rotate"
    assert service.http.post(other, json={}, headers=service.admin).status_code == 200
