"""The review of a model: which finding is shown where."""

from __future__ import annotations

import pytest
from tests.console import gallery
from tests.console.explorer.flawed import model, system

from tablewright.console.explorer.findings import (
    Choice,
    Reviewed,
    Spot,
    by_rule,
    rules_by_family,
    spot_of,
    suppressions_of,
)
from tablewright.console.explorer.views import Explorer
from tablewright.review import Place, Suppression, all_rules
from tablewright.review.finding import attribute, entity, index, key, pattern, sample, table
from tablewright.systems import load

WHY = "the exporter reads it"


@pytest.fixture(scope="module")
def reviewed() -> Reviewed:
    accepted = (
        Suppression("I01", place="Flawed/GSI2", reason=WHY),
        Suppression("K01", place="Order", reason="gone long ago"),
    )
    return Reviewed(model, None, accepted)


@pytest.mark.parametrize(
    ("place", "spot", "path"),
    [
        (table("Orders.v2"), Spot("table", "Orders.v2"), "#table-Orders.v2"),
        (index("Orders", "GSI1"), Spot("table", "Orders", "GSI1"), "#table-Orders"),
        (entity("Order"), Spot("entity", "Order"), "/entities/Order"),
        (attribute("Order", "a.b"), Spot("entity", "Order", "a.b"), "/entities/Order"),
        (key("Order", "by_day"), Spot("entity", "Order", "by_day"), "/entities/Order"),
        (sample("Order"), Spot("entity", "Order"), "/entities/Order"),
        (sample("Order", "prod-Orders"), Spot("entity", "Order"), "/entities/Order"),
        (pattern("orders"), Spot("pattern", "orders"), "/patterns/orders"),
        (Place("figure", "month"), Spot(), ""),
    ],
)
def test_every_kind_of_place_has_its_page(place: Place, spot: Spot, path: str) -> None:
    assert spot_of(place) == spot
    assert spot.path == path


def test_findings_are_at_the_thing_and_at_its_parts(reviewed: Reviewed) -> None:
    customer = {(each.code, each.spot.part) for each in reviewed.at("entity", "Customer")}
    assert customer == {("X01", "primary"), ("X01", "by_status"), ("X05", "")}
    assert [each.code for each in reviewed.at("pattern", "all_orders")] == ["W01"]
    assert reviewed.at("pattern", "add_customer") == ()


def test_what_was_accepted_is_told_with_its_reason_and_concerns_nobody(reviewed: Reviewed) -> None:
    told = {each.code: each.accepted for each in reviewed.at("table", "Flawed")}
    assert told == {"I02": None, "I01": WHY}
    assert [each.code for each in reviewed.concerns("table", "Flawed")] == ["I02"]
    assert [each.code for each in reviewed.accepted] == ["I01"]
    assert [each.code for each in reviewed.idle] == ["K01"]


def test_the_gravest_come_first_and_what_was_accepted_last(reviewed: Reviewed) -> None:
    order = [("error", "warning", "note").index(each.severity) for each in reviewed.standing]
    assert order == sorted(order)
    assert order[0] == 0
    assert reviewed.findings[-1].accepted == WHY


def test_findings_can_be_chosen(reviewed: Reviewed) -> None:
    def codes(**wanted: str) -> list[str]:
        return [each.code for each in filter(Choice(**wanted).meets, reviewed.standing)]

    assert len(codes()) == len(reviewed.standing)
    assert codes(severity="error") == ["I02"]
    assert set(codes(family="security")) == {"X01", "X05"}
    assert set(codes(family="security", kind="entity")) == {"X05"}
    assert codes(family="heat") == []


def test_findings_stand_under_their_rules(reviewed: Reviewed) -> None:
    groups = by_rule(reviewed.standing)
    assert sum(len(each.findings) for each in groups) == len(reviewed.standing)
    for group in groups:
        assert {each.code for each in group.findings} == {group.rule.code}
    assert sum(map(len, rules_by_family().values())) == len(all_rules())


def test_a_system_brings_what_its_authors_have_accepted() -> None:
    explorer = Explorer.of(load("ladders"))
    assert explorer.reviewed.standing == ()
    assert all(each.accepted for each in explorer.reviewed.accepted)
    assert len(explorer.reviewed.accepted) > 0


def test_a_model_of_somebody_else_has_accepted_nothing() -> None:
    assert suppressions_of(system) == ()
    assert suppressions_of(gallery.system) == ()
