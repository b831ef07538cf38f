"""What ``/metrics`` shows: everything that the specification names, and that it moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.service.measuring import measured, total
from tests.systems.pricekeeper.api_world import API, AUTH, WEB, World, org_body, report, world

#: What is to be watched, and where it is.
WATCHED = {
    "consumed read units": "tablewright_db_read_units_total",
    "consumed write units": "tablewright_db_write_units_total",
    "throttles": "tablewright_db_throttles_total",
    "conditional failures": "tablewright_db_condition_failures_total",
    "transaction conflicts": "tablewright_db_transaction_conflicts_total",
    "aggregator lag": "pricekeeper_aggregator_lag_seconds",
    "quota percent per scope": "pricekeeper_quota_percent",
    "sticky flips": "pricekeeper_sticky_flips_total",
    "revocations": "pricekeeper_revocations_total",
    "revocation-cache hit rate": "pricekeeper_revocation_lookups_total",
    "retrieval tokens": "pricekeeper_retrieval_tokens_total",
}


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


def test_everything_that_is_to_be_watched_is_there(service: World) -> None:
    before = measured(service.http)
    use(service)
    after = measured(service.http)
    names = {name for name, _ in after}
    assert WATCHED.keys() == {what for what, name in WATCHED.items() if name in names}
    for what in ("consumed read units", "consumed write units", "conditional failures"):
        assert total(after, WATCHED[what]) > total(before, WATCHED[what]), what
    for outcome in ("issued", "redeemed", "failed"):
        name = WATCHED["retrieval tokens"]
        assert total(after, name, outcome=outcome) > total(before, name, outcome=outcome), outcome
    for result in ("hit", "miss"):
        name = WATCHED["revocation-cache hit rate"]
        assert total(after, name, result=result) > total(before, name, result=result), result
    for what in ("sticky flips", "revocations"):
        assert total(after, WATCHED[what]) == total(before, WATCHED[what]) + 1, what


def use(service: World) -> None:
    """Somebody spends all of a quota; a token is revoked; a secret is fetched twice."""
    tenant = service.tenant()
    body = {"token": "no such token, and none that was"}
    service.http.post(f"{API}/credentials/secret", json=body, headers=service.admin)
    quotas = {"premium": 1, "standard": None, "economy": None}
    service.done("PUT", tenant.path, org_body(quotas=quotas), If_Match="*")
    sent = report("premium")
    for _ in range(2):  # the second time its condition fails
        service.as_(tenant.tokens[WEB], "POST", f"{tenant.app_path}/costs", sent)
    select = f"{tenant.app_path}/model-selection?force_check=true"
    chosen = service.as_(tenant.tokens[WEB], "GET", select)
    assert chosen["recommended_label"] == "standard"
    token = {"token": tenant.tokens["mobile"]}
    assert service.http.post(f"{AUTH}/revoke", json=token).status_code == 204


def test_the_percentage_is_of_each_limit(service: World) -> None:
    tenant = service.tenant()
    quotas = {"premium": 1_000_000, "standard": None, "economy": None}
    service.done("PUT", tenant.path, org_body(quotas=quotas), If_Match="*")
    chosen = service.as_(
        tenant.tokens[WEB], "GET", f"{tenant.app_path}/model-selection?force_check=true"
    )
    shown = total(
        measured(service.http),
        WATCHED["quota percent per scope"],
        scope=f"ORG#{tenant.org_id}",
        label="premium",
        window="DAY",
    )
    assert shown == pytest.approx(chosen["models_status"][0]["pct"], abs=0.01)
    assert shown > 0


def test_metrics_are_for_those_inside(service: World) -> None:
    answer = service.http.get("/metrics", headers={"X-Forwarded-For": "203.0.113.9"})
    assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")


def test_no_label_comes_from_what_callers_send(service: World) -> None:
    secret = "made-up-by-a-caller"
    service.http.get(f"/pricekeeper/api/v1/{secret}")
    service.http.request(secret.upper(), f"{API}/orgs")
    service.http.get(f"{API}/prices/{secret}", headers=service.admin)
    assert secret not in service.http.get("/metrics").text.lower()
