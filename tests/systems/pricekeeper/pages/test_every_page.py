"""What all pages have: the frame, roles, ids, and that they say what is wrong in words."""

from __future__ import annotations

import re

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    MODELS,
    ORG,
    WEB,
    Office,
    as_role,
    pages_of,
    shows,
    text_of,
)

from tablewright.engine import Engine
from tablewright.testing.backends import in_process

APP = f"/orgs/{ORG}/apps/{WEB}"
#: Path, and the roles that may not see it.
PAGES = {
    "/": (),
    "/orgs": (),
    f"/orgs/{ORG}": (),
    f"/orgs/{ORG}?window=weeks": (),
    f"/orgs/{ORG}?window=nonsense": (),
    f"/orgs/{ORG}/edit": ("operator", "auditor"),
    "/orgs/new": ("operator", "auditor"),
    f"/orgs/{ORG}/new-app": ("operator", "auditor"),
    APP: (),
    f"{APP}?window=months": (),
    f"{APP}/edit": ("operator", "auditor"),
    "/usage": (),
    f"/usage?org={ORG}&app={WEB}&day=2026-01-01": (),
    "/prices": (),
    f"/prices/models/{MODELS['premium']}": (),
    "/prices/models/nobody.has-a-price-for-this": (),
    "/prices/reprice": ("auditor",),
    f"/prices/reprice?org={ORG}": ("auditor",),
    "/labels/new": ("operator", "auditor"),
    "/labels/premium/edit": ("operator", "auditor"),
    "/access": ("operator", "auditor"),
    f"/access/rotate?client=org-{ORG}": ("operator", "auditor"),
    "/access/keys": ("operator", "auditor"),
    "/access/keys/new": ("operator", "auditor"),
    "/audit": ("operator",),
    "/audit?day=2026-01-01&actor=nobody": ("operator",),
}


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_the_frame_and_nothing_inline(admin: Browser, path: str) -> None:
    page = admin.get(BASE + path)
    assert page.status_code == 200, page.text
    assert page.headers["cache-control"] == "no-store"
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.text.count("<h1") == 1
    assert not re.search(r"\sstyle=|\son[a-z]+=|<script(?![^>]*(src=|application/json))", page.text)
    assert "Undefined" not in page.text


@pytest.mark.parametrize("path", PAGES)
def test_ids_are_there_once_and_labels_lead_somewhere(admin: Browser, path: str) -> None:
    text = admin.get(BASE + path).text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    wanted = set(re.findall(r'\bfor="([^"]+)"', text)) | set(re.findall(r'\slist="([^"]+)"', text))
    for names in re.findall(r'aria-(?:labelledby|describedby|controls)="([^"]+)"', text):
        wanted |= set(names.split())
    assert wanted <= set(ids)


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_a_role_sees_what_it_may_see(office: Office, role: str) -> None:
    with as_role(office, role) as browser:
        found = {path: browser.get(BASE + path).status_code for path in PAGES}
    assert found == {path: 403 if role in barred else 200 for path, barred in PAGES.items()}


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_no_page_offers_what_its_reader_may_not_do(office: Office, role: str) -> None:
    with as_role(office, role) as browser:
        seen = [path for path, barred in PAGES.items() if role not in barred]
        for path in seen:
            text = browser.get(BASE + path).text
            for link in set(re.findall(r'(?:href|action)="(/pricekeeper/[^"#]*)"', text)):
                if "/api/" in link or link.startswith(f"{BASE}/live"):
                    continue
                answer = browser.get(link.replace("&amp;", "&"))
                # A form's address may want fields, or nothing but a form: no matter of the role.
                assert answer.status_code in (200, 405, 422), (path, link)


WRITES = {
    "/orgs/new": ("operator", "auditor"),
    f"/orgs/{ORG}/edit": ("operator", "auditor"),
    f"/orgs/{ORG}/delete": ("operator", "auditor"),
    f"/orgs/{ORG}/new-app": ("operator", "auditor"),
    f"{APP}/edit": ("operator", "auditor"),
    f"{APP}/delete": ("operator", "auditor"),
    f"/orgs/{ORG}/override": ("auditor",),
    f"{APP}/override": ("auditor",),
    f"{APP}/check": ("auditor",),
    f"/usage/record?org={ORG}&app={WEB}&request_id={ORG}": ("auditor",),
    "/labels/new": ("operator", "auditor"),
    "/labels/premium/edit": ("operator", "auditor"),
    f"/prices/models/{MODELS['premium']}": ("operator", "auditor"),
    "/prices/pending": ("operator", "auditor"),
    "/prices/refresh": ("operator", "auditor"),
    "/prices/reprice": ("auditor",),
    f"/access/rotate?client=org-{ORG}": ("operator", "auditor"),
    f"/access/revoke?client=org-{ORG}": ("operator", "auditor"),
    "/access/secret": ("operator", "auditor"),
    "/access/keys/new": ("operator", "auditor"),
    "/access/keys/abc/revoke": ("operator", "auditor"),
}


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_a_role_does_what_it_may_do(office: Office, role: str) -> None:
    barred = [path for path, roles in WRITES.items() if role in roles]
    with as_role(office, role) as browser:
        assert {browser.post(BASE + path, {}).status_code for path in barred} == {403}


def test_every_write_wants_its_token(admin: Browser) -> None:
    answers = {admin.post(BASE + path, {}, token=False).status_code for path in WRITES}
    assert answers == {403}


def test_all_that_can_be_sent_is_tried_above(office: Office) -> None:
    """A page that is added has to be added here, with those who may not use it."""
    app = office.service.app.parent
    mounted = next(route.app for route in app.routes if getattr(route, "name", "") == "pricekeeper")
    posts = {
        route.path
        for route in _routes(mounted.routes)
        if "POST" in route.methods and not route.path.startswith(("/api/", "/auth/"))
    }
    tried = [path.partition("?")[0] for path in WRITES]
    assert len(posts) == len(WRITES)
    for path in posts:
        shape = re.sub(r"\{[^}]+\}", "[^?]+", path)
        assert any(re.fullmatch(shape, each) for each in tried), path


def _routes(routes: object) -> list[object]:
    from tablewright.service.routes import flat

    return [context or route for route, context in flat(routes)]


# --- what cannot be ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "text"),
    [
        ("/orgs/nonsense", 400, "An organisation's id is a UUID."),
        (f"/orgs/{ORG[:-1]}0", 404, "There is no such organisation."),
        (f"/orgs/{ORG}/apps/nobody", 404, "There is no such app."),
        (f"/orgs/{ORG}/apps/A%23B", 400, "An app's id is"),
        ("/usage?day=yesterday", 400, "A day is written 2026-11-15."),
        (f"/usage?org={ORG}&app=nobody", 200, "There is no app “nobody” in Acme"),
        (f"/usage?org={ORG}&app=%23", 200, "There is no app “#” in Acme"),
        (f"/usage/record?org={ORG}&app={WEB}&request_id=7", 422, "A UUID such as"),
        (f"/usage/record?org={ORG}&app={WEB}&request_id={ORG}", 404, "There is no such record."),
        (f"/usage/record?org={ORG}", 422, "Field required"),
        ("/prices/models/%20", 400, "A model's id is"),
        ("/prices/reprice?first=x", 400, "A day is written 2026-11-15."),
        ("/labels/nobody/edit", 404, "There is no such label."),
        ("/access/rotate?client=me", 404, "There is no such client."),
        ("/access?org=x", 400, "An organisation's id is a UUID."),
        ("/audit?day=x", 400, "A day is written 2026-11-15."),
        ("/audit?cursor=x", 400, "The cursor does not belong to this list."),
        ("/?page=0", 422, "greater than or equal to 1"),
        ("/live?page=0", 422, "greater than or equal to 1"),
        ("/orgs?cursor=x", 400, "The cursor does not belong to this list."),
    ],
)
def test_what_cannot_be_is_told_in_words(admin: Browser, path: str, status: int, text: str) -> None:
    page = admin.get(BASE + path)
    assert page.status_code == status, page.text
    shows(page, text)


def test_a_place_where_nothing_is_yet_says_what_to_do() -> None:
    with Engine.memory() as engine, in_process(engine) as backend:
        with pages_of(backend, fill=False) as office, as_role(office, "admin") as browser:
            shows(browser.get(f"{BASE}/"), "Name your first label", "first organisation")
            shows(browser.get(f"{BASE}/orgs"), "Create your first organisation")
            shows(browser.get(f"{BASE}/usage"), "No organisation yet")
            shows(browser.get(f"{BASE}/access"), "No client yet")
            shows(browser.get(f"{BASE}/prices"), "No label yet", MODELS["economy"])
            shows(browser.get(f"{BASE}/prices/reprice"), "No organisation yet")
            shows(browser.get(f"{BASE}/orgs/new"), "No label yet.")
            with as_role(office, "auditor") as reader:
                assert "Create your first" not in text_of(reader.get(f"{BASE}/"))
