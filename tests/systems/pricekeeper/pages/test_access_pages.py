"""Access: secrets rotated and shown once, tokens ended, API keys; and the audit log of it."""

from __future__ import annotations

import re

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    BATCH,
    ORG,
    WEB,
    Office,
    fields_of,
    shows,
    text_of,
    wrong_fields,
)

ACCESS = f"{BASE}/access"


def client_of(app_id: str) -> str:
    return f"org-{ORG}-app-{app_id}"


def secret_on(page_text: str) -> str:
    (found,) = re.findall(r'data-copy-text="([A-Za-z0-9_-]{43})"', page_text)
    return found


def login(browser: Browser, client_id: str, secret: str) -> int:
    form = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": secret}
    headers = {"Accept": "application/json"}
    return browser.client.post(f"{BASE}/auth/token", data=form, headers=headers).status_code


def test_clients_are_listed(admin: Browser) -> None:
    page = admin.get(f"{ACCESS}?org={ORG}")
    shows(page, "Acme", f"org-{ORG}", client_of(WEB), client_of(BATCH), "API keys")


def test_a_secret_is_rotated_shown_once_and_the_old_one_has_its_grace(admin: Browser) -> None:
    path = f"{ACCESS}/rotate?client={client_of(WEB)}"
    form = fields_of(admin.get(path), client_of(WEB))
    assert form["grace_hours"] == "24"
    done = admin.post(path, form)
    assert done.status_code == 200
    shows(done, "The secret is rotated", "The old one is good until")
    first = secret_on(admin.post(f"{ACCESS}/secret", fields_of(done, "/access/secret")).text)
    assert login(admin, client_of(WEB), first) == 200
    shows(admin.get(f"{ACCESS}?org={ORG}"), "rotated 1 time", "the one before is good too")
    refused = admin.post(path, {**form, "grace_hours": "5"})
    assert refused.status_code == 409
    assert wrong_fields(refused) == {"force"}
    assert fields_of(refused, client_of(WEB))["grace_hours"] == "5"
    forced = admin.post(path, {**form, "grace_hours": "0", "force": "1"})
    shows(forced, "The old one, and all tokens with it, ended now.")
    second = secret_on(admin.post(f"{ACCESS}/secret", fields_of(forced, "/access/secret")).text)
    assert login(admin, client_of(WEB), second) == 200
    assert login(admin, client_of(WEB), first) == 401


@pytest.mark.parametrize("grace", ["-1", "169", "a day"])
def test_a_grace_that_cannot_be_is_refused(admin: Browser, grace: str) -> None:
    page = admin.post(f"{ACCESS}/rotate?client={client_of(BATCH)}", {"grace_hours": grace})
    assert page.status_code == 422
    assert wrong_fields(page) == {"grace_hours"}


def test_tokens_are_ended(admin: Browser) -> None:
    answer = admin.post(f"{ACCESS}/revoke?client={client_of(BATCH)}", {})
    assert answer.status_code == 303
    shows(admin.get(answer.headers["location"]), "Its tokens are worth nothing", "tokens ended")


@pytest.mark.parametrize("token", ["", "x", "A" * 43])
def test_a_token_that_nobody_has_shows_nothing(admin: Browser, token: str) -> None:
    page = admin.post(f"{ACCESS}/secret", {"token": token, "back": "//evil.example/"})
    assert page.status_code == 404
    shows(page, "It was shown already, or its time is over")
    assert "evil" not in page.text


def test_an_api_key_is_made_used_and_revoked(admin: Browser, office: Office) -> None:
    form = {"name": "Nightly export", "roles": "auditor", "days": "30"}
    page = admin.post(f"{ACCESS}/keys/new", form)
    assert page.status_code == 201
    shows(page, "You will not see this again")
    (key,) = re.findall(r"twk_[0-9a-z]{16}_[\w-]{51}", page.text)
    with office.service.client(headers={"X-API-Key": key}) as program:
        assert program.get(f"{BASE}/api/v1/orgs").status_code == 200
        assert program.get(f"{BASE}/api/v1/api-keys").status_code == 403
        listed = admin.get(ACCESS)
        shows(listed, "Nightly export", "auditor", "good")
        assert key not in listed.text
        revoke = re.search(
            r'action="([^"]+/revoke)"[^>]*>.{0,900}Nightly export', listed.text, re.S
        )
        assert revoke is not None
        assert admin.post(revoke[1], {}).status_code == 303
        shows(admin.get(ACCESS), "Nightly export is revoked", "revoked")
        assert program.get(f"{BASE}/api/v1/orgs").status_code == 401


@pytest.mark.parametrize(
    ("changes", "fields"),
    [({"name": ""}, {"name"}), ({"roles": "king"}, {"roles"}), ({"days": "0"}, {"days"})],
)
def test_a_refused_key_says_where(
    admin: Browser, changes: dict[str, str], fields: set[str]
) -> None:
    form = {"name": "Key", "roles": "auditor", "days": "3", **changes}
    page = admin.post(f"{ACCESS}/keys/new", form)
    assert page.status_code == 422
    assert wrong_fields(page) == fields


# --- the audit log -------------------------------------------------------------------------------


def test_the_log_tells_who_did_what_in_names(auditor: Browser) -> None:
    page = auditor.get(f"{BASE}/audit")
    shows(page, "org.create", "user:root", "Acme, web", "credential.rotate")
    assert f'href="{BASE}/orgs/{ORG}/apps/{WEB}"' in page.text
    assert "twk_" not in page.text


def test_the_log_is_filtered_and_goes_on(auditor: Browser) -> None:
    shows(auditor.get(f"{BASE}/audit?day=2020-01-01"), "Nothing was done")
    only = auditor.get(f"{BASE}/audit?action=label.put")
    found = re.findall(r"<code>([a-z.-]+)</code>", only.text)
    assert set(found) == {"label.put"}
    shows(auditor.get(f"{BASE}/audit?actor=nobody"), "Nothing was done")


def test_pages_of_the_log_lead_to_the_next_one(
    auditor: Browser, admin: Browser, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablewright.systems.pricekeeper.pages import audit

    monkeypatch.setattr(audit, "_LISTED", 2)
    seen: list[str] = []
    path: str | None = f"{BASE}/audit?subject=org/{ORG}/app/{WEB}"
    while path:
        page = auditor.get(path)
        assert page.status_code == 200
        seen += re.findall(r"<code>([a-z.-]+)</code>", page.text)
        found = re.search(r'class="btn btn-plain" href="([^"]+)" hx-get', page.text)
        path = found[1].replace("&amp;", "&") if found else None
    assert "app.create" in seen
    assert text_of(page)
