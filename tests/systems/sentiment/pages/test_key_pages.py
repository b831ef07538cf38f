"""API keys: made, shown once, good for what their role may, revoked."""

from __future__ import annotations

import re

from tests.console.reading import fields_of, shows, text_of, wrong_fields
from tests.console.support import Browser
from tests.systems.sentiment.pages.support import BASE, Office

ACCESS = f"{BASE}/access"


def test_a_key_is_made_shown_once_used_and_revoked(admin: Browser, office: Office) -> None:
    form = fields_of(admin.get(f"{ACCESS}/new"), "/access/new")
    assert form["roles"] == "ingest"
    made = admin.post(f"{ACCESS}/new", {**form, "name": "The wire"})
    assert made.status_code == 201
    key = re.search(r"twk_[\w-]+", made.text)
    assert key is not None
    page = admin.get(ACCESS)
    shows(page, "The wire", "ingest good")
    assert key[0] not in page.text
    record = {"title": "AI by key", "url": "https://news.example/key", "source": "Wire"}
    with office.service.client(headers={"X-API-Key": key[0]}) as program:
        sent = program.post(f"{BASE}/api/v1/ingest", json={"records": [record]})
        assert sent.status_code == 207, sent.text
        assert program.get(f"{BASE}/api/v1/items").status_code == 403
        assert program.get(f"{BASE}/watch").status_code == 403
    revoke = re.search(rf'action="({ACCESS}/[^"]+/revoke)"', page.text)
    assert revoke is not None
    assert admin.post(revoke[1], {}).headers["location"] == ACCESS
    shows(admin.get(ACCESS), "The key The wire is revoked", "revoked")


def test_only_administrators_see_keys(operator: Browser, analyst: Browser, viewer: Browser) -> None:
    for browser in (operator, analyst, viewer):
        assert browser.get(ACCESS).status_code == 403
        assert browser.post(f"{ACCESS}/new", {"name": "x", "roles": "admin"}).status_code == 403
        assert f'href="{ACCESS}"' not in browser.get(f"{BASE}/watch").text


def test_what_is_wrong_stands_at_its_field(admin: Browser) -> None:
    page = admin.post(f"{ACCESS}/new", {"name": "", "roles": "ingest", "days": "0"})
    assert (page.status_code, wrong_fields(page)) == (422, {"name", "days"})
    unknown = admin.post(f"{ACCESS}/new", {"name": "x", "roles": "king"})
    assert unknown.status_code == 422
    assert "twk_" not in text_of(unknown)
