"""A good request of every operation, and who may make it: the table of the specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final
from uuid import uuid4

from tests.service.good_requests import Request
from tests.systems.pricekeeper.api_world import (
    API,
    AUTH,
    MODELS,
    RATES,
    ROLES,
    WEB,
    WHO,
    Tenant,
    World,
    correction,
    org_body,
    report,
)

ADMIN = frozenset({"admin"})
STAFF = frozenset(ROLES)
OPERATORS = frozenset({"admin", "operator"})
AUDITORS = frozenset({"admin", "auditor"})
#: Of an app: itself, and its organisation.
CLIENTS = frozenset({"org", "app"})
EVERYBODY = frozenset(WHO)

#: Who may do what, by the name of the operation.
MAY: Final[Mapping[str, frozenset[str]]] = {
    # Whoever knows a secret or a token.
    "issue_token": EVERYBODY,
    "refresh_token": EVERYBODY,
    "revoke_token": EVERYBODY,
    "get_token_keys": EVERYBODY,
    # Provision, rotate, prices.
    "put_org": ADMIN,
    "patch_org": ADMIN,
    "delete_org": ADMIN,
    "put_app": ADMIN,
    "patch_app": ADMIN,
    "delete_app": ADMIN,
    "rotate_org_secret": ADMIN,
    "rotate_app_secret": ADMIN,
    "revoke_org_tokens": ADMIN,
    "revoke_app_tokens": ADMIN,
    "list_clients": ADMIN,
    "fetch_secret": ADMIN,
    "put_label": ADMIN,
    "put_price": ADMIN,
    "import_prices": ADMIN,
    "refresh_prices": ADMIN,
    "approve_price": ADMIN,
    "reject_price": ADMIN,
    "list_api_keys": ADMIN,
    "create_api_key": ADMIN,
    "revoke_api_key": ADMIN,
    "end_sessions": ADMIN,
    "list_dead_messages": ADMIN,
    "list_sent_messages": ADMIN,
    "retry_message": ADMIN,
    "discard_message": ADMIN,
    # What all who have a role may look at.
    "list_orgs": STAFF,
    "get_org": STAFF,
    "list_apps": STAFF,
    "get_app": STAFF,
    "list_labels": STAFF,
    "get_label": STAFF,
    "list_prices": STAFF,
    "get_prices": STAFF,
    "list_pending_prices": STAFF,
    "list_alerts": STAFF,
    "create_stream_token": STAFF,
    "list_audit_entries": AUDITORS,
    # Override, correct.
    "override_org": OPERATORS,
    "override_app": OPERATORS,
    "correct_record": OPERATORS,
    # Aggregates, export, ledger.
    "get_org_history": STAFF | {"org"},
    "get_org_today": STAFF | {"org"},
    "get_org_period": STAFF | {"org"},
    "get_app_history": STAFF | CLIENTS,
    "get_app_today": STAFF | CLIENTS,
    "get_app_period": STAFF | CLIENTS,
    "get_record": STAFF | CLIENTS,
    "export_org": STAFF | {"org"},
    "export_app": STAFF | {"org"},
    # Select, record, reserve.
    "select_model": CLIENTS,
    "record_cost": CLIENTS,
    "record_costs": CLIENTS,
    "reserve": CLIENTS,
    "release_reservation": CLIENTS,
}
#: After these a tenant is not what it was.
DESTRUCTIVE = frozenset(
    {
        "put_org",
        "patch_org",
        "delete_org",
        "put_app",
        "patch_app",
        "delete_app",
        "rotate_org_secret",
        "rotate_app_secret",
        "revoke_org_tokens",
        "revoke_app_tokens",
        "refresh_token",
        "revoke_token",
        "override_org",
        "override_app",
        "release_reservation",
    }
)


def good_request(name: str, world: World, tenant: Tenant) -> Request:
    """One that succeeds for those who may; made anew each time."""
    return _MADE[name](world, tenant)


_Make = Callable[[World, Tenant], Request]
_MADE: dict[str, _Make] = {}


def _made(make: _Make) -> _Make:
    _MADE[make.__name__] = make
    return make


def _span() -> dict[str, str]:
    return {"from": _today(), "to": _today()}


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


# --- tokens --------------------------------------------------------------------------------------


@_made
def issue_token(world: World, tenant: Tenant) -> Request:
    body = {
        "grant_type": "client_credentials",
        "client_id": tenant.client_id(WEB),
        "client_secret": tenant.secrets[WEB],
    }
    return Request("POST", f"{AUTH}/token", body)


@_made
def refresh_token(world: World, tenant: Tenant) -> Request:
    login = world.login(tenant.client_id(WEB), tenant.secrets[WEB])
    body = {"grant_type": "refresh_token", "refresh_token": login["refresh_token"]}
    return Request("POST", f"{AUTH}/refresh", body)


@_made
def revoke_token(world: World, tenant: Tenant) -> Request:
    login = world.login(tenant.client_id(WEB), tenant.secrets[WEB])
    return Request("POST", f"{AUTH}/revoke", {"token": login["refresh_token"]})


@_made
def get_token_keys(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{AUTH}/jwks")


# --- organisations and apps ----------------------------------------------------------------------


@_made
def list_orgs(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/orgs")


@_made
def get_org(world: World, tenant: Tenant) -> Request:
    return Request("GET", tenant.path)


@_made
def put_org(world: World, tenant: Tenant) -> Request:
    return Request("PUT", tenant.path, org_body(org_name="Other"), {"If-Match": "*"})


@_made
def patch_org(world: World, tenant: Tenant) -> Request:
    return Request("PATCH", tenant.path, {"org_name": "Other"})


@_made
def delete_org(world: World, tenant: Tenant) -> Request:
    return Request("DELETE", tenant.path)


@_made
def list_apps(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/apps")


@_made
def get_app(world: World, tenant: Tenant) -> Request:
    return Request("GET", tenant.app_path)


@_made
def put_app(world: World, tenant: Tenant) -> Request:
    return Request("PUT", tenant.app_path, {"app_name": "Other"}, {"If-Match": "*"})


@_made
def patch_app(world: World, tenant: Tenant) -> Request:
    return Request("PATCH", tenant.app_path, {"app_name": "Other"})


@_made
def delete_app(world: World, tenant: Tenant) -> Request:
    return Request("DELETE", tenant.app_path)


# --- credentials ---------------------------------------------------------------------------------


@_made
def rotate_org_secret(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.path}/credentials/rotate", {"force": True})


@_made
def rotate_app_secret(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.app_path}/credentials/rotate", {"force": True})


@_made
def list_clients(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/credentials")


@_made
def revoke_org_tokens(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.path}/credentials/revoke")


@_made
def revoke_app_tokens(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.app_path}/credentials/revoke")


@_made
def fetch_secret(world: World, tenant: Tenant) -> Request:
    path = f"{tenant.path}/apps/app-{uuid4().hex}"
    made = world.done("PUT", path, {"app_name": "New"})
    return Request("POST", f"{API}/credentials/secret", {"token": made["retrieval_token"]})


# --- what clients do -----------------------------------------------------------------------------


@_made
def select_model(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/model-selection", parameters={"force_check": "true"})


@_made
def record_cost(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.app_path}/costs", report("premium"))


@_made
def record_costs(world: World, tenant: Tenant) -> Request:
    records = [report("premium"), report("economy")]
    return Request("POST", f"{tenant.app_path}/costs/batch", {"records": records})


@_made
def get_record(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/costs/{tenant.records[0]}")


@_made
def reserve(world: World, tenant: Tenant) -> Request:
    body = {"label": "premium", "max_usd_micros": 100}
    return Request("POST", f"{tenant.app_path}/reservations", body)


@_made
def release_reservation(world: World, tenant: Tenant) -> Request:
    request = reserve(world, tenant)
    made = world.as_(tenant.tokens[WEB], request.method, request.path, request.body)
    return Request("DELETE", f"{request.path}/{made['reservation_id']}")


# --- what was spent ------------------------------------------------------------------------------


@_made
def get_org_history(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/aggregates", parameters=_span())


@_made
def get_org_today(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/aggregates/today")


@_made
def get_org_period(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/aggregates/{_today()[:7]}")


@_made
def get_app_history(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/aggregates", parameters=_span())


@_made
def get_app_today(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/aggregates/today")


@_made
def get_app_period(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/aggregates/{_today()}")


@_made
def export_org(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.path}/export.csv", parameters={"kind": "ledger"})


@_made
def export_app(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{tenant.app_path}/export.csv", parameters={"kind": "totals"})


# --- what operators do ---------------------------------------------------------------------------


@_made
def override_org(world: World, tenant: Tenant) -> Request:
    body = {"exhaust": ["premium"], "reason": "tests"}
    return Request("POST", f"{tenant.path}/override", body)


@_made
def override_app(world: World, tenant: Tenant) -> Request:
    body = {"exhaust": ["premium"], "reason": "tests"}
    return Request("POST", f"{tenant.app_path}/override", body)


@_made
def correct_record(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{tenant.app_path}/corrections", correction(tenant.records[0]))


# --- labels and prices ---------------------------------------------------------------------------


@_made
def list_labels(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/labels")


@_made
def get_label(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/labels/premium")


@_made
def put_label(world: World, tenant: Tenant) -> Request:
    body = {"bedrock_model_id": MODELS["premium"]}
    return Request("PUT", f"{API}/labels/premium", body)


@_made
def list_prices(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/prices")


@_made
def get_prices(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/prices/{MODELS['premium']}")


@_made
def put_price(world: World, tenant: Tenant) -> Request:
    return Request("PUT", f"{API}/prices/tests.{uuid4().hex}", RATES)


@_made
def list_pending_prices(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/prices/pending")


def _decided(world: World, word: str) -> Request:
    model_id = f"tests.{uuid4().hex}"
    world.pending_price(model_id)
    body = {
        "bedrock_model_id": model_id,
        "region_class": "region",
        "service_tier": "standard",
    }
    return Request("POST", f"{API}/prices/pending/{word}", body)


@_made
def approve_price(world: World, tenant: Tenant) -> Request:
    return _decided(world, "approve")


@_made
def reject_price(world: World, tenant: Tenant) -> Request:
    return _decided(world, "reject")


@_made
def import_prices(world: World, tenant: Tenant) -> Request:
    row = {"bedrock_model_id": f"tests.{uuid4().hex}", **RATES}
    return Request("POST", f"{API}/prices/import", {"prices": [row]})


@_made
def refresh_prices(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{API}/prices/refresh")


# --- what administrators look at -----------------------------------------------------------------


@_made
def list_alerts(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/alerts", parameters={"org_id": tenant.org_id})


@_made
def list_audit_entries(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/audit")


@_made
def list_api_keys(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/api-keys")


@_made
def create_api_key(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{API}/api-keys", {"name": "tests", "roles": ["auditor"]})


@_made
def end_sessions(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{API}/sessions/end", {"user": "somebody@example.org"})


@_made
def revoke_api_key(world: World, tenant: Tenant) -> Request:
    made = world.done("POST", f"{API}/api-keys", {"name": "tests", "roles": ["auditor"]})
    return Request("DELETE", f"{API}/api-keys/{made['key_id']}")


@_made
def create_stream_token(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{API}/stream-token")


@_made
def list_dead_messages(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/outbox/dead")


@_made
def list_sent_messages(world: World, tenant: Tenant) -> Request:
    return Request("GET", f"{API}/outbox/sent")


@_made
def retry_message(world: World, tenant: Tenant) -> Request:
    return Request("POST", f"{API}/outbox/dead/{world.dead_message()}/retry")


@_made
def discard_message(world: World, tenant: Tenant) -> Request:
    return Request("DELETE", f"{API}/outbox/dead/{world.dead_message()}")
