"""The service under test: the real command, its own process, a folder on disk, an app to use."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2 as httpx

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
    command = [sys.executable, "-m", "tablewright", "up", "pricekeeper"]
    # A log that is kept, as in production: writing it is part of the cost.
    log = (folder / "service.log").open("w")
    process = subprocess.Popen(
        [*command, "--port", "0", "--data", str(folder / "data"), "--json"],
        stdout=subprocess.PIPE,
        stderr=log,
        env=os.environ | NO_LIMITS,
        text=True,
    )
    assert process.stdout is not None
    try:
        said = json.loads(process.stdout.readline())
        yield _prepared(said, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        log.close()


def _prepared(said: dict[str, str], pid: int) -> Service:
    url = said["url"].rstrip("/")
    admin = Path(said["admin_key_file"]).read_text().strip()
    api = "/pricekeeper/api/v1"
    headers = {"Authorization": f"Bearer {admin}"}
    with httpx.Client(base_url=url, timeout=30) as http:
        _labelled(http, api, headers)
        made = [_provisioned(http, api, headers) for _ in range(ORGS)]
    places = [
        {"api": api, "app": f"{api}/orgs/{org_id}/apps/{APP}", "token": token, "admin": admin}
        for token, org_id in made
    ]
    port = urlsplit(url).port
    assert port is not None
    return Service(port, pid, places)


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
