"""The service under test, with an app to use."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx2 as httpx

from benchmarks.service import Service as Running
from benchmarks.service import up

APP = "bench"
ORGS = 4
LABELS = ("premium", "standard", "economy")
#: The limits on a client's rate are for production; here the service itself is to be measured.
NO_LIMITS = {
    f"TABLEWRIGHT_PRICEKEEPER_{name}": "1000000000"
    for name in ("RECORDS_PER_MINUTE", "SELECTIONS_PER_MINUTE", "AGGREGATES_PER_MINUTE")
}


@dataclass(frozen=True)
class Service:
    """A running service, and what a client needs to use it."""

    port: int
    pid: int
    #: Paths and tokens, as the load generator wants them; one for each organisation.
    places: list[dict[str, str]]


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """`tablewright up pricekeeper` on `folder`, with an organisation whose limits are far away."""
    with up("pricekeeper", folder, environ=NO_LIMITS) as running:
        yield _prepared(running)


def _prepared(running: Running) -> Service:
    api = "/pricekeeper/api/v1"
    headers = {"Authorization": f"Bearer {running.admin}"}
    with httpx.Client(base_url=running.url, timeout=30) as http:
        _labelled(http, api, headers)
        made = [_provisioned(http, api, headers) for _ in range(ORGS)]
    places = [
        {
            "api": api,
            "app": f"{api}/orgs/{org_id}/apps/{APP}",
            "token": token,
            "admin": running.admin,
        }
        for token, org_id in made
    ]
    return Service(running.port, running.pid, places)


def _labelled(http: httpx.Client, api: str, admin: dict[str, str]) -> None:
    for label in LABELS:
        model = {"bedrock_model_id": f"bench.{label}", "tier": label, "family": "bench"}
        _said(http.put(f"{api}/labels/{label}", json=model, headers=admin))
        price = {
            "region_class": "region",
            "service_tier": "standard",
            "effective_from": "2026-01-01T00:00:00Z",
            "input_price_usd_micros_per_1m": 3_000_000,
            "output_price_usd_micros_per_1m": 15_000_000,
        }
        _said(http.put(f"{api}/prices/bench.{label}", json=price, headers=admin))


def _provisioned(http: httpx.Client, api: str, admin: dict[str, str]) -> tuple[str, str]:
    org_id = str(uuid4())
    org = {
        "org_name": "Bench",
        "timezone": "Europe/Oslo",
        "model_ordering": list(LABELS),
        "quotas": dict.fromkeys(LABELS, 10**14),
    }
    _said(http.put(f"{api}/orgs/{org_id}", json=org, headers=admin))
    made = _said(
        http.put(f"{api}/orgs/{org_id}/apps/{APP}", json={"app_name": "Bench"}, headers=admin)
    )
    redeemed = _said(
        http.post(
            f"{api}/credentials/secret", json={"token": made["retrieval_token"]}, headers=admin
        )
    )
    grant = {
        "grant_type": "client_credentials",
        "client_id": redeemed["client_id"],
        "client_secret": redeemed["client_secret"],
    }
    return _said(http.post("/pricekeeper/auth/token", json=grant))["access_token"], org_id


def _said(response: httpx.Response) -> dict[str, str]:
    if response.is_error:
        raise RuntimeError(f"{response.request.url}: {response.status_code} {response.text}")
    found: dict[str, str] = response.json()
    return found
