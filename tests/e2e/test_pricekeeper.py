"""Pricekeeper in a real browser: from nothing to a chain that moves, and for everybody."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.e2e.support import PHONE, THEMES, browsing, settled, too_wide, violations
from tests.service.support import Running, running

from tablewright.console.front import Console
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.systems.pricekeeper.client import PricekeeperClient
from tablewright.systems.pricekeeper.live_demo import fill
from tablewright.systems.pricekeeper.live_demo.cast import LABELS, LABS, RETAIL
from tablewright.systems.pricekeeper.service.keeper import Keeper
from tablewright.systems.pricekeeper.service.ledger.scanning import Days
from tablewright.systems.pricekeeper.system import system
from tablewright.testing.backends import in_process

pytestmark = pytest.mark.e2e

ADMIN, OPERATOR, AUDITOR = "Demo admin", "Demo operator", "Demo auditor"
BASE = "/pricekeeper"
ORG, APP = RETAIL.org_id, "shop-assistant"
MODEL = LABELS["standard"].bedrock_model_id
#: A call of premium: 100,000 tokens in at $3.30 and 10,000 out at $16.50 a million are $0.495.
CALL = {"input_tokens": 100_000, "output_tokens": 10_000}


@contextmanager
def served(*, demo: bool) -> Iterator[Running]:
    async def opened(runtime: Runtime) -> None:
        keeper = Keeper(runtime)
        async with keeper.lifespan():
            if demo:
                await fill(keeper)

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings)

    with (
        Engine.memory() as engine,
        in_process(engine) as backend,
        running(system, backend, front=front, opened=opened) as service,
    ):
        yield service


@pytest.fixture(scope="module")
def demo(browser: Browser) -> Iterator[Running]:
    """With three organisations that have been at work."""
    with served(demo=True) as service:
        yield service


# --- from nothing --------------------------------------------------------------------------------


def test_from_nothing_to_a_chain_that_moves(browser: Browser, tmp_path: Path) -> None:
    with (
        served(demo=False) as service,
        browsing(browser, service.url, user=ADMIN, allowed=["404"]) as page,
    ):
        _name_labels(page)
        org_id = _create_organisation(page)
        secret = _create_app(page)
        _watch(page, service, org_id, secret, tmp_path)


def _name_labels(page: Page) -> None:
    page.goto(f"{BASE}/")
    page.get_by_role("link", name="Name your first label").click()
    for name in ("premium", "standard"):
        page.goto(f"{BASE}/labels/new")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Model", exact=True).fill(LABELS[name].bedrock_model_id)
        page.get_by_role("button", name="Create label").click()
        expect(page.get_by_text(f"Label “{name}” created.")).to_be_visible()


def _create_organisation(page: Page) -> str:
    page.goto(f"{BASE}/")
    page.get_by_role("link", name="Create your first organisation").click()
    page.get_by_label("Name").fill("Browser Inc")
    page.get_by_label("Time zone").fill("Europe/Oslo")
    page.get_by_label("premium: place in the chain").select_option("1")
    page.get_by_label("standard: place in the chain").select_option("2")
    page.get_by_label("premium: limit a day").fill("1")
    page.get_by_label("standard: limit a day").fill("unlimited")
    page.get_by_role("button", name="Create organisation").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Browser Inc is created")
    page.get_by_role("link", name="Open the organisation").click()
    found = re.search(r"/orgs/([0-9a-f-]{36})$", page.url)
    assert found is not None
    return found[1]


def _create_app(page: Page) -> str:
    """An app; its secret is shown once."""
    page.get_by_role("link", name="New app").click()
    page.get_by_label("Name").fill("Web shop")
    page.get_by_label("Id", exact=True).fill("web")
    page.get_by_role("button", name="Create app").click()
    page.get_by_role("button", name="Show the secret").click()
    expect(page.get_by_text("You will not see this again")).to_be_visible()
    assert violations(page) == []
    secret = page.get_by_role("button", name="Copy client secret").get_attribute("data-copy-text")
    assert secret is not None
    # The browser sends the form again: somebody has been there before.
    page.reload()
    expect(page.get_by_text("It was shown already, or its time is over")).to_be_visible()
    assert secret not in page.content()
    return secret


def _watch(page: Page, service: Running, org_id: str, secret: str, folder: Path) -> None:
    """Spend rises on the overview without reloading it, and the chain moves."""
    page.goto(f"{BASE}/")
    expect(page.locator("[data-live-state]")).to_have_text("Live")
    page.evaluate("window.stayed = true")
    card = page.get_by_role("region", name="Browser Inc")
    expect(card).to_contain_text("$0.00 of $1.00")

    async def one(client: PricekeeperClient) -> None:
        await client.record("premium", **CALL)

    async def two(client: PricekeeperClient) -> None:
        await client.record("premium", **CALL)
        await client.record("premium", **CALL)

    as_client(service, org_id, secret, folder, one)
    expect(card).to_contain_text("$0.50 of $1.00")
    expect(card).to_contain_text("premium, in use")
    as_client(service, org_id, secret, folder, two)
    expect(card).to_contain_text("$1.48 of $1.00")
    expect(card).to_contain_text("premium, used up")
    expect(card).to_contain_text("standard, in use")
    assert page.evaluate("window.stayed") is True
    page.goto(f"{BASE}/orgs/{org_id}/apps/web")
    expect(page.locator(".chain [aria-current=step]")).to_contain_text("standard")
    expect(page.locator(".chain > li").first).to_contain_text("used up")


def as_client(
    service: Running,
    org_id: str,
    secret: str,
    folder: Path,
    use: Callable[[PricekeeperClient], Awaitable[None]],
) -> None:
    """What an app does, in a thread of its own: the browser's driver has a loop in this one."""

    async def work() -> None:
        client = PricekeeperClient(
            f"{service.url}{BASE}",
            org_id=org_id,
            app_id="web",
            client_id=f"org-{org_id}-app-web",
            client_secret=secret,
            spool=folder / "spool",
            every=0.05,
        )
        async with client:
            await use(client)
            assert await client.flush()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result(30)


# --- for everybody -------------------------------------------------------------------------------


def pages_of(service: Running) -> list[str]:
    """Every page there is, as an administrator sees it."""
    org, app = f"/orgs/{ORG}", f"/orgs/{ORG}/apps/{APP}"
    record = service.do(_a_record(service))
    return [
        "/",
        "/orgs",
        "/orgs/new",
        org,
        f"{org}?window=months",
        f"{org}/edit",
        f"{org}/new-app",
        app,
        f"{app}/edit",
        f"/orgs/{LABS.org_id}",
        f"/usage?org={ORG}",
        f"/usage?org={ORG}&app={APP}&day=2020-01-01",
        f"/usage/record?org={ORG}&app={APP}&request_id={record}",
        "/prices",
        f"/prices/models/{MODEL}",
        "/prices/models/nobody.knows-it",
        f"/prices/reprice?org={ORG}",
        "/labels/new",
        "/labels/premium/edit",
        f"/access?org={ORG}",
        f"/access/rotate?client=org-{ORG}",
        "/access/keys",
        "/access/keys/new",
        "/audit",
    ]


async def _a_record(service: Running) -> str:
    keeper = Keeper(service.runtime)
    today = keeper.aggregates.today(await keeper.orgs.get(ORG))
    rows = keeper.ledger.rows(ORG, APP, Days(today, today))
    return (await anext(rows)).request_id


@pytest.mark.slow
def test_every_page_can_be_used_by_everybody(browser: Browser, demo: Running) -> None:
    found: list[str] = []
    with browsing(browser, demo.url, user=ADMIN, reduced_motion="reduce") as page:
        for path in pages_of(demo):
            page.goto(BASE + path)
            for theme in THEMES:
                page.evaluate(_THEME, theme)
                settled(page)
                found += [f"{theme}: {each}" for each in violations(page)]
    assert found == []


#: Colours that are on their way from one theme to the other have no contrast to speak of.
_THEME = """async (theme) => {
  document.documentElement.dataset.bsTheme = theme;
  document.dispatchEvent(new CustomEvent("tw:theme"));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => null)));
}"""


@pytest.mark.slow
def test_on_a_phone_nothing_is_too_wide(browser: Browser, demo: Running) -> None:
    wide: list[str] = []
    with browsing(browser, demo.url, user=ADMIN, width=PHONE) as page:
        for path in pages_of(demo):
            page.goto(BASE + path)
            settled(page)
            wide += [path] if too_wide(page) else []
        page.goto(f"{BASE}/orgs/{ORG}/apps/{APP}")
        settled(page)
        assert violations(page) == []
    assert wide == []


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_what_opens_can_be_used_by_everybody(browser: Browser, demo: Running, theme: str) -> None:
    with browsing(browser, demo.url, user=ADMIN, theme=theme, allowed=["422", "409"]) as page:
        assert list(_opened(page)) == []


def _opened(page: Page) -> Iterator[str]:
    """What is wrong with refused forms, folds, questions and what is shown once."""
    page.goto(f"{BASE}/orgs/new")
    page.get_by_label("premium: limit a day").fill("much")
    page.get_by_role("button", name="Create organisation").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield from violations(page)
    page.goto(f"{BASE}/orgs/{ORG}/edit")
    page.get_by_text("More settings").click()
    yield from violations(page)
    page.get_by_role("button", name=f"Delete {RETAIL.name}").click()
    yield from violations(page)
    page.keyboard.press("Escape")
    page.goto(f"{BASE}/access/rotate?client=org-{ORG}-app-{APP}")
    page.get_by_role("button", name="Rotate").click()
    expect(page.get_by_role("alert")).to_be_visible()
    yield from violations(page)
    page.goto(f"{BASE}/access/keys/new")
    page.get_by_label("Name").fill("For the browser")
    page.get_by_role("button", name="Create key").click()
    expect(page.get_by_text("You will not see this again")).to_be_visible()
    yield from violations(page)


@pytest.mark.parametrize("user", [AUDITOR, pytest.param(OPERATOR, marks=pytest.mark.slow)])
def test_other_roles_have_pages_of_their_own(browser: Browser, demo: Running, user: str) -> None:
    with browsing(browser, demo.url, user=user) as page:
        page.goto(f"{BASE}/orgs/{ORG}")
        expect(page.get_by_role("link", name="Edit limits")).to_have_count(0)
        expect(page.get_by_role("link", name="Access")).to_have_count(0)
        override = page.get_by_role("button", name="Override")
        expect(override).to_have_count(1 if user == OPERATOR else 0)
        audit = page.get_by_role("link", name="Audit log")
        expect(audit).to_have_count(1 if user == AUDITOR else 0)
        assert violations(page) == []


# --- by keys alone -------------------------------------------------------------------------------


def test_a_label_is_closed_by_keys_alone(browser: Browser, demo: Running) -> None:
    with browsing(browser, demo.url, user=OPERATOR) as page:
        page.goto(f"{BASE}/orgs/{LABS.org_id}")
        page.get_by_label("Label", exact=True).focus()
        page.keyboard.type("economy")
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("by keys alone")
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Are you sure?")
        expect(dialog).to_be_visible()
        page.keyboard.press("Tab")
        expect(dialog.get_by_role("button", name="Override")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text("economy is closed for the rest of the day.")).to_be_visible()


@pytest.mark.slow
def test_what_is_live_does_not_take_the_focus_away(browser: Browser, demo: Running) -> None:
    with browsing(browser, demo.url, user=AUDITOR) as page:
        page.goto(f"{BASE}/")
        link = page.get_by_role("link", name=RETAIL.name).first
        link.focus()
        page.evaluate("document.getElementById('overview').firstElementChild.dataset.old = 'yes'")
        # Another one has come in its place.
        expect(page.locator("#overview > [data-old]")).to_have_count(0, timeout=20_000)
        expect(page.get_by_role("link", name=RETAIL.name).first).to_be_focused()


# --- two at once ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_who_edit_at_once_are_told(browser: Browser, demo: Running) -> None:
    path = f"{BASE}/orgs/{LABS.org_id}/edit"
    with (
        browsing(browser, demo.url, user=ADMIN, allowed=["412"]) as first,
        browsing(browser, demo.url, user=ADMIN) as second,
    ):
        first.goto(path)
        second.goto(path)
        second.get_by_label("All labels: limit a week").fill("75")
        second.get_by_role("button", name="Save").click()
        expect(second.get_by_text("The settings are saved.")).to_be_visible()
        first.get_by_label("All labels: limit a day").fill("13")
        first.get_by_role("button", name="Save").click()
        expect(first.get_by_text("Somebody changed it while you were editing.")).to_be_visible()
        expect(first.get_by_label("All labels: limit a week")).to_have_value("75")
        expect(first.get_by_label("All labels: limit a day")).to_have_value("13")
        assert violations(first) == []
        first.get_by_role("button", name="Save").click()
        expect(first.get_by_text("The settings are saved.")).to_be_visible()
