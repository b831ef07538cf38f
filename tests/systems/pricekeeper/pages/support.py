"""Pricekeeper with its pages behind a port: an organisation with two apps that have spent a little.

``web`` has used premium twice and standard once today; nothing is used up yet.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.service.support import Running, running

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.bodies import AppIn, LabelIn, OrgIn
from tablewright.systems.pricekeeper.live_demo.filling import sum_now
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import Backend

__all__ = ["fields_of", "shows", "text_of", "wrong_fields"]

BASE = "/pricekeeper"
ORG = "0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55"
WEB, BATCH = "web", "batch"
MODELS = {
    "premium": "anthropic.claude-sonnet-4-5-20250929-v1:0",
    "standard": "anthropic.claude-haiku-4-5-20251001-v1:0",
    "economy": "amazon.nova-lite-v1:0",
}
#: Dollars of a call of premium: 100,000 tokens in at $3.30 and 10,000 out at $16.50 a million.
CALL_USD = 0.495
ROOT = Principal("user:root", "Root", "user", frozenset({"admin"}))


@dataclass(frozen=True)
class Office:
    """The service, and the ids of what was recorded before the first request."""

    service: Running
    records: tuple[str, ...]

    @property
    def org_path(self) -> str:
        return f"{BASE}/orgs/{ORG}"

    @property
    def app_path(self) -> str:
        return f"{BASE}/orgs/{ORG}/apps/{WEB}"


def usage(label: str = "premium", **given: Any) -> Usage:
    """A call that was made just now."""
    made = {
        "request_id": str(uuid.uuid4()),
        "label": label,
        "timestamp": int(time.time()),
        "input_tokens": 100_000,
        "output_tokens": 10_000,
    }
    return Usage(**{**made, **given})


async def provision(keeper: Keeper, **org: Any) -> None:
    """Labels, the organisation and its two apps."""
    for name, model in MODELS.items():
        await keeper.labels.put(name, LabelIn(bedrock_model_id=model), ROOT)
    body = {
        "org_name": "Acme",
        "timezone": "UTC",
        "model_ordering": list(MODELS),
        "quotas": {"premium": 10_000_000, "standard": None, "economy": None},
        "quotas_week": {"_all": 50_000_000},
        **org,
    }
    await keeper.orgs.put(ORG, OrgIn.model_validate(body), ROOT)
    for app_id in (WEB, BATCH):
        await keeper.orgs.apps.put(ORG, app_id, AppIn(app_name=app_id.capitalize()), ROOT)


@contextmanager
def pages_of(
    backend: Backend,
    *,
    fill: bool = True,
    more: Callable[[Keeper], Awaitable[None]] | None = None,
    **settings: Any,
) -> Iterator[Office]:
    """The pages, with something in them or with nothing."""
    calls = [usage(), usage(), usage("standard")]

    async def opened(runtime: Runtime) -> None:
        keeper = Keeper(runtime)
        async with keeper.lifespan():
            if fill:
                await provision(keeper)
                account = await keeper.directory.account(ORG, WEB)
                await keeper.recorder.record(account, calls)
                await sum_now(keeper, ORG)
            if more is not None:
                await more(keeper)

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())

    with running(system, backend, front=front, opened=opened, **settings) as service:
        yield Office(service, tuple(call.request_id for call in calls))


@contextmanager
def as_role(office: Office, role: str) -> Iterator[Browser]:
    """The browser of a demo user."""
    browser = Browser(office.service)
    with browser.client:
        answer = browser.client.post("/auth/sign-in", data={"user": f"demo-{role}"})
        assert answer.status_code == 303, answer.text
        yield browser


def send(browser: Browser, path: str, fields: Mapping[str, str]) -> httpx2.Response:
    """A form, with its token."""
    return browser.post(path, fields)
