"""The service behind a port, with an organisation, an app and its secret made over the API."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
from tests.service.support import Running, running

from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

APP = "web"
LABELS = ("premium", "standard", "economy")


@dataclass(frozen=True)
class Served:
    """A service, and what a client of an app needs."""

    service: Running
    admin: str
    org_id: str
    credentials: dict[str, str]

    @property
    def url(self) -> str:
        return f"{self.service.url}/pricekeeper"

    @property
    def app_path(self) -> str:
        return f"/pricekeeper/api/v1/orgs/{self.org_id}/apps/{APP}"

    def get(self, path: str) -> Any:
        """What an administrator sees."""
        with self.service.client(headers={"Authorization": f"Bearer {self.admin}"}) as http:
            return answered(http.get(path))

    def spent(self) -> dict[str, Any]:
        """The totals of today, straight from the counters."""
        found: dict[str, Any] = self.get(f"{self.app_path}/aggregates/today")
        return found


def answered(response: httpx2.Response) -> Any:
    assert response.is_success, response.text
    return response.json()


@contextmanager
def served(backend: Backend, **org: Any) -> Iterator[Served]:
    """``org`` are settings of the organisation."""
    keys: list[str] = []

    async def opened(runtime: Runtime) -> None:
        tester = Principal("tests", "Tests", "system")
        _, text = await runtime.auth.api_keys.create(tester, name="tests", roles=["admin"])
        keys.append(text)

    with running(system, backend, opened=opened) as service:
        headers = {"Authorization": f"Bearer {keys[0]}"}
        with service.client(headers=headers) as http:
            org_id, credentials = provisioned(http, org)
        yield Served(service, keys[0], org_id, credentials)


def provisioned(http: httpx2.Client, org: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """An organisation and its app; the id, and the app's credentials."""
    api, org_id = "/pricekeeper/api/v1", str(uuid4())
    for label in LABELS:
        model = {"bedrock_model_id": f"tests.{label}"}
        price = {
            "effective_from": "2026-01-01T00:00:00Z",
            "input_price_usd_micros_per_1m": 3_000_000,
            "output_price_usd_micros_per_1m": 15_000_000,
        }
        answered(http.put(f"{api}/labels/{label}", json=model))
        answered(http.put(f"{api}/prices/tests.{label}", json=price))
    settings = {
        "org_name": "Tests",
        "timezone": "UTC",
        "model_ordering": list(LABELS),
        "quotas": dict.fromkeys(LABELS, 10_000_000),
        **org,
    }
    answered(http.put(f"{api}/orgs/{org_id}", json=settings))
    made = answered(http.put(f"{api}/orgs/{org_id}/apps/{APP}", json={"app_name": "Web"}))
    token = {"token": made["retrieval_token"]}
    secret = answered(http.post(f"{api}/credentials/secret", json=token))
    return org_id, {name: secret[name] for name in ("client_id", "client_secret")}


async def until(true: Any, seconds: float = 10.0) -> None:
    """Wait until something has become true."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.02)
