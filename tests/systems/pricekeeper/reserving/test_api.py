"""Reservations over HTTP, from switching them on to the record that keeps one."""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx2
from tests.systems.pricekeeper.access.http import API, SETTINGS, Service, bearer, serving
from tests.systems.pricekeeper.reserving.support import CENT, START

from tablewright.clock import ManualClock
from tablewright.systems.pricekeeper.rules.calendar import Calendar, Zone
from tablewright.systems.pricekeeper.samples import ORG, WEB
from tablewright.testing.backends import Backend

PATH = f"{API}/orgs/{ORG}/apps/{WEB}"


class Caller:
    """An app that reserves and records."""

    def __init__(self, service: Service, token: str) -> None:
        self.service = service
        self.headers = bearer(token)

    async def reserve(self, cost: object = CENT, **body: Any) -> httpx2.Response:
        wish = {"label": "premium", "max_usd_micros": cost, **body}
        return await self.service.http.post(f"{PATH}/reservations", json=wish, headers=self.headers)

    async def release(self, reservation_id: str) -> httpx2.Response:
        return await self.service.http.delete(
            f"{PATH}/reservations/{reservation_id}", headers=self.headers
        )

    async def record(self, cost: int, reservation_id: str) -> httpx2.Response:
        body = {
            "request_id": str(uuid.uuid4()),
            "label": "premium",
            "timestamp": int(self.service.clock.now()),
            "input_tokens": 1,
            "output_tokens": 1,
            "cost_usd_micros": cost,
            "reservation_id": reservation_id,
        }
        return await self.service.http.post(f"{PATH}/costs", json=body, headers=self.headers)


async def switched_on(service: Service) -> Caller:
    """Reservations that were switched on, and the midnight after that."""
    await service.org()
    client = await service.app()
    url = f"{API}/orgs/{ORG}"
    seen = await service.http.get(url, headers=service.admin)
    changed = await service.http.put(
        url,
        json={**SETTINGS, "quotas": {"premium": 100 * CENT}, "reservations": "on"},
        headers={**service.admin, "If-Match": seen.headers["etag"]},
    )
    assert changed.status_code == 200, changed.text
    caller = Caller(service, (await service.login(*client)).json()["access_token"])
    early = await caller.reserve()
    assert (early.status_code, early.json()["code"]) == (409, "RESERVATIONS_OFF")
    begins = Calendar([Zone(0, "America/New_York")]).next_midnight(int(START), 300)
    service.clock.set(begins)
    return Caller(service, (await service.login(*client)).json()["access_token"])


def run(backend: Backend, scenario: Any) -> None:
    async def whole() -> None:
        async with serving(backend, ManualClock(START)) as service:
            await scenario(await switched_on(service))

    asyncio.run(whole())


def test_a_reservation_from_end_to_end(tablewright_backend: Backend) -> None:
    async def scenario(caller: Caller) -> None:
        answer = await caller.reserve(60 * CENT, ttl_secs=300)
        assert answer.status_code == 201, answer.text
        made = answer.json()
        assert made["reserved_usd_micros"] == 60 * CENT
        assert (made["label"], made["day"]) == ("premium", "2026-11-21")
        assert made["expires_at"] == "2026-11-21T05:05:00Z"
        assert answer.headers["ratelimit-limit"] == "300000"
        full = await caller.reserve(41 * CENT)
        assert (full.status_code, full.json()["code"]) == (409, "LIMIT")
        assert full.json()["limit"]["quota_usd_micros"] == 100 * CENT
        kept = await caller.record(10 * CENT, made["reservation_id"])
        assert kept.status_code == 201, kept.text
        second = (await caller.reserve(90 * CENT)).json()["reservation_id"]
        assert (await caller.release(second)).status_code == 204
        assert (await caller.release(second)).status_code == 404
        assert (await caller.reserve(90 * CENT)).status_code == 201
        assert (await caller.reserve(1)).status_code == 409

    run(tablewright_backend, scenario)


def test_what_is_not_valid_is_said(tablewright_backend: Backend) -> None:
    async def scenario(caller: Caller) -> None:
        for body, field in (
            ({"ttl_secs": 901}, "ttl_secs"),
            ({"ttl_secs": 0}, "ttl_secs"),
            ({"cost": -1}, "max_usd_micros"),
            ({"cost": "1"}, "max_usd_micros"),
            ({"cost": 0.5}, "max_usd_micros"),
            ({"whatever": 1}, "whatever"),
        ):
            answer = await caller.reserve(**body)  # type: ignore[arg-type]
            assert (answer.status_code, answer.json()["code"]) == (422, "INVALID")
            assert answer.json()["errors"][0]["field"] == f"body.{field}"
        for label in ("a#LABEL#b", "_all", "unknown"):
            assert (await caller.reserve(label=label)).status_code == 400
        for wrong in ("x", "1.2.3", "%20"):
            assert (await caller.release(wrong)).status_code == 404
        assert (await caller.record(CENT, "x")).status_code == 422

    run(tablewright_backend, scenario)
