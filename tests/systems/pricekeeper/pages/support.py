"""Pricekeeper with its pages behind a port: an organisation with two apps that have spent a little.

``web`` has used premium twice and standard once today; nothing is used up yet.
"""

from __future__ import annotations

import html
import re
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
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
def pages_of(backend: Backend, *, fill: bool = True, **settings: Any) -> Iterator[Office]:
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


# --- reading pages -------------------------------------------------------------------------------


def shows(page: httpx2.Response, *texts: str) -> None:
    """That the texts are on the page, as people see them."""
    plain = text_of(page)
    for each in texts:
        assert each in plain, f"{each!r} is not on the page: {plain}"


def text_of(page: httpx2.Response) -> str:
    """What people read, on one line."""
    inner = page.text.partition("<main")[2].partition("</main>")[0]
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", inner, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", without)).split())


def fields_of(page: httpx2.Response, form: str) -> dict[str, str]:
    """What a form would send as it is: the form whose action ends so."""
    found = re.search(
        rf'<form[^>]*action="[^"]*{re.escape(form)}"[^>]*>(.*?)</form>', page.text, re.S
    )
    assert found is not None, f"there is no form {form}"
    inner = found[1]
    values: dict[str, str] = {}
    for tag in re.findall(r"<input[^>]*>", inner):
        name = _attribute(tag, "name")
        if name and (_attribute(tag, "type") != "checkbox" or " checked" in tag):
            values[name] = _attribute(tag, "value") or ""
    for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', inner, re.S):
        chosen = re.search(r'<option value="([^"]*)" selected', options)
        first = re.search(r'<option value="([^"]*)"', options)
        values[name] = html.unescape((chosen or first or ["", ""])[1])
    for name, text in re.findall(
        r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>', inner, re.S
    ):
        values[name] = html.unescape(text)
    return values


def _attribute(tag: str, name: str) -> str | None:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return html.unescape(found[1]) if found else None


def send(browser: Browser, path: str, fields: Mapping[str, str]) -> httpx2.Response:
    """A form, with its token."""
    return browser.post(path, fields)


def wrong_fields(page: httpx2.Response) -> set[str]:
    """The fields that are marked as wrong."""
    tags = re.findall(r"<(?:input|select|textarea)[^>]*aria-invalid=\"true\"[^>]*>", page.text)
    return {name for tag in tags if (name := _attribute(tag, "name"))}
