"""What the pages on pricekeeper list is what there is, and what the service does."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx2
from tests.docs.markdown import ROOT, names, section, table
from tests.service.support import asgi

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.auth import Principal
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper import client
from tablewright.systems.pricekeeper.client import PricekeeperClient, Retries, new_request_id
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend, in_process

API, OPERATION = "docs/pricekeeper-api.md", "docs/pricekeeper-operation.md"
CLIENT = "docs/pricekeeper-client.md"
PACKAGE = ROOT / "src" / "tablewright" / "systems" / "pricekeeper"

ORG = "/api/v1/orgs/{org_id}"
APP = f"{ORG}/apps/{{app_id}}"
ORG_ID = "7f3c0d1e-5b7a-4c51-9a53-0d6d3c9f2a10"
#: What stands in paths; none of it but the organisation and its app exists.
PLACES = {
    "org_id": ORG_ID,
    "app_id": "web",
    "request_id": "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55",
    "period": "2026-11-15",
    "label": "none",
    "model_id": "no.model",
    "reservation_id": "none",
    "key_id": "none",
    "handle": "none",
}
#: Bodies that are looked at before the caller is; and a version that nothing has.
BODIES = {f"{APP}/reservations": {"label": "none", "max_usd_micros": 1}}
HEADERS = {"If-Match": '"999"'}
QUERY = {"from": "2026-11-01", "to": "2026-11-02"}


def routes() -> Iterator[tuple[str, str, set[str]]]:
    """Method, path and callers of each route that the page lists."""
    for row in table(section(API, "## Routes"), "Route"):
        method, path = names(row[0])[0].split(" ")
        for scope in (ORG, APP) if "{scope}" in path else (ORG,):
            whole = path.replace("{scope}", scope).replace("{app}", APP)
            yield method, whole, set(row[1].split(", "))


async def callers(client: httpx2.AsyncClient, runtime: Runtime) -> dict[str, dict[str, str]]:
    """The headers of everybody who might call."""
    tester = Principal("tests", "Tests", "system")
    found: dict[str, dict[str, str]] = {"anyone": {}}
    for role in system.roles:
        _, text = await runtime.auth.api_keys.create(tester, name=role, roles=[role])
        found[role] = {"Authorization": f"Bearer {text}"}
    admin = found["admin"]
    await said(client.put("/api/v1/labels/only", json={"bedrock_model_id": "m"}, headers=admin))
    org = {"org_name": "Tests", "timezone": "UTC", "model_ordering": ["only"]}
    for name, path, body in (
        ("org", ORG, {**org, "quotas": {"_all": None}}),
        ("app", APP, {"app_name": "Web"}),
    ):
        made = await said(client.put(path.format(**PLACES), json=body, headers=admin))
        token = {"token": made["retrieval_token"]}
        secret = await said(client.post("/api/v1/credentials/secret", json=token, headers=admin))
        grant = {"grant_type": "client_credentials", **secret}
        granted = await said(client.post("/auth/token", json=grant))
        found[name] = {"Authorization": f"Bearer {granted['access_token']}"}
    return found


async def said(request: Any) -> dict[str, Any]:
    response = await request
    assert response.is_success, response.text
    found: dict[str, Any] = response.json()
    return found


def test_the_routes_are_those_of_the_document(tablewright_backend: Backend) -> None:
    async def documented() -> set[tuple[str, str]]:
        async with asgi(system, tablewright_backend) as (client, _):
            document = (await client.get("/pricekeeper/openapi.json")).json()
        return {
            (method.upper(), path) for path, found in document["paths"].items() for method in found
        }

    listed = [(method, path) for method, path, _ in routes()]
    assert sorted(listed) == sorted(asyncio.run(documented()))


def test_who_may_call_them(tablewright_backend: Backend) -> None:
    async def probed() -> dict[tuple[str, str], set[str]]:
        async with asgi(system, tablewright_backend) as (client, runtime):
            client.base_url = client.base_url.join("/pricekeeper/")
            who = await callers(client, runtime)
            found: dict[tuple[str, str], set[str]] = {}
            # What ends tokens comes last.
            for method, path, _ in sorted(routes(), key=lambda route: "revoke" in route[1]):
                found[method, path] = {
                    name
                    for name, headers in who.items()
                    if await may(client, method, path, headers)
                }
            return found

    async def may(
        client: httpx2.AsyncClient, method: str, path: str, headers: dict[str, str]
    ) -> bool:
        body = None if method == "GET" else BODIES.get(path, {})
        answer = await client.request(
            method,
            path.format(**PLACES),
            json=body,
            params=QUERY,
            headers={**HEADERS, **headers},
        )
        assert answer.status_code < 500, answer.text
        return answer.status_code not in (401, 403)

    found = asyncio.run(probed())
    everybody = found["GET", "/auth/jwks"]
    wrong = {
        (method, path): found[method, path]
        for method, path, said in routes()
        if found[method, path] != (everybody if said == {"anyone"} else said)
    }
    assert everybody == {"anyone", "org", "app", *system.roles}
    assert wrong == {}


# --- lists -----------------------------------------------------------------------------------


def test_the_codes_are_those_of_the_source() -> None:
    listed = {code for row in table(section(API, "## Problems"), "Code") for code in names(row[0])}
    raised = {
        code
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] in ("api", "service", "rules")
        for code in re.findall(
            r'(?:Problem\(\s*\d{3},|conflict\(|_enabled\(".*",)\s*"([A-Z_]+)"', path.read_text()
        )
    }
    assert listed == raised - kit_codes()


def kit_codes() -> set[str]:
    """What any system may answer."""
    rows = table(section("docs/service.md", "### Problems"), "Code")
    return {code for row in rows for code in names(row[0])} - {"ALREADY_EXISTS", "CONFLICT"}


def test_the_settings_are_its_options() -> None:
    rows = table(section(OPERATION, "## Settings"), "Setting")
    listed = {names(row[0])[0]: row[1] for row in rows}
    assert listed == {
        name: str(field.default).lower() if isinstance(field.default, bool) else f"{field.default}"
        for name, field in Options.model_fields.items()
    }


# --- operation -------------------------------------------------------------------------------


def test_the_workers(tablewright_backend: Backend) -> None:
    async def found() -> list[list[str]]:
        async with asgi(system, tablewright_backend) as (_, runtime):
            workers = [*system.build(runtime).workers, outbox_worker(runtime)]
        return [
            [f"`{each.name}`", f"{each.every:g} s", str(len(each.partitions))] for each in workers
        ]

    listed = [row[:3] for row in table(section(OPERATION, "## Workers"), "Worker")]
    assert listed == asyncio.run(found())


def test_what_a_call_costs(tablewright_clock: ManualClock, tablewright_engine: Engine) -> None:
    """On the engine: DynamoDB Local counts fewer units for a transaction than AWS does."""

    async def measured() -> dict[str, list[str]]:
        # In one moment: nothing that is kept for a second or a minute ends between two calls.
        with in_process(tablewright_engine) as backend:
            return await costs_on(backend)

    async def costs_on(backend: Backend) -> dict[str, list[str]]:
        async with asgi(system, backend, clock=tablewright_clock) as (client, runtime):
            client.base_url = client.base_url.join("/pricekeeper/")
            client.headers.update((await callers(client, runtime))["app"])
            found = {}
            for name, call in calls(client, int(tablewright_clock.now())).items():
                await said(call())  # the first one of a minute, or a second, costs more
                before = units(runtime)
                await said(call())
                after = units(runtime)
                found[name] = [f"{after[kind] - before[kind]:g}" for kind in ("read", "write")]
            return found

    listed = table(section(OPERATION, "## What a call costs"), "Call")
    assert {row[0]: row[1:] for row in listed} == asyncio.run(measured())


def calls(client: httpx2.AsyncClient, now: int) -> dict[str, Callable[[], Any]]:
    """What an app asks for, each time anew."""
    app = APP.format(**PLACES)
    one = report(now)

    def batch(size: int) -> Any:
        records = [report(now) for _ in range(size)]
        return client.post(f"{app}/costs/batch", json={"records": records})

    async def looked_up() -> Any:
        await client.post(f"{app}/costs", json=one)
        return await client.get(f"{app}/costs/{one['request_id']}")

    return {
        "a record alone": lambda: client.post(f"{app}/costs", json=report(now)),
        **{f"a batch of {size}": partial(batch, size) for size in (10, 99, 500)},
        "a selection from memory": lambda: client.get(f"{app}/model-selection"),
        "a record looked up": looked_up,
    }


def report(now: int) -> dict[str, object]:
    return {"request_id": new_request_id(), "label": "only", "timestamp": now}


def units(runtime: Runtime) -> dict[str, float]:
    """What the database has done so far."""
    found = {"read": 0.0, "write": 0.0}
    for family in runtime.metrics.registry.collect():
        for kind in found:
            if family.name == f"tablewright_db_{kind}_units":
                totals = (each.value for each in family.samples if each.name.endswith("_total"))
                found[kind] += sum(totals)
    return found


# --- the client ------------------------------------------------------------------------------


def test_the_parameters_of_the_client() -> None:
    rows = table(section(CLIENT, "## Parameters"), "`PricekeeperClient(url, ...)`")
    known = inspect.signature(PricekeeperClient).parameters
    assert [name for row in rows for name in names(row[0])] == list(known)[1:]
    told = {names(row[0])[0]: row[1] for row in rows if row[1]}
    given = {name: each.default for name, each in known.items() if name in told}
    assert told == {**{name: f"{value}" for name, value in given.items()}, "retries": "6 attempts"}
    assert Retries().attempts == 6


def test_the_errors_of_the_client() -> None:
    tree = re.findall(r"([├└]─|^    )\s?(\w+)$", section(CLIENT, "## Errors"), re.MULTILINE)
    there = [each for each in map(client.__dict__.get, client.__all__) if inspect.isclass(each)]
    assert {name for _, name in tree} == {
        each.__name__ for each in there if issubclass(each, Exception)
    }
