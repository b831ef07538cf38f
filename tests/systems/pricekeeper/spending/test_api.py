"""Selections, aggregates, overrides and alerts over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from tests.service.support import asgi
from tests.systems.pricekeeper.spending.support import ORG, START, USD

from tablewright.clock import ManualClock
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

ROOT = "/pricekeeper/api/v1"
AT_ORG = f"{ROOT}/orgs/{ORG}"
AT_APP = f"{AT_ORG}/apps/web"
SETTINGS = {
    "org_name": "Sample",
    "timezone": "America/New_York",
    "model_ordering": ["premium", "standard"],
    "quotas": {"premium": 10 * USD, "standard": 5 * USD},
}


@pytest.fixture
def clock(tablewright_clock: ManualClock) -> ManualClock:
    tablewright_clock.set(START)
    return tablewright_clock


@dataclass
class World:
    """A service with one organisation and one app, and who calls it."""

    http: httpx2.AsyncClient
    clock: ManualClock
    admin: dict[str, str]
    org: dict[str, str]
    app: dict[str, str]

    async def spend(self, label: str, micros: int, at: float | None = None) -> httpx2.Response:
        when = int(self.clock.now() if at is None else at)
        body = {
            "request_id": str(uuid4()),
            "label": label,
            "timestamp": when,
            "input_tokens": 10,
            "cost_usd_micros": micros,
        }
        answer = await self.http.post(f"{AT_APP}/costs", json=body, headers=self.app)
        assert answer.status_code == 201, answer.text
        return answer

    async def get(self, path: str, who: dict[str, str] | None = None, **params: Any) -> Any:
        return await self.http.get(path, headers=who or self.app, params=params or None)

    async def select(self, **params: Any) -> httpx2.Response:
        return await self.get(f"{AT_APP}/model-selection", **params)


@asynccontextmanager
async def world(backend: Backend, clock: ManualClock) -> AsyncIterator[World]:
    async with asgi(system, backend, clock=clock) as (http, runtime):
        key = await runtime.auth.first_key()
        admin = {"Authorization": f"Bearer {key}"}
        for label in ("premium", "standard"):
            model = {"bedrock_model_id": f"test.{label}"}
            await _done(http.put(f"{ROOT}/labels/{label}", json=model, headers=admin))
        org = await _done(http.put(AT_ORG, json=SETTINGS, headers=admin))
        app = await _done(http.put(AT_APP, json={"app_name": "Web"}, headers=admin))
        yield World(
            http, clock, admin, await _login(http, admin, org), await _login(http, admin, app)
        )


async def _done(answer: Awaitable[httpx2.Response]) -> Any:
    found = await answer
    assert found.is_success, found.text
    return found.json()


async def _login(http: httpx2.AsyncClient, admin: dict[str, str], made: Any) -> dict[str, str]:
    token = {"token": made["retrieval_token"]}
    secret = await _done(http.post(f"{ROOT}/credentials/secret", json=token, headers=admin))
    grant = {"grant_type": "client_credentials", **secret}
    found = await _done(http.post("/pricekeeper/auth/token", json=grant))
    return {"Authorization": f"Bearer {found['access_token']}"}


def run(backend: Backend, clock: ManualClock, scenario: Callable[[World], Awaitable[None]]) -> None:
    async def within() -> None:
        async with world(backend, clock) as found:
            await scenario(found)

    asyncio.run(within())


# --- selection -----------------------------------------------------------------------------------


def test_selection(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        answer = await world.select()
        body = answer.json()
        assert (body["recommended_label"], body["bedrock_model_id"]) == ("premium", "test.premium")
        assert body["client_guidance"]["cache_duration_secs"] == 300
        assert answer.headers["cache-control"] == "private, max-age=300"
        assert [each["label"] for each in body["models_status"]] == ["premium", "standard"]
        assert body["models_status"][0]["limits"] == [
            {
                "scope": "ORG",
                "window": "DAY",
                "label": "premium",
                "quota_usd_micros": 10 * USD,
                "spend_usd_micros": 0,
                "pct": 0.0,
            }
        ]
        assert body["pricing"] is None
        assert answer.headers["ratelimit-limit"] == "600"
        # Nothing that matters changes with a little spend.
        etag = answer.headers["etag"]
        await world.spend("premium", 1000)
        again = await world.http.get(
            f"{AT_APP}/model-selection", headers={**world.app, "If-None-Match": etag}
        )
        assert (again.status_code, again.headers["etag"]) == (304, etag)
        # Who may ask.
        assert (await world.http.get(f"{AT_APP}/model-selection")).status_code == 401
        assert (await world.get(f"{AT_APP}/model-selection", world.org)).status_code == 200
        assert (await world.get(f"{AT_ORG}/apps/other/model-selection")).status_code == 403
        found = await world.get(f"{AT_ORG}/apps/other/model-selection", world.org)
        assert found.status_code == 404
        assert (await world.get(f"{AT_ORG}/apps/a%23b/model-selection")).status_code == 400
        assert (await world.select(force_check="perhaps")).status_code == 422

    run(tablewright_backend, clock, scenario)


def test_scenario_10_a_used_up_chain_is_429(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """Scenario 10 as a caller sees it; the reply to a report moves callers down at once."""

    async def scenario(world: World) -> None:
        guidance = (await world.spend("premium", 9 * USD)).json()["guidance"]
        assert (guidance["recommended_label"], guidance["pct"]) == ("premium", 90.0)
        guidance = (await world.spend("premium", 1 * USD)).json()["guidance"]
        assert guidance["recommended_label"] == "standard"
        clock.advance(1)
        body = (await world.select()).json()
        assert body["recommended_label"] == "standard"
        assert body["reason"].endswith("closed before it: premium.")
        assert body["models_status"][0]["exhausted"] is True
        await world.spend("standard", 5 * USD)
        clock.advance(1)
        answer = await world.select()
        body = answer.json()
        assert (answer.status_code, body["code"]) == (429, "QUOTA_EXCEEDED")
        assert answer.headers["content-type"] == "application/problem+json"
        midnight = START + 17 * 3600
        assert int(answer.headers["retry-after"]) == midnight - clock.now()
        assert body["recommended_label"] is None
        assert body["client_guidance"]["mode"] == "TIGHT"
        metrics = (await world.http.get("/metrics")).text
        spent = f'pricekeeper_quota_percent{{label="premium",scope="ORG#{ORG}",window="DAY"}} 100.0'
        assert spent in metrics
        assert 'pricekeeper_sticky_flips_total{level="ORG"} 2.0' in metrics

    run(tablewright_backend, clock, scenario)


# --- aggregates ----------------------------------------------------------------------------------


def test_today(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        await world.spend("premium", 1000)
        await world.spend("standard", 500)
        for path, who, app in ((AT_APP, world.app, "web"), (AT_ORG, world.org, None)):
            body = (await world.get(f"{path}/aggregates/today", who)).json()
            assert (body["app_id"], body["period"]) == (app, "2026-11-20")
            assert (body["totals"]["cost_usd_micros"], body["totals"]["requests"]) == (1500, 2)
            assert body["models"]["premium"]["cost_usd_micros"] == 1000
            assert body["models"]["premium"]["input_tokens"] == 10
        assert body["models"]["premium"]["quota_usd_micros"] == 10 * USD
        found = await world.get(f"{AT_APP}/aggregates/today", world.admin)
        assert found.json()["active_model_label"] == "premium"

    run(tablewright_backend, clock, scenario)


def test_history(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        yesterday = START - 86_400
        await world.spend("premium", 10, at=yesterday)
        await world.spend("standard", 7)
        body = (
            await world.get(f"{AT_APP}/aggregates", **{"from": "2026-11-18", "to": "2026-11-20"})
        ).json()
        spent = {each["period"]: each["totals"]["cost_usd_micros"] for each in body["items"]}
        # Yesterday has no total yet; today holds what this process knows.
        assert spent == {"2026-11-18": 0, "2026-11-19": 0, "2026-11-20": 7}
        for period, micros in (("2026-11-19", 10), ("2026-W47", 17), ("2026-11", 17)):
            body = (await world.get(f"{AT_ORG}/aggregates/{period}", world.org)).json()
            assert (body["period"], body["totals"]["cost_usd_micros"]) == (period, micros)
        weeks = await world.get(
            f"{AT_ORG}/aggregates",
            world.org,
            **{"from": "2026-11-01", "to": "2026-11-20", "window": "WEEK"},
        )
        assert [each["period"] for each in weeks.json()["items"]] == [
            "2026-W44",
            "2026-W45",
            "2026-W46",
            "2026-W47",
        ]

    run(tablewright_backend, clock, scenario)


#: Below an organisation, and what is answered.
PERIODS = {
    "/aggregates/2026-11-31": 400,
    "/aggregates/2026-W54": 400,
    "/aggregates/tomorrow": 400,
    "/aggregates/9999-12-31": 200,
    "/aggregates": 422,
    "/aggregates?from=2026-11-02&to=2026-11-01": 400,
    "/aggregates?from=2026-01-01&to=2026-11-01": 400,
    "/aggregates?from=9999-12-30&to=9999-12-31": 200,
    "/aggregates?from=2026-11-01&to=x": 400,
}


def test_what_may_be_asked(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        found = {path: await world.get(AT_ORG + path, world.org) for path in PERIODS}
        assert {path: answer.status_code for path, answer in found.items()} == PERIODS
        assert (await world.get(f"{AT_ORG}/aggregates/today", world.app)).status_code == 403
        assert (await world.http.get(f"{AT_ORG}/aggregates/today")).status_code == 401
        unknown = f"{ROOT}/orgs/{uuid4()}/aggregates/today"
        assert (await world.get(unknown, world.admin)).status_code == 404
        assert (await world.get(unknown, world.org)).status_code == 404

    run(tablewright_backend, clock, scenario)


# --- overrides -----------------------------------------------------------------------------------


def test_closing_and_opening_by_hand(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        async def override(path: str = AT_ORG, **body: Any) -> httpx2.Response:
            wish = {"reason": "a test", **body}
            return await world.http.post(f"{path}/override", json=wish, headers=world.admin)

        answer = await override(exhaust=["premium"])
        assert answer.json()["exhausted_labels"] == ["premium"], answer.text
        clock.advance(1)
        assert (await world.select()).json()["recommended_label"] == "standard"
        # Also in a scope that has no limits of its own.
        await override(AT_APP, exhaust=["standard"])
        clock.advance(1)
        assert (await world.select()).status_code == 429
        answer = await override(restore=["premium"])
        assert (answer.json()["exhausted_labels"], answer.json()["day"]) == ([], "2026-11-20")
        clock.advance(1)
        assert (await world.select()).json()["recommended_label"] == "premium"
        entries = (await world.get(f"{ROOT}/audit", world.admin)).json()["items"]
        told = [(each["action"], each["subject"]) for each in entries if "label." in each["action"]]
        assert told[:3] == [
            ("label.restore", f"org/{ORG}"),
            ("label.exhaust", f"org/{ORG}/app/web"),
            ("label.exhaust", f"org/{ORG}"),
        ]

    run(tablewright_backend, clock, scenario)


def test_what_cannot_be_overridden(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        async def override(path: str = AT_ORG, **body: Any) -> tuple[int, str]:
            answer = await world.http.post(f"{path}/override", json=body, headers=world.admin)
            return answer.status_code, answer.json().get("code", "")

        why = {"reason": "a test"}
        assert await override(exhaust=["premium"]) == (422, "INVALID")
        assert await override(**why) == (422, "INVALID")
        assert await override(exhaust=["a#b"], **why) == (422, "INVALID")
        assert await override(exhaust=["unknown"], **why) == (422, "INVALID")
        both = ["premium"]
        assert await override(exhaust=both, restore=both, **why) == (422, "INVALID")
        assert await override(f"{AT_ORG}/apps/none", exhaust=both, **why) == (404, "NOT_FOUND")
        # Nothing is closed: nothing is to be done.
        assert await override(restore=both, **why) == (200, "")
        # It would be closed again at once.
        await world.spend("premium", 10 * USD)
        clock.advance(1)
        assert await override(restore=both, **why) == (409, "LIMIT_REACHED")
        answer = await world.http.post(f"{AT_ORG}/override", json=why, headers=world.org)
        assert answer.status_code in (401, 403)

    run(tablewright_backend, clock, scenario)


# --- alerts --------------------------------------------------------------------------------------


def test_alerts(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def scenario(world: World) -> None:
        await world.spend("premium", 8 * USD)
        clock.advance(1)
        await world.select(force_check=True)
        everything = (await world.get(f"{ROOT}/alerts", world.admin)).json()
        assert [each["pct"] for each in everything["items"]] == [80]
        one = (await world.get(f"{ROOT}/alerts", world.admin, org_id=ORG)).json()["items"][0]
        assert (one["org_id"], one["app_id"], one["period"]) == (ORG, None, "2026-11-20")
        assert (one["spend_usd_micros"], one["quota_usd_micros"]) == (8 * USD, 10 * USD)
        other = await world.get(f"{ROOT}/alerts", world.admin, org_id=ORG, date="2026-11-19")
        assert other.json()["items"] == []
        for params in ({"org_id": "x"}, {"org_id": ORG, "date": "x"}, {"app_id": "web"}):
            assert (await world.get(f"{ROOT}/alerts", world.admin, **params)).status_code == 400
        assert (await world.get(f"{ROOT}/alerts", world.app)).status_code == 403

    run(tablewright_backend, clock, scenario)


# --- models without a price ----------------------------------------------------------------------


def test_selection_when_the_organisation_blocks_unpriced_models_is_429_until_they_have_a_price(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario(world: World) -> None:
        counted = (await world.select()).json()
        assert [each["priced"] for each in counted["models_status"]] == [False, False]
        assert counted["recommended_label"] == "premium"
        assert (await world.get(f"{ROOT}/labels/premium", world.admin)).json()["priced"] is False

        changed = await world.http.put(
            AT_ORG,
            json={**SETTINGS, "unpriced": "block"},
            headers={**world.admin, "If-Match": '"1"'},
        )
        assert changed.json()["unpriced"] == "block"
        refused = await world.select()
        assert (refused.status_code, refused.json()["code"]) == (429, "QUOTA_EXCEEDED")
        assert "no price: premium, standard" in refused.json()["reason"]

        rates = {"input_price_usd_micros_per_1m": 1, "output_price_usd_micros_per_1m": 1}
        price = await world.http.put(
            f"{ROOT}/prices/test.standard", json=rates, headers=world.admin
        )
        assert price.is_success, price.text
        clock.advance(10)
        selected = (await world.select()).json()
        assert selected["recommended_label"] == "standard"
        assert [each["priced"] for each in selected["models_status"]] == [False, True]
        assert (await world.get(f"{ROOT}/labels/standard", world.admin)).json()["priced"] is True

    run(tablewright_backend, clock, scenario)


def test_every_answer_to_a_report_names_the_model(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def scenario(world: World) -> None:
        guidance = (await world.spend("premium", 10 * USD)).json()["guidance"]
        assert guidance["recommended_label"] == "standard"
        assert guidance["bedrock_model_id"] == "test.standard"

    run(tablewright_backend, clock, scenario)
