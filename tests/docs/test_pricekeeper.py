"""What the pages on pricekeeper list is what there is, and what the service does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import httpx2
from tests.docs.markdown import ROOT, names, section, table
from tests.service.support import asgi

from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

API, OPERATION = "docs/pricekeeper-api.md", "docs/pricekeeper-operation.md"
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
    listed = {
        code
        for row in table(section(API, "## Problems"), "Code")
        for code in names(row[0])
    }
    raised = {
        code
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] in ("api", "service", "rules")
        for code in re.findall(r'(?:Problem\(\s*\d{3},|conflict\(|_enabled\(".*",)\s*"([A-Z_]+)"', path.read_text())
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
