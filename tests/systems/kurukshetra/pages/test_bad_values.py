"""Forms explain what may stand in a field, and never show a regular expression."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from tests.console.reading import fields_of
from tests.console.support import Browser
from tests.systems.kurukshetra.pages.staging import Stage, staged
from tests.systems.kurukshetra.pages.support import BASE, Ground, signed_in

#: No characters of any name or code; a control character, which no text may have.
BAD = ("!?# ~^", "a\x07b", "é" * 30)
#: What the framework says of a pattern, and how patterns begin and end.
_PATTERN = re.compile(r"should match|pattern \'|\^\[|\]\*?\$|\{\d+,\d*\}\$|\+\)\*\$")


class Form(NamedTuple):
    """A form: who fills it in, the page it is on, and where its action ends."""

    user: str
    page: str
    action: str


E = f"{BASE}/events/bad-values"
FORMS = [
    Form("admin", f"{BASE}/events/new", "/events/new"),
    Form("admin", f"{E}/admin/setup", "/setup"),
    Form("admin", f"{E}/admin/setup/questions", "/questions"),
    Form("admin", f"{E}/admin/setup/vouchers", "/vouchers"),
    Form("admin", f"{E}/admin/setup/roles", "/roles"),
    Form("admin", f"{E}/admin/registrations/mail", "/registrations/mail"),
    Form("admin", "payment", "/refund"),
    Form("asha", f"{E}/register/you", "/register/you"),
    Form("asha", f"{E}/register/team", "/register/team"),
]


@pytest.fixture(scope="module")
def stage(ground: Ground) -> Stage:
    return staged(ground, "bad-values")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.action.strip("/"))
def test_form_with_a_bad_value_in_any_field_shows_no_pattern(stage: Stage, form: Form) -> None:
    with signed_in(stage.ground, form.user) as browser:
        if form.action == "/register/team":
            _fill_in_you(browser)
        page = browser.get(stage.payment if form.page == "payment" else form.page)
        assert page.status_code == 200, page.text[:500]
        values = fields_of(page, form.action)
        action = _action_of(page.text, form.action)
        names = [each for each in values if each not in ("csrf", "version")]
        assert names
        for name in names:
            for bad in BAD:
                answer = browser.post(action, {**values, name: bad})
                assert answer.status_code < 500
                found = _PATTERN.search(answer.text)
                assert found is None, (name, bad, answer.text[found.start() - 200 :][:400])


def test_voucher_code_with_other_characters_is_explained(stage: Stage) -> None:
    path = f"{stage.admin}/setup/vouchers"
    with signed_in(stage.ground, "admin") as admin:
        form = fields_of(admin.get(path), "/vouchers")
        answer = admin.post(path, {**form, "code": "früh!", "percent": "10"})
        assert answer.status_code == 422
        assert "3 to 40 letters without accents, digits and hyphens" in answer.text
        assert admin.get(f"{path}?code=fr%C3%BCh!").status_code == 404


def _action_of(text: str, end: str) -> str:
    found = re.search(rf'<form[^>]*action="([^"]*{re.escape(end)})"', text)
    assert found is not None
    return found[1]


def _fill_in_you(browser: Browser) -> None:
    form = fields_of(browser.get(f"{E}/register/you"), "/register/you")
    browser.post(f"{E}/register/you", {**form, "first_name": "Asha", "student_status": "1"})
