"""What generated requests find in pricekeeper: its tenants, and everybody who can call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from tests.service.seeded_probing import Pool, Prober, Service
from tests.systems.pricekeeper.api_requests import DESTRUCTIVE, MAY
from tests.systems.pricekeeper.api_world import (
    API,
    LABELS,
    MOBILE,
    MODELS,
    OUTSIDE,
    WEB,
    WHO,
    Tenant,
    World,
)

#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset(
    {
        "INVALID_TOKEN",
        "INVALID_CLIENT",
        "INVALID_REQUEST",
        "INVALID_VALUE",
        "BAD_ORG_ID",
        "BAD_APP_ID",
        "BAD_LABEL",
        "BAD_MODEL_ID",
        "BAD_DATE",
    }
)
#: Clients, and which app they are.
_CLIENTS = {
    "org": None,
    "app": WEB,
    "other app": MOBILE,
    "foreign org": None,
    "foreign app": WEB,
}
_KEY = {"name": "spare", "roles": ["auditor"]}


@dataclass(frozen=True)
class Scene:
    """A tenant, and what there is of it."""

    world: World
    tenant: Tenant
    pool: Pool

    def headers(self, who: str) -> dict[str, str]:
        return self.world.headers(who, self.tenant)

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        if who not in _CLIENTS:
            return who
        home = self.world.foreign if who.startswith("foreign") else self.tenant
        if str(address.get("org_id", home.org_id)).lower() != home.org_id:
            return "foreign org"
        own = _CLIENTS[who]
        if own is None:
            return "org"
        return "app" if address.get("app_id", own) == own else "other app"

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        if member in ("model_ordering", "exhaust", "restore"):
            return st.lists(st.sampled_from(LABELS), min_size=1, unique=True)
        if member.startswith("quotas"):
            limits = st.one_of(st.none(), st.integers(0, 10**15))
            return st.fixed_dictionaries(dict.fromkeys((*LABELS, "_all"), limits))
        return None


def prober(world: World) -> Prober:
    """Of all operations; those that leave a tenant otherwise than it was get one of their own."""
    shared = world.tenant()

    def stage(name: str) -> Scene:
        tenant = world.tenant() if name in DESTRUCTIVE else shared
        return Scene(world, tenant, pool_of(world, tenant, name))

    document = world.http.get("/pricekeeper/openapi.json").json()
    url = f"{world.service.url}/pricekeeper"
    return Prober(Service(url, document, MAY, WHO, stage, _AT_THE_DOOR))


def pool_of(world: World, tenant: Tenant, operation: str) -> Pool:
    """What there is, by the names that parameters and members have."""
    now = datetime.now(UTC).replace(microsecond=0)
    days = [(now.date() - timedelta(days=each)).isoformat() for each in (0, 0, 1, 40)]
    moments = [(now - timedelta(hours=hours)).isoformat() for hours in (0, 0, 1, 20, 47, 60)]
    tokens = _tokens(world, tenant, operation)
    model_ids = [*MODELS.values(), "anthropic.claude-sonnet-4-5-20250929-v1:0"]
    waiting = model_ids[0]
    world.pending_price(waiting)
    keys = [world.done("POST", f"{API}/api-keys", _KEY)["key_id"] for _ in range(2)]
    found = {
        "org_id": [*[tenant.org_id] * 8, world.foreign.org_id],
        "app_id": [WEB, WEB, WEB, MOBILE],
        "label": [*LABELS, OUTSIDE],
        "model_id": model_ids,
        "bedrock_model_id": [waiting, *model_ids],
        "region_class": ["region", "region", "global"],
        "service_tier": ["standard", "standard", "batch"],
        "request_id": tenant.records,
        "correction_id": [*tenant.corrections, *_uuids(20)],
        "reservation_id": tenant.reservation_ids,
        "timestamp": moments,
        "effective_from": [*moments, (now + timedelta(days=2)).isoformat()],
        "late_window_hours": [24, 48, 720],
        "ledger_retention_days": [35, 400],
        "reason": ["tests"],
        "timezone": ["UTC", "Europe/Oslo", "Pacific/Apia", "Africa/Cairo"],
        "period": [*days, now.strftime("%Y-%m"), now.strftime("%G-W%V")],
        "from": days,
        "to": days,
        "date": days,
        "day": days,
        "cursor": [_cursor(world, path) for path in ("labels", "orgs", "audit")],
        "action": ["org.create", "label.put"],
        "If-Match": ["*", '"1"'],
        "If-None-Match": ["*", '"1"'],
        "Idempotency-Key": _uuids(3),
        "client_id": [tenant.client_id(WEB), tenant.client_id("org")],
        "client_secret": [tenant.secrets[WEB], tenant.secrets["org"]],
        "refresh_token": tokens,
        "token": tokens,
        "roles": [["auditor"], ["admin", "operator"]],
        "key_id": keys,
        "handle": [world.dead_message() for _ in range(2)],
    }
    if operation.startswith("record_"):
        del found["request_id"]  # what is new has a new one
    if operation == "correct_record":
        found["input_tokens"] = [-1, 7]
    return found


def _uuids(count: int) -> list[str]:
    return [str(uuid4()) for _ in range(count)]


def _tokens(world: World, tenant: Tenant, operation: str) -> list[str]:
    """Such as the operation is for."""
    if operation == "fetch_secret":
        paths = [f"{tenant.path}/apps/spare-{each[:8]}" for each in _uuids(3)]
        return [world.done("PUT", path, {"app_name": "Spare"})["retrieval_token"] for path in paths]
    if operation in ("refresh_token", "revoke_token"):
        logins = [world.login(tenant.client_id(WEB), tenant.secrets[WEB]) for _ in range(3)]
        return [login[kind] for login in logins for kind in ("refresh_token", "access_token")]
    return [tenant.tokens[WEB]]


def _cursor(world: World, path: str) -> str:
    found = world.done("GET", f"{API}/{path}?limit=1")["next_cursor"]
    return str(found)
