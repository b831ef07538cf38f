"""Reports, corrections and exports over HTTP."""

from __future__ import annotations

import asyncio
import csv
import io
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from tests.systems.pricekeeper.access.http import API, Service, bearer, serving
from tests.systems.pricekeeper.recording.support import NOW, ORG, START, WEB

from tablewright.clock import ManualClock
from tablewright.testing.backends import Backend

APP = f"{API}/orgs/{ORG}/apps/{WEB}"


@dataclass
class World:
    """A service with one app, and those who may ask."""

    service: Service
    org: dict[str, str]
    app: dict[str, str]
    other: dict[str, str]

    async def costs(self, body: Any, **more: Any) -> httpx2.Response:
        return await self.service.http.post(f"{APP}/costs", json=body, headers=self.app, **more)

    async def batch(self, *reports: Any) -> httpx2.Response:
        body = {"records": list(reports)}
        return await self.service.http.post(f"{APP}/costs/batch", json=body, headers=self.app)

    async def get(self, path: str, who: dict[str, str], **params: str) -> httpx2.Response:
        return await self.service.http.get(path, headers=who, params=params)


Scenario = Callable[[World], Awaitable[None]]


@pytest.fixture
def run(engine_backend: Backend) -> Callable[[Scenario], None]:
    def running(scenario: Scenario) -> None:
        async def whole() -> None:
            async with serving(engine_backend, ManualClock(START)) as service:
                await scenario(await world_of(service))

        asyncio.run(whole())

    return running


async def world_of(service: Service) -> World:
    async def token(client: tuple[str, str]) -> dict[str, str]:
        return bearer((await service.login(*client)).json()["access_token"])

    org = await token(await service.org())
    app, other = await token(await service.app()), await token(await service.app("other"))
    price = {
        "region_class": "region",
        "service_tier": "standard",
        "effective_from": "2026-11-01T00:00:00Z",
        "input_price_usd_micros_per_1m": 3_000_000,
        "output_price_usd_micros_per_1m": 15_000_000,
    }
    made = await service.http.put(f"{API}/prices/m", json=price, headers=service.admin)
    assert made.status_code in (200, 201), made.text
    service.clock.advance(400)  # longer than a process remembers that there was no price
    return World(service, org, app, other)


def report(**changes: Any) -> dict[str, Any]:
    said = {
        "request_id": str(uuid.uuid4()),
        "label": "premium",
        "timestamp": NOW.isoformat(),
        "input_tokens": 1200,
        "output_tokens": 300,
    }
    return {**said, **changes}


def problem(response: httpx2.Response) -> tuple[int, str]:
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, response.json()["code"]


# --- one report ----------------------------------------------------------------------------------


def test_a_report_and_its_repeat(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        sent = report()
        first, second = await world.costs(sent), await world.costs(sent)
        assert (first.status_code, second.status_code) == (201, 200)
        told = first.json()
        guidance = told.pop("guidance")
        assert told == {
            "result": "recorded",
            "request_id": sent["request_id"],
            "label": "premium",
            "day": "2026-11-20",
            "cost_usd_micros": 8100,
            "cost_usd_picos": 8_100_000_000,
            "cost_source": "PRICE",
            "price_id": "region#standard#2026-11-01T00:00:00Z",
            "flags": [],
        }
        assert guidance["recommended_label"] == "premium"
        # What was just recorded is in it already.
        assert guidance["spend_usd_micros"] == 8100
        repeated = second.json()
        assert repeated.pop("guidance")["spend_usd_micros"] == 8100
        assert repeated == {**told, "result": "duplicate"}
        assert "RateLimit-Remaining" in first.headers

    run(scenario)


def test_an_id_in_capitals_is_the_same(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        sent = report()
        assert (await world.costs(sent)).status_code == 201
        sent["request_id"] = sent["request_id"].upper()
        assert (await world.costs(sent)).status_code == 200
        # The same moment, said in another way.
        sent["timestamp"] = START
        assert (await world.costs(sent)).status_code == 200

    run(scenario)


def test_what_is_refused(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        known = report()
        await world.costs(known)
        cases: list[tuple[Any, int, str]] = [
            (report(label="nobody"), 400, "UNKNOWN_LABEL"),
            (report(label="a#LABEL#b"), 400, "UNKNOWN_LABEL"),
            ({**known, "output_tokens": 1}, 409, "REQUEST_ID_REUSED"),
            (report(timestamp="2026-11-01T00:00:00Z"), 422, "OUTSIDE_WINDOW"),
            (report(timestamp="2026-11-20T12:00:00"), 422, "INVALID"),
            (report(request_id="7"), 422, "INVALID"),
            (report(input_tokens=-1), 422, "INVALID"),
            (report(input_tokens="12"), 422, "INVALID"),
            (report(input_tokens=1.5), 422, "INVALID"),
            (report(input_tokens=10**30), 422, "INVALID"),
            (report(prompt="secret"), 422, "INVALID"),
            (report(status="MAYBE"), 422, "INVALID"),
            (report(reservation_id="x.y"), 422, "BAD_RESERVATION"),
            ([], 422, "INVALID"),
            ("text", 422, "INVALID"),
        ]
        cases += [
            ({name: value for name, value in known.items() if name != lacking}, 422, "INVALID")
            for lacking in ("request_id", "label", "timestamp")
        ]
        for body, status, code in cases:
            answer = await world.costs(body)
            assert problem(answer) == (status, code), body
            assert "secret" not in answer.text
        malformed = await world.service.http.post(
            f"{APP}/costs", content=b'{"request_id": ', headers=world.app
        )
        assert problem(malformed) == (400, "MALFORMED")

    run(scenario)


def test_a_call_that_costs_a_fortune(run: Callable[[Scenario], None]) -> None:
    """No number is too large to be told exactly."""

    async def scenario(world: World) -> None:
        price = {
            "region_class": "region",
            "service_tier": "standard",
            "effective_from": "2026-11-01T00:00:00Z",
            "input_price_usd_micros_per_1m": 10**12,
            "output_price_usd_micros_per_1m": 0,
        }
        http, admin = world.service.http, world.service.admin
        assert (await http.put(f"{API}/prices/gold", json=price, headers=admin)).is_success
        sent = report(bedrock_model_id="gold", input_tokens=10**9)
        single, batch = await world.costs(sent), await world.batch(sent)
        assert single.json()["cost_usd_picos"] == 10**21
        assert batch.json()["results"][0]["cost_usd_picos"] == 10**21
        found = await world.get(f"{APP}/costs/{sent['request_id']}", world.app)
        assert found.json()["record"]["net_cost_usd_picos"] == 10**21

    run(scenario)


def test_where_the_mistake_is(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        answer = await world.costs(report(input_tokens=-1, label=""))
        fields = {error["field"] for error in answer.json()["errors"]}
        assert fields == {"body.input_tokens", "body.label"}

    run(scenario)


def test_who_may_report(run: Callable[[Scenario], None]) -> None:
    """Scenario 17: neither another app, nor another organisation, nor nobody."""

    async def scenario(world: World) -> None:
        http, sent = world.service.http, report()
        assert (await http.post(f"{APP}/costs", json=sent)).status_code == 401
        bad = await http.post(f"{APP}/costs", json=sent, headers=bearer("x.y.z"))
        assert bad.status_code == 401
        other = await http.post(f"{APP}/costs", json=sent, headers=world.other)
        assert problem(other) == (403, "FORBIDDEN")
        admin = await http.post(f"{APP}/costs", json=sent, headers=world.service.admin)
        assert problem(admin) == (403, "FORBIDDEN")
        elsewhere = f"{API}/orgs/{uuid.uuid4()}/apps/{WEB}/costs"
        assert (await http.post(elsewhere, json=sent, headers=world.app)).status_code == 404
        forged = f"{API}/orgs/{ORG}/apps/a%23LABEL%23b/costs"
        assert problem(await http.post(forged, json=sent, headers=world.org)) == (
            400,
            "BAD_APP_ID",
        )
        nobody = f"{API}/orgs/{ORG}/apps/nobody/costs"
        assert (await http.post(nobody, json=sent, headers=world.org)).status_code == 404
        assert (await http.post(f"{APP}/costs", json=sent, headers=world.org)).status_code == 201

    run(scenario)


# --- batches -------------------------------------------------------------------------------------


def test_each_report_of_a_batch_is_answered(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        first, second = report(), report(cost_usd_micros=1)
        answer = await world.batch(
            first, second, first, report(label="nobody"), report(input_tokens=-1), 7, {}, second
        )
        assert answer.status_code == 207
        results = answer.json()["results"]
        assert [each["status"] for each in results] == [201, 201, 200, 400, 422, 422, 422, 200]
        assert results[0]["request_id"] == first["request_id"]
        assert results[1]["flags"] == ["cost_mismatch"]
        assert results[3]["problem"]["code"] == "UNKNOWN_LABEL"
        assert results[4]["problem"]["errors"][0]["field"] == "body.records.4.input_tokens"
        assert results[5]["problem"]["code"] == results[6]["problem"]["code"] == "INVALID"
        assert answer.json()["guidance"]["spend_usd_micros"] == 2 * 8100

    run(scenario)


def test_the_size_of_a_batch(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        answer = await world.batch(*(report() for _ in range(500)))
        assert answer.status_code == 207
        assert {each["status"] for each in answer.json()["results"]} == {201}
        assert problem(await world.batch(*(report() for _ in range(501)))) == (
            413,
            "TOO_MANY_RECORDS",
        )
        assert problem(await world.batch()) == (422, "INVALID")
        for body in ({}, {"records": 7}, {"records": [report()], "more": 1}, []):
            url = f"{APP}/costs/batch"
            answer = await world.service.http.post(url, json=body, headers=world.app)
            assert problem(answer) == (422, "INVALID")

    run(scenario)


def test_the_document_describes_what_is_read(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        document = (await world.service.http.get("/pricekeeper/openapi.json")).json()
        path = "/api/v1/orgs/{org_id}/apps/{app_id}/costs"
        one = document["paths"][path]["post"]
        schema = one["requestBody"]["content"]["application/json"]["schema"]
        assert set(schema["required"]) == {"request_id", "label", "timestamp"}
        assert schema["additionalProperties"] is False
        assert {"200", "201"} <= one["responses"].keys()
        many = document["paths"][f"{path}/batch"]["post"]
        schema = many["requestBody"]["content"]["application/json"]["schema"]
        assert schema["properties"]["records"]["maxItems"] == 500
        assert "request_id" in schema["properties"]["records"]["items"]["properties"]
        assert "$ref" not in str(schema)
        assert "207" in many["responses"]

    run(scenario)


# --- records and corrections ---------------------------------------------------------------------


def test_a_record_with_its_corrections(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        sent = report()
        await world.costs(sent)
        change = {
            "correction_id": str(uuid.uuid4()),
            "request_id": sent["request_id"],
            "output_tokens": -100,
            "reason": "aborted",
        }
        first = await world.service.post(f"{APP}/corrections", change)
        second = await world.service.post(f"{APP}/corrections", change)
        assert (first.status_code, second.status_code) == (201, 200)
        assert first.json()["correction"]["cost_usd_picos"] == -1_500_000_000
        assert first.json()["record"]["net_cost_usd_micros"] == 6600
        below = {**change, "correction_id": str(uuid.uuid4()), "output_tokens": -201}
        assert problem(await world.service.post(f"{APP}/corrections", below)) == (409, "BELOW_ZERO")
        for wrong in (
            {**change, "output_tokens": 0},
            {**change, "reason": ""},
            {**change, "reason": "repriced"},
        ):
            assert problem(await world.service.post(f"{APP}/corrections", wrong))[0] == 422
        refused = await world.service.http.post(
            f"{APP}/corrections", json=change, headers=world.app
        )
        assert refused.status_code in (401, 403)

        path = f"{APP}/costs/{sent['request_id']}"
        for who in (world.app, world.org, world.service.admin):
            found = await world.get(path, who)
            assert found.status_code == 200, found.text
            assert found.json()["record"]["net_cost_usd_picos"] == 6_600_000_000
            assert [each["reason"] for each in found.json()["corrections"]] == ["aborted"]
        assert (await world.get(path, world.other)).status_code == 403
        assert (await world.get(path, {})).status_code == 401
        unknown = await world.get(f"{APP}/costs/{uuid.uuid4()}", world.app)
        assert problem(unknown) == (404, "NOT_FOUND")
        assert (await world.get(f"{APP}/costs/x", world.app)).status_code == 422

    run(scenario)


def test_records_of_what_was_deleted(run: Callable[[Scenario], None]) -> None:
    """A token may outlive the organisation; people can still look things up."""

    async def scenario(world: World) -> None:
        sent = report()
        await world.batch(sent)
        path = f"{APP}/costs/{sent['request_id']}"
        url = f"{API}/orgs/{ORG}"
        org = await world.get(url, world.service.admin)
        match = {**world.service.admin, "If-Match": org.headers["etag"]}
        assert (await world.service.http.delete(url, headers=match)).status_code == 204
        for who in (world.app, world.org):
            assert problem(await world.get(path, who)) == (404, "NOT_FOUND")
        assert (await world.get(path, world.service.admin)).status_code == 200

    run(scenario)


# --- exports -------------------------------------------------------------------------------------


def test_exports(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        await world.batch(*(report() for _ in range(30)))
        for base in (APP, f"{API}/orgs/{ORG}"):
            for who in (world.org, world.service.admin):
                answer = await world.get(f"{base}/export.csv", who, kind="ledger")
                assert answer.headers["content-type"].startswith("text/csv")
                assert "attachment" in answer.headers["content-disposition"]
                lines = list(csv.DictReader(io.StringIO(answer.text)))
                assert len(lines) == 30
                assert {line["cost_usd"] for line in lines} == {"0.0081"}
        day = {"from": "2026-11-19", "to": "2026-11-19"}
        none = await world.get(f"{APP}/export.csv", world.org, kind="ledger", **day)
        assert len(none.text.splitlines()) == 1
        assert (await world.get(f"{APP}/export.csv", world.org)).status_code == 200

    run(scenario)


@pytest.mark.parametrize(
    ("params", "status", "code"),
    [
        ({"kind": "prompts"}, 422, "INVALID"),
        ({"from": "yesterday"}, 400, "BAD_DATE"),
        ({"from": "20261119"}, 400, "BAD_DATE"),
        ({"to": "2026-02-30"}, 400, "BAD_DATE"),
        ({"from": "2026-11-20", "to": "2026-11-19"}, 400, "BAD_RANGE"),
        ({"from": "2020-01-01"}, 400, "BAD_RANGE"),
    ],
)
def test_exports_that_cannot_be(
    run: Callable[[Scenario], None], params: dict[str, str], status: int, code: str
) -> None:
    async def scenario(world: World) -> None:
        assert problem(await world.get(f"{APP}/export.csv", world.org, **params)) == (status, code)

    run(scenario)


def test_who_may_export(run: Callable[[Scenario], None]) -> None:
    async def scenario(world: World) -> None:
        assert (await world.get(f"{APP}/export.csv", world.app)).status_code == 403
        assert (await world.get(f"{APP}/export.csv", {})).status_code == 401
        elsewhere = f"{API}/orgs/{uuid.uuid4()}/export.csv"
        assert (await world.get(elsewhere, world.org)).status_code == 404
        assert (await world.get(elsewhere, world.service.admin)).status_code == 404

    run(scenario)
