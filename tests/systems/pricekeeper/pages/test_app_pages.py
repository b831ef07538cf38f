"""Apps: their chain, created and changed."""

from __future__ import annotations

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    MODELS,
    ORG,
    WEB,
    fields_of,
    shows,
    text_of,
    wrong_fields,
)

PATH = f"{BASE}/orgs/{ORG}"
NEW = f"{PATH}/new-app"


def new_app(browser: Browser, **changes: str) -> dict[str, str]:
    form = fields_of(browser.get(NEW), "/new-app")
    return {**form, "app_name": "Robot", "app_id": "robot", **changes}


def test_an_apps_page_shows_its_chain(auditor: Browser) -> None:
    page = auditor.get(f"{PATH}/apps/{WEB}")
    shows(page, "The first label of the ordering is open.", "premium in use", "standard open")
    shows(page, MODELS["premium"], "$0.99 of $10.00", f"org-{ORG}-app-{WEB}")
    assert "Check the counters" not in text_of(page)


def test_an_app_is_created_as_its_organisation_is(admin: Browser) -> None:
    page = admin.post(NEW, new_app(admin))
    assert page.status_code == 201
    shows(page, "Robot is created", f"org-{ORG}-app-robot")
    shows(admin.get(f"{PATH}/apps/robot"), "premium › standard › economy (the organisation's)")


def test_an_app_has_a_chain_and_limits_of_its_own(admin: Browser) -> None:
    own = {"own_ordering": "1", "order.economy": "1", "own_quotas": "1", "quotas.economy": "2"}
    assert admin.post(NEW, new_app(admin, app_id="own", **own)).status_code == 201
    form = fields_of(admin.get(f"{PATH}/apps/own/edit"), "/edit")
    assert {name: form[name] for name in own} == own
    shows(admin.get(f"{PATH}/apps/own"), "economy in use")
    back = {**form, "own_ordering": "", "order.economy": ""}
    assert admin.post(f"{PATH}/apps/own/edit", back).status_code == 303
    shows(admin.get(f"{PATH}/apps/own"), "premium in use")


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"app_id": "Has Spaces"}, {"app_id"}),
        ({"app_id": WEB}, {"app_id"}),
        ({"app_name": ""}, {"app_name"}),
        ({"quotas.premium": "5"}, {"own_quotas"}),
        ({"own_quotas": "1", "quotas.premium": "-5"}, {"quotas.premium"}),
        ({"tight_mode_threshold_pct": "10"}, {"tight_mode_threshold_pct"}),
    ],
)
def test_a_refused_form_says_where(
    admin: Browser, changes: dict[str, str], fields: set[str]
) -> None:
    page = admin.post(NEW, new_app(admin, **changes))
    assert page.status_code == 422, text_of(page)
    assert wrong_fields(page) == fields
    kept = fields_of(page, "/new-app")
    assert {name: kept[name] for name in changes} == changes


def test_two_who_change_an_app_at_once(admin: Browser) -> None:
    assert admin.post(NEW, new_app(admin, app_id="busy")).status_code == 201
    path = f"{PATH}/apps/busy/edit"
    form = fields_of(admin.get(path), "/edit")
    assert admin.post(path, {**form, "app_name": "First"}).status_code == 303
    second = admin.post(path, {**form, "tight_mode_threshold_pct": "80"})
    assert second.status_code == 412
    merged = fields_of(second, "/edit")
    assert (merged["app_name"], merged["tight_mode_threshold_pct"]) == ("First", "80")
    assert admin.post(path, merged).status_code == 303


def test_a_disabled_app_is_told_nothing_and_a_deleted_one_is_gone(admin: Browser) -> None:
    assert admin.post(NEW, new_app(admin, app_id="gone")).status_code == 201
    path = f"{PATH}/apps/gone"
    form = fields_of(admin.get(f"{path}/edit"), "/edit")
    assert admin.post(f"{path}/edit", {**form, "status": "DISABLED"}).status_code == 303
    shows(admin.get(path), "It is let in no more")
    shows(admin.get(PATH), "disabled")
    seen = fields_of(admin.get(f"{path}/edit"), "/delete")
    assert admin.post(f"{path}/delete", seen).status_code == 303
    assert admin.get(path).status_code == 404
    again = admin.post(NEW, new_app(admin, app_id="gone"))
    assert wrong_fields(again) == {"app_id"}
