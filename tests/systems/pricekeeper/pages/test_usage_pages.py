"""Usage: a day's table, exports, records and their corrections."""

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


def record_path(office: Office, place: int = 0) -> str:
    return f"{BASE}/usage/record?org={ORG}&app={WEB}&request_id={office.records[place]}"


def test_a_day_is_shown_by_label_and_by_app(auditor: Browser) -> None:
    page = auditor.get(f"{BASE}/usage?org={ORG}")
    shows(page, "premium 2 0 200,000 20,000 0 0 $0.99 $10.00", "standard 1 0 100,000 10,000")
    shows(page, "Web 3 0 300,000 30,000", "Batch 0 0 0 0 0 0 $0.00")
    of_app = auditor.get(f"{BASE}/usage?org={ORG}&app={WEB}")
    assert "By app" not in text_of(of_app)


def test_the_day_before_has_a_day_after(auditor: Browser) -> None:
    page = auditor.get(f"{BASE}/usage?org={ORG}")
    assert "Day after" not in text_of(page)
    before = re.search(r'href="([^"]+)"[^>]*>.{0,300}?Day before', page.text, re.S)
    assert before is not None
    earlier = auditor.get(before[1].replace("&amp;", "&"))
    shows(earlier, "Nothing was used that day", "Day after")


def test_exports_are_one_click_away(auditor: Browser, office: Office) -> None:
    page = auditor.get(f"{BASE}/usage?org={ORG}")
    links = re.findall(r'href="(/pricekeeper/api/v1/[^"]+)"', page.text)
    kinds = {}
    for link in links:
        answer = auditor.get(link.replace("&amp;", "&"))
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/csv")
        kinds["ledger" if "kind=ledger" in link else "totals"] = answer.text
    assert all(request_id in kinds["ledger"] for request_id in office.records)
    assert kinds["totals"].startswith("org_id,")


def test_a_record_is_looked_up(auditor: Browser, office: Office) -> None:
    page = auditor.get(record_path(office))
    shows(page, office.records[0], "$0.50", "495,000,000,000 pico-dollars", "Never corrected")
    assert "Correct it" not in text_of(page)
    shouted = auditor.get(record_path(office).upper().replace("/PRICEKEEPER/USAGE/RECORD", "x"))
    assert shouted.status_code == 404


def test_a_record_is_corrected_once(operator: Browser, office: Office) -> None:
    path = record_path(office)
    form = fields_of(operator.get(path), office.records[0])
    typed = {**form, "output_tokens": "-10000", "reason": "counted twice"}
    assert operator.post(path, typed).status_code == 303
    page = operator.get(path)
    shows(page, "The record is corrected.", "$0.33", "counted twice", "-10,000", "1 correction")
    assert operator.post(path, typed).status_code == 303
    shows(operator.get(path), "nothing is counted twice", "1 correction")
    link = re.search(r'href="([^"]+)"><code>', page.text)
    assert link is not None
    correction = operator.get(link[1].replace("&amp;", "&"))
    shows(correction, "The record that it corrects", "-$0.16")


def test_nothing_falls_below_zero(operator: Browser, office: Office) -> None:
    path = record_path(office, 1)
    form = fields_of(operator.get(path), office.records[1])
    page = operator.post(path, {**form, "input_tokens": "-100001", "reason": "too much"})
    assert page.status_code == 409
    shows(page, "It takes away more than the record has left.")
    assert fields_of(page, office.records[1])["input_tokens"] == "-100001"


@pytest.mark.parametrize(
    ("typed", "fields"),
    [
        ({}, {"input_tokens", "reason"}),
        ({"input_tokens": "1.5", "reason": "x"}, {"input_tokens"}),
        ({"cost_usd_micros": "ten", "reason": "x"}, {"cost_usd_micros"}),
        ({"input_tokens": "-1", "reason": "repriced"}, {"reason"}),
    ],
)
def test_a_refused_correction_says_where(
    operator: Browser, office: Office, typed: dict[str, str], fields: set[str]
) -> None:
    path = record_path(office, 1)
    form = fields_of(operator.get(path), office.records[1])
    page = operator.post(path, {**form, **typed})
    assert page.status_code == 422
    assert wrong_fields(page) == fields
