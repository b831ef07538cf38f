"""Reports: what stands, what was accepted, and how people and programs see it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tablewright.review import Design, Suppression, review
from tablewright.review.design import Attribute, Entity, Key, Pattern, Table
from tablewright.review.machine import as_json, as_sarif
from tablewright.review.rule import all_rules
from tablewright.review.text import render

DESIGN = Design.of(
    "shop",
    Table("Orders", pk="PK", sk="SK"),
    Entity("Order", "Orders", keys=[Key("ORDER#{id}", "")], attributes=[Attribute("id")]),
    Pattern("all_orders", "scan", "Order"),
    Pattern("order", "get", "Order", key={"PK": "ORDER#{id}", "SK": ""}),
    Pattern("place", "put", "Order", new=True, condition="attribute_not_exists(PK)"),
)


def codes(design: Design) -> list[str]:
    return [finding.code for finding in review(design).findings]


def test_findings_come_in_the_order_of_the_rules() -> None:
    assert codes(DESIGN) == ["K05", "P14"]


def test_counts_and_what_fails() -> None:
    report = review(DESIGN)
    assert report.counts() == {"error": 1, "warning": 1, "note": 0}
    assert report.fails("error")
    only_warning = replace(
        DESIGN, suppressions=[Suppression("K05", "Order*", "an old table, read only")]
    )
    assert not review(only_warning).fails("error")
    assert review(only_warning).fails("warning")


@pytest.mark.parametrize("place", ["*", "all_orders", "all_*", "pattern all_orders"])
def test_a_suppression_names_its_place(place: str) -> None:
    design = replace(DESIGN, suppressions=[Suppression("P14", place, "an export")])
    report = review(design)
    assert [finding.code for finding in report.findings] == ["K05"]
    assert [(each.code, each.suppressed) for each in report.suppressed] == [("P14", "an export")]
    assert report.idle == ()


@pytest.mark.parametrize(
    "suppression",
    [
        Suppression("P14", "other", "elsewhere"),
        Suppression("P01", "all_orders", "another rule"),
        Suppression("P14", "all_orders", " "),
    ],
)
def test_a_suppression_that_meets_nothing_or_has_no_reason_is_shown(
    suppression: Suppression,
) -> None:
    report = review(replace(DESIGN, suppressions=[suppression]))
    assert "P14" in [finding.code for finding in report.findings]
    assert report.idle == (suppression,)
    assert f"suppression P14 {suppression.place}" in render(report) or suppression.code == "P01"


def test_the_text_has_everything_that_a_reader_needs() -> None:
    report = review(replace(DESIGN, suppressions=[Suppression("P14", "*", "an export")]))
    text = render(report)
    (finding,) = report.findings
    flat = " ".join(text.split())
    for part in (finding.code, str(finding.place), finding.message, finding.fix, finding.docs):
        assert part in flat
    assert "Accepted: an export" in flat
    assert text.endswith("shop: 1 error, 1 accepted")
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100


def test_the_text_of_a_clean_report() -> None:
    assert render(review(Design("empty"))) == "empty: nothing found"


def test_styles_are_asked_for() -> None:
    text = render(review(DESIGN), lambda text, style: f"<{style}>{text}</{style}>")
    assert "<red>error  </red>" in text
    assert "<yellow>1 warning</yellow>" in text


def test_json_holds_the_report() -> None:
    body = as_json(review(replace(DESIGN, suppressions=[Suppression("P14", "*", "an export")])))
    assert body["counts"] == {"error": 1, "warning": 0, "note": 0}
    assert body["findings"][0]["place"] == {"kind": "key", "name": "Order[primary]"}
    assert body["suppressed"][0]["reason"] == "an export"
    assert body["unused_suppressions"] == []


def test_sarif_is_what_the_standard_asks_for() -> None:
    report = review(replace(DESIGN, suppressions=[Suppression("P14", "*", "an export")]))
    body = as_sarif(report, "shop/model.py")
    assert body["version"] == "2.1.0"
    (run,) = body["runs"]
    described = run["tool"]["driver"]["rules"]
    assert [each["id"] for each in described] == [rule.code for rule in all_rules()]
    assert len(run["results"]) == 2
    for result in run["results"]:
        assert described[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        (location,) = result["locations"]
        assert location["physicalLocation"]["artifactLocation"]["uri"] == "shop/model.py"
        assert location["logicalLocations"][0]["fullyQualifiedName"]
    accepted = [each for each in run["results"] if "suppressions" in each]
    assert [each["suppressions"][0]["justification"] for each in accepted] == ["an export"]
