"""Organisations: how they stand, created and changed, overridden."""

from __future__ import annotations

import re

import pytest
from tests.console.support import Browser
from tests.systems.pricekeeper.pages.support import (
    BASE,
    ORG,
    WEB,
    Office,
    fields_of,
    shows,
    text_of,
    wrong_fields,
)

PATH = f"{BASE}/orgs/{ORG}"


def new_org(browser: Browser, **changes: str) -> dict[str, str]:
    """The form of a new organisation, filled in."""
    form = fields_of(browser.get(f"{BASE}/orgs/new"), "/orgs/new")
    filled = {
        "org_name": "Newcomer",
        "timezone": "Europe/Oslo",
        "order.premium": "1",
        "order.economy": "2",
        "quotas.premium": "12.50",
        "quotas_month._all": "300",
    }
    return {**form, **filled, **changes}


# --- looking -------------------------------------------------------------------------------------


def test_the_overview_shows_spend_limits_and_what_apps_use(auditor: Browser) -> None:
    page = auditor.get(f"{BASE}/")
    # Two calls of premium, and one of standard at a third of the price.
    shows(page, "Acme", "$1.16", "$0.99 of $10.00", "premium, in use", "Web", "Normal")
    assert 'sse-connect="/pricekeeper/live"' in page.text


def test_an_organisations_page_shows_limits_apps_and_settings(auditor: Browser) -> None:
    page = auditor.get(PATH)
    shows(page, "$1.16", "$0.99 of $10.00", "all labels", "$1.16 of $50.00", "UTC", "Batch")
    assert "Override" not in text_of(page)


def test_a_chart_has_its_figures_as_a_table_too(auditor: Browser) -> None:
    for window in ("days", "weeks", "months"):
        page = auditor.get(f"{PATH}?window={window}")
        assert 'data-chart="' in page.text
        shows(page, "Show the figures", "$0.99")


# --- creating ------------------------------------------------------------------------------------


def test_an_organisation_is_created_and_its_secret_shown_once(admin: Browser) -> None:
    form = new_org(admin)
    page = admin.post(f"{BASE}/orgs/new", form)
    assert page.status_code == 201
    shows(page, "Newcomer is created", f"org-{form['org_id']}")
    secret = fields_of(page, "/access/secret")
    shown = admin.post(f"{BASE}/access/secret", secret)
    assert shown.status_code == 200
    shows(shown, "You will not see this again", f"org-{form['org_id']}")
    again = admin.post(f"{BASE}/access/secret", secret)
    assert again.status_code == 404
    shows(again, "It was shown already, or its time is over")
    found = re.findall(r'data-copy-text="([^"]{43})"', shown.text)
    assert len(found) == 1
    assert found[0] not in again.text
    stands = admin.get(f"{BASE}/orgs/{form['org_id']}")
    shows(stands, "Newcomer", "$0.00 of $12.50", "premium › economy", "Europe/Oslo")
    assert found[0] not in stands.text


def test_who_sends_the_form_twice_has_one_organisation(admin: Browser) -> None:
    form = new_org(admin, org_name="Twice")
    assert admin.post(f"{BASE}/orgs/new", form).status_code == 201
    again = admin.post(f"{BASE}/orgs/new", form)
    assert again.status_code == 303
    assert again.headers["location"] == f"{BASE}/orgs/{form['org_id']}"
    listed = admin.get(f"{BASE}/orgs").text
    assert listed.count(">Twice<") == 1


def test_a_refused_form_keeps_what_was_typed(admin: Browser) -> None:
    typed = {"org_name": "", "timezone": "Mars/Base", "quotas.premium": "lots"}
    page = admin.post(f"{BASE}/orgs/new", new_org(admin, **typed))
    assert page.status_code == 422
    assert wrong_fields(page) == {"org_name", "quotas.premium"}
    kept = fields_of(page, "/orgs/new")
    assert (kept["timezone"], kept["quotas.premium"]) == ("Mars/Base", "lots")
    page = admin.post(f"{BASE}/orgs/new", new_org(admin, timezone="Mars/Base"))
    assert wrong_fields(page) == {"timezone"}
    shows(page, "no zone of the time zone database")


def test_a_label_without_a_limit_is_told_at_its_limit(admin: Browser) -> None:
    page = admin.post(f"{BASE}/orgs/new", new_org(admin, **{"quotas_month._all": ""}))
    assert page.status_code == 422
    assert wrong_fields(page) == {"quotas.economy"}


# --- changing ------------------------------------------------------------------------------------


@pytest.fixture
def made(admin: Browser) -> str:
    """The path of an organisation that a test may change."""
    form = new_org(admin, org_name="Changeable")
    assert admin.post(f"{BASE}/orgs/new", form).status_code == 201
    return f"{BASE}/orgs/{form['org_id']}"


def test_limits_are_changed(admin: Browser, made: str) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    assert form["quotas.premium"] == "12.50"
    changed = {**form, "quotas.premium": "20", "order.premium": "2", "order.economy": "1"}
    answer = admin.post(f"{made}/edit", changed)
    assert (answer.status_code, answer.headers["location"]) == (303, made)
    shows(admin.get(made), "The settings are saved.", "$0.00 of $20.00", "economy › premium")


def test_an_unchanged_form_changes_nothing(admin: Browser, made: str) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    assert admin.post(f"{made}/edit", form).status_code == 303
    assert fields_of(admin.get(f"{made}/edit"), "/edit")["version"] == form["version"]


def test_two_who_change_different_things_keep_both(admin: Browser, made: str) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    first = admin.post(f"{made}/edit", {**form, "org_name": "Renamed"})
    assert first.status_code == 303
    second = admin.post(f"{made}/edit", {**form, "quotas.premium": "99"})
    assert second.status_code == 412
    shows(second, "Somebody changed it while you were editing", "org name")
    merged = fields_of(second, "/edit")
    assert (merged["org_name"], merged["quotas.premium"]) == ("Renamed", "99")
    assert admin.post(f"{made}/edit", merged).status_code == 303
    shows(admin.get(made), "Renamed", "$99.00")


def test_two_who_change_the_same_see_both_values(admin: Browser, made: str) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    assert admin.post(f"{made}/edit", {**form, "quotas.premium": "30"}).status_code == 303
    second = admin.post(f"{made}/edit", {**form, "quotas.premium": "40"})
    assert second.status_code == 412
    shows(second, "limit a day of premium: yours is “40”, it is now “30”")
    assert fields_of(second, "/edit")["quotas.premium"] == "40"
    shows(admin.get(made), "$30.00")


def test_a_mistake_does_not_hide_that_somebody_was_quicker(admin: Browser, made: str) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    assert admin.post(f"{made}/edit", {**form, "org_name": "Quicker"}).status_code == 303
    wrong = admin.post(f"{made}/edit", {**form, "quotas.premium": "much"})
    assert wrong.status_code == 422
    kept = fields_of(wrong, "/edit")
    assert kept["version"] == form["version"]
    again = admin.post(f"{made}/edit", {**kept, "quotas.premium": "41"})
    assert again.status_code == 412
    assert fields_of(again, "/edit")["org_name"] == "Quicker"


def test_a_disabled_organisation_says_so_and_a_deleted_one_is_gone(
    admin: Browser, made: str
) -> None:
    form = fields_of(admin.get(f"{made}/edit"), "/edit")
    assert admin.post(f"{made}/edit", {**form, "status": "DISABLED"}).status_code == 303
    shows(admin.get(made), "Disabled")
    seen = fields_of(admin.get(f"{made}/edit"), "/delete")
    stale = admin.post(f"{made}/delete", {**seen, "version": "0"})
    assert stale.status_code == 412
    assert admin.post(f"{made}/delete", seen).status_code == 303
    assert admin.get(made).status_code == 404


# --- overriding ----------------------------------------------------------------------------------


def test_a_label_is_closed_and_opened_by_hand(operator: Browser, office: Office) -> None:
    close = {"label": "standard", "action": "exhaust", "reason": "vendor trouble"}
    assert operator.post(f"{PATH}/override", close).status_code == 303
    shows(operator.get(PATH), "standard is closed for the rest of the day.", "closed today")
    opened = {**close, "action": "restore"}
    assert operator.post(f"{PATH}/override", opened).status_code == 303
    shows(operator.get(PATH), "standard is open again.")
    assert "closed today" not in text_of(operator.get(PATH))


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"reason": ""}, "reason"), ({"action": "burn"}, "action"), ({"label": "nobody"}, "label")],
)
def test_an_override_that_cannot_be_comes_back(
    operator: Browser, changes: dict[str, str], field: str
) -> None:
    form = {"label": "standard", "action": "exhaust", "reason": "why", **changes}
    page = operator.post(f"{PATH}/override", form)
    assert page.status_code == 422
    assert wrong_fields(page) == {field}
    assert f'value="{form["reason"]}"' in page.text


def test_an_app_can_be_checked_against_its_counters(operator: Browser) -> None:
    path = f"{PATH}/apps/{WEB}"
    assert operator.post(f"{path}/check", {}).status_code == 303
    shows(operator.get(path), "The counters were summed just now. Use premium.", "in use")


# --- amounts in the reader's notation -------------------------------------------------------------


def test_limits_typed_with_a_decimal_comma_are_saved_as_typed(admin: Browser) -> None:
    admin.client.headers["Accept-Language"] = "de-DE,de;q=0.9,en;q=0.5"
    amounts = {"quotas.premium": "1,50", "quotas_month._all": "1.000,50"}
    form = new_org(admin, org_name="Komma", **amounts)
    assert admin.post(f"{BASE}/orgs/new", form).status_code == 201
    path = f"{BASE}/orgs/{form['org_id']}"
    shows(admin.get(path), "of $1.50", "of $1,000.50")
    # The form offers the same amounts again, and saving them unchanged changes nothing.
    edit = fields_of(admin.get(f"{path}/edit"), "/edit")
    assert {name: edit[name] for name in amounts} == {
        "quotas.premium": "1,50",
        "quotas_month._all": "1000,50",
    }
    assert admin.post(f"{path}/edit", edit).status_code == 303
    shows(admin.get(path), "of $1.50", "of $1,000.50")


# --- models without a price -----------------------------------------------------------------------


def test_an_unpriced_label_is_shown_where_it_is_made_and_where_its_limit_is(
    admin: Browser,
) -> None:
    label = {"label": "gpt", "bedrock_model_id": "openai.gpt-oss-120b-1:0"}
    made = admin.post(f"{BASE}/labels/new", label)
    assert made.status_code == 303
    shows(
        admin.get(made.headers["location"]),
        "Label “gpt” created. openai.gpt-oss-120b-1:0 has no price",
    )
    form = new_org(admin, org_name="Unpriced", **{"order.gpt": "3", "quotas.gpt": "5"})
    assert admin.post(f"{BASE}/orgs/new", form).status_code == 201
    path = f"{BASE}/orgs/{form['org_id']}"
    shows(admin.get(path), "No price for gpt.", "limits may have no effect")
    edit = fields_of(admin.get(f"{path}/edit"), "/edit")
    assert admin.post(f"{path}/edit", {**edit, "unpriced": "block"}).status_code == 303
    shows(admin.get(path), "No price for gpt.", "until the model has a price", "blocked")
    shows(admin.get(f"{BASE}/prices"), "no price")
