"""The whole of pricekeeper behind a port, with tenants that have spent, and everybody who can call.

A tenant is an organisation with two apps: it has records, a correction, a reservation, an alert and
a closed label, so that requests find something. Who calls is one of ``WHO``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

import httpx2
from tests.service.support import Running, running

from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.auth import Principal
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import handle_of
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.config import PendingPrice
from tablewright.systems.pricekeeper.system import system
from tablewright.testing import in_process

API, AUTH = "/pricekeeper/api/v1", "/pricekeeper/auth"
WEB, MOBILE = "web", "mobile"
ROLES = ("admin", "operator", "auditor")
LABELS = ("premium", "standard", "economy")
#: Known, and in no ordering.
OUTSIDE = "outside"
MODELS = {label: f"tests.{label}-v1:0" for label in (*LABELS, OUTSIDE)}
RATES = {
    "input_price_usd_micros_per_1m": 3_000_000,
    "output_price_usd_micros_per_1m": 15_000_000,
}
#: Everybody who can come to a tenant: roles, its own clients, those of another tenant, nobody.
WHO = (*ROLES, "org", "app", "other app", "foreign org", "foreign app", "nonsense", "nobody")

#: What would only be in the way of thousands of requests a minute.
_WIDE: Final = {
    f"TABLEWRIGHT_PRICEKEEPER_{name}": "100000000"
    for name in (
        "SELECTIONS_PER_MINUTE",
        "AGGREGATES_PER_MINUTE",
        "RECORDS_PER_MINUTE",
        "ROTATIONS_PER_HOUR",
        "LOGIN_FAILURES_PER_MINUTE",
    )
}


@dataclass(frozen=True)
class Tenant:
    """An organisation, and the tokens of its clients."""

    org_id: str
    tokens: Mapping[str, str]
    refresh_tokens: Mapping[str, str]
    secrets: Mapping[str, str]
    #: What was recorded, by the id it was reported under.
    records: tuple[str, ...]
    corrections: tuple[str, ...]
    reservation_ids: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"{API}/orgs/{self.org_id}"

    @property
    def app_path(self) -> str:
        return f"{self.path}/apps/{WEB}"

    def client_id(self, name: str) -> str:
        return f"org-{self.org_id}" + ("" if name == "org" else f"-app-{name}")


@dataclass
class World:
    """A running service."""

    service: Running
    keys: Mapping[str, str]
    http: httpx2.Client
    #: Somebody else's.
    foreign: Tenant = field(init=False)

    @property
    def admin(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys['admin']}"}

    def headers(self, who: str, tenant: Tenant) -> dict[str, str]:
        """How somebody proves who they are."""
        if who == "nobody":
            return {}
        tokens = {
            **self.keys,
            "org": tenant.tokens["org"],
            "app": tenant.tokens[WEB],
            "other app": tenant.tokens[MOBILE],
            "foreign org": self.foreign.tokens["org"],
            "foreign app": self.foreign.tokens[WEB],
            "nonsense": "nonsense",
        }
        return {"Authorization": f"Bearer {tokens[who]}"}

    def done(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """What an administrator is answered."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return done(self.http.request(method, path, json=body, headers=self.admin | named))

    def as_(self, token: str, method: str, path: str, body: Any = None) -> Any:
        """What a client is answered."""
        headers = {"Authorization": f"Bearer {token}"}
        return done(self.http.request(method, path, json=body, headers=headers))

    # --- what there is ---------------------------------------------------------------------------

    def tenant(self) -> Tenant:
        """A new one."""
        org_id = str(uuid4())
        path = f"{API}/orgs/{org_id}"
        waiting = {"org": self.done("PUT", path, org_body())}
        for app_id in (WEB, MOBILE):
            body = {"app_name": app_id.title()}
            waiting[app_id] = self.done("PUT", f"{path}/apps/{app_id}", body)
        secrets = {name: self.secret(made["retrieval_token"]) for name, made in waiting.items()}
        logins = {
            name: self.login(made["client_id"], secrets[name]) for name, made in waiting.items()
        }
        tokens = {name: login["access_token"] for name, login in logins.items()}
        records = self._spent(f"{path}/apps/{WEB}", tokens[WEB])
        return Tenant(
            org_id,
            tokens,
            {name: login["refresh_token"] for name, login in logins.items()},
            secrets,
            records,
            self._corrected(f"{path}/apps/{WEB}", records),
            self._reserved(f"{path}/apps/{WEB}", tokens[WEB]),
        )

    def secret(self, retrieval_token: str) -> str:
        """Fetched with its token."""
        found = self.done("POST", f"{API}/credentials/secret", {"token": retrieval_token})
        return str(found["client_secret"])

    def login(self, client_id: str, secret: str) -> dict[str, Any]:
        body = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
        found: dict[str, Any] = done(self.http.post(f"{AUTH}/token", json=body))
        return found

    def _spent(self, path: str, token: str) -> tuple[str, ...]:
        reports = [report(label, input_tokens=10_000 * n) for n, label in enumerate(LABELS, 1)]
        reports += [report(OUTSIDE), report("premium", status="ERROR")]
        answer = self.as_(token, "POST", f"{path}/costs/batch", {"records": reports})
        assert [each["status"] for each in answer["results"]] == [201] * len(reports)
        return tuple(each["request_id"] for each in reports)

    def _corrected(self, path: str, records: tuple[str, ...]) -> tuple[str, ...]:
        body = correction(records[0])
        self.done("POST", f"{path}/corrections", body)
        return (body["correction_id"],)

    def _reserved(self, path: str, token: str) -> tuple[str, ...]:
        body = {"label": "premium", "max_usd_micros": 100, "ttl_secs": 900}
        made = [self.as_(token, "POST", f"{path}/reservations", body) for _ in range(3)]
        return tuple(each["reservation_id"] for each in made)

    # --- what waits for administrators -----------------------------------------------------------

    def pending_price(self, model_id: str) -> None:
        """A price of the price list that somebody has to approve."""
        now = datetime.now(UTC).replace(microsecond=0)
        waiting = PendingPrice(
            bedrock_model_id=model_id,
            region_class="region",
            service_tier="standard",
            effective_from=now,
            **RATES,
            family="tests",
            fetched_at_epoch=now,
            previous_price_id="region#standard#2026-01-01T00:00:00Z",
            change_pct=70,
        )
        self.service.do(self.service.runtime.db.run(put(waiting)))

    def dead_message(self) -> str:
        """A message that was given up; its handle."""
        now = datetime.now(UTC)
        entry = OutboxEntry(at=now, kind="tests", subject="tests/1", place="DEAD", ended_at=now)
        stored = self.service.do(self.service.runtime.db.run(put(entry)))
        return handle_of(stored)


def done(answer: httpx2.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


def org_body(**changes: object) -> dict[str, Any]:
    """Settings of an organisation with limits of all kinds, far away."""
    return {
        "org_name": "Tests",
        "timezone": "UTC",
        "quota_scope": "BOTH",
        "model_ordering": list(LABELS),
        "quotas": dict.fromkeys(LABELS, 10**12),
        "quotas_month": {"_all": 10**13},
        "reservations": "on",
        **changes,
    }


def report(label: str, **more: object) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {
        "request_id": str(uuid4()),
        "label": label,
        "timestamp": now,
        "input_tokens": 1000,
        "output_tokens": 100,
        **more,
    }


def correction(request_id: str, **more: object) -> dict[str, Any]:
    return {
        "correction_id": str(uuid4()),
        "request_id": request_id,
        "input_tokens": -1,
        "reason": "tests",
        **more,
    }


@contextmanager
def world(**settings: Any) -> Iterator[World]:
    """A service on an engine in this process, and what there is in it."""
    keys: dict[str, str] = {}

    async def opened(runtime: Runtime) -> None:
        tester = Principal("tests", "Tests", "system")
        for role in ROLES:
            made = await runtime.auth.api_keys.create(tester, name=role, roles=[role])
            keys[role] = made[1]

    with Engine.memory() as engine, in_process(engine) as backend:
        options = {"environ": _WIDE, **settings}
        with running(system, backend, opened=opened, **options) as service:
            with service.client() as http:
                found = World(service, keys, http)
                for label, model in MODELS.items():
                    found.done("PUT", f"{API}/labels/{label}", {"bedrock_model_id": model})
                    since = {"effective_from": "2026-01-01T00:00:00Z"}
                    found.done("PUT", f"{API}/prices/{model}", RATES | since)
                found.foreign = found.tenant()
                yield found
