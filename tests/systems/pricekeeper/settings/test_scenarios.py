"""What settings mean to callers, through all of the system: scenarios 12, 17 and 18."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import httpx2
from tests.systems.pricekeeper.settings.conftest import Run, Shared
from tests.systems.pricekeeper.settings.support import Api, app_body, opened, org_body

from tablewright.clock import ManualClock

#: Each test has an organisation of its own: what was spent stays in the totals of the others.
OTHER = "other"


@dataclass(frozen=True)
class Caller:
    """An app that has logged in."""

    api: Api
    path: str
    token: str

    async def __call__(self, method: str, path: str, body: object = None) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"/pricekeeper/api/v1{path}"
        return await self.api.http.request(method, url, json=body, headers=headers)

    async def record(self, label: str, at: float, **fields: object) -> httpx2.Response:
        body = {"request_id": str(uuid4()), "label": label, "timestamp": int(at), **fields}
        return await self("POST", f"{self.path}/costs", body)

    async def select(self) -> Any:
        return (await self("GET", f"{self.path}/model-selection")).json()


async def provisioned(api: Api, **settings: object) -> tuple[str, Caller]:
    """A new organisation with an app that has logged in."""
    org = f"/orgs/{uuid4()}"
    await api.put(org, org_body(timezone="UTC", **settings), 201)
    made = await api.put(f"{org}/apps/web", app_body(), 201)
    secret = await api("POST", "/credentials/secret", {"token": made["retrieval_token"]})
    login = {"grant_type": "client_credentials", **secret.json()}
    answer = await api.http.post("/pricekeeper/auth/token", json=login)
    assert answer.status_code == 200, answer.text
    return org, Caller(api, f"{org}/apps/web", answer.json()["access_token"])


# --- 12 ------------------------------------------------------------------------------------------


def test_scenario_12_a_quota_raised_at_noon_gives_the_label_back(
    run: Run, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        org, caller = await provisioned(api, quotas={"premium": 20, "standard": None})
        assert (await caller.select())["recommended_label"] == "premium"
        spent = await caller.record("premium", clock.now(), input_tokens=10)
        assert spent.json()["cost_usd_micros"] == 33
        clock.advance(2)
        assert (await caller.select())["recommended_label"] == "standard"
        clock.advance(60)
        assert (await caller.select())["recommended_label"] == "standard"
        raised = org_body(timezone="UTC", quotas={"premium": 1000, "standard": None})
        await api.put(org, raised, If_Match="*")
        clock.advance(2)
        assert (await caller.select())["recommended_label"] == "premium"

    run(test)


def test_scenario_12_another_process_sees_a_raised_quota_within_half_a_minute(
    run: Run, shared: Shared, clock: ManualClock
) -> None:
    async def test(api: Api) -> None:
        org, caller = await provisioned(api, quotas={"premium": 20, "standard": None})
        async with opened(shared.engine, clock, labels=False) as other:
            there = await other_caller(other, org)
            await caller.record("premium", clock.now(), input_tokens=10)
            clock.advance(2)
            assert (await caller.select())["recommended_label"] == "standard"
            clock.advance(2)
            assert (await there.select())["recommended_label"] == "standard"
            raised = org_body(timezone="UTC", quotas={"premium": 1000, "standard": None})
            await api.put(org, raised, If_Match="*")
            clock.advance(30)
            assert (await there.select())["recommended_label"] == "premium"

    run(test)


async def other_caller(other: Api, org: str) -> Caller:
    """The same app, with a token of the other process, whose keys are its own."""
    made = await other("POST", f"{org}/apps/web/credentials/rotate", {"grace_hours": 1})
    secret = await other("POST", "/credentials/secret", {"token": made.json()["retrieval_token"]})
    login = {"grant_type": "client_credentials", **secret.json()}
    answer = await other.http.post("/pricekeeper/auth/token", json=login)
    assert answer.status_code == 200, answer.text
    return Caller(other, f"{org}/apps/web", answer.json()["access_token"])


# --- 17 ------------------------------------------------------------------------------------------


def test_scenario_17_delimiters_forge_nothing(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        org, caller = await provisioned(api)
        forged = await caller.record("premium#SH#00", clock.now(), input_tokens=1)
        assert (forged.status_code, forged.json()["code"]) == (400, "UNKNOWN_LABEL")
        forged = await caller.record("a#LABEL#b", clock.now(), input_tokens=1)
        assert forged.status_code == 400
        for name in ("a%23LABEL%23b", "web%23LABEL%23premium"):
            for method, path in (
                ("GET", f"{org}/apps/{name}/model-selection"),
                ("GET", f"{org}/apps/{name}/aggregates/today"),
            ):
                answer = await caller(method, path)
                assert answer.status_code in (400, 403), path
            answer = await api("PUT", f"{org}/apps/{name}", app_body())
            assert (answer.status_code, answer.json()["code"]) == (400, "BAD_APP_ID")
        answer = await api("PUT", "/labels/a%23LABEL%23b", {"bedrock_model_id": "x"})
        assert (answer.status_code, answer.json()["code"]) == (400, "BAD_LABEL")

    run(test)


def test_scenario_17_an_apps_token_is_for_that_app(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        org, caller = await provisioned(api)
        await api.put(f"{org}/apps/{OTHER}", app_body(), 201)
        elsewhere, _ = await provisioned(api)
        # Of another organisation it is not even told what there is.
        for path, refusal in ((f"{org}/apps/{OTHER}", 403), (f"{elsewhere}/apps/web", 404)):
            body = {"request_id": str(uuid4()), "label": "premium", "timestamp": int(clock.now())}
            assert (await caller("POST", f"{path}/costs", body)).status_code == refusal
            assert (await caller("GET", f"{path}/model-selection")).status_code == refusal
            # Nor for administration.
            assert (await caller("PUT", path, app_body())).status_code in (401, 403)
            assert (await caller("GET", path)).status_code in (401, 403)

    run(test)


def test_who_is_disabled_or_deleted_is_let_in_no_more(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        org, caller = await provisioned(api)
        await api.put(org, org_body(timezone="UTC", status="DISABLED"), If_Match="*")
        refused = await caller.record("premium", clock.now(), input_tokens=1)
        assert (refused.status_code, refused.json()["code"]) == (403, "ORG_DISABLED")
        await api.put(org, org_body(timezone="UTC", status="ACTIVE"), If_Match="*")
        assert (await caller.record("premium", clock.now(), input_tokens=1)).status_code == 201
        assert (await api("DELETE", f"{org}/apps/web")).status_code == 204
        refused = await caller.record("premium", clock.now(), input_tokens=1)
        assert refused.status_code in (401, 404)

    run(test)


# --- 18 ------------------------------------------------------------------------------------------


def test_scenario_18_events_on_both_sides_of_a_price_change(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        _, caller = await provisioned(api, quotas={"_all": None})
        await api.put("/labels/priced", {"bedrock_model_id": "model-p"}, 201)
        noon = int(clock.now()) + 600
        rates = {"input_price_usd_micros_per_1m": 1_000_000, "output_price_usd_micros_per_1m": 1}
        await api.put("/prices/model-p", {**rates, "effective_from": noon - 7200}, 201)
        rates["input_price_usd_micros_per_1m"] = 2_000_000
        await api.put("/prices/model-p", {**rates, "effective_from": noon}, 201)
        first = await caller.record("priced", noon - 600, input_tokens=1_000_000)
        assert first.json()["cost_usd_micros"] == 1_000_000
        # Both arrive after the change; each is priced by when it happened.
        clock.advance(700)
        for at, cost in ((noon - 1, 1_000_000), (noon, 2_000_000)):
            answer = await caller.record("priced", at, input_tokens=1_000_000)
            assert answer.json()["cost_usd_micros"] == cost
            moment = noon - 7200 if at < noon else noon
            told = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            assert answer.json()["price_id"] == f"region#standard#{told}"

    run(test)


def test_a_profile_is_priced_by_how_far_it_travels(run: Run, clock: ManualClock) -> None:
    async def test(api: Api) -> None:
        _, caller = await provisioned(api, quotas={"_all": None})
        model = "anthropic.claude-sonnet-4-5-20250929-v1:0"
        tokens = {"input_tokens": 1_000_000}
        for more, cost in (
            ({}, 3_300_000),
            ({"region_class": "global"}, 3_000_000),
            ({"bedrock_model_id": f"global.{model}"}, 3_000_000),
            ({"bedrock_model_id": f"eu.{model}"}, 3_300_000),
            ({"service_tier": "batch"}, 1_650_000),
        ):
            answer = await caller.record("premium", clock.now(), **tokens, **more)
            assert answer.json()["cost_usd_micros"] == cost, more
        unknown = await caller.record("premium", clock.now(), service_tier="flex", **tokens)
        assert (unknown.json()["cost_source"], unknown.json()["flags"]) == (
            "UNPRICED",
            ["unpriced"],
        )

    run(test)
