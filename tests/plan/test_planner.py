"""Plans that are made again and again: for other rates and other sizes of items."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Rate,
    Table,
    Update,
    attr,
    get,
    query,
    update,
    write,
)
from tablewright.model.demo import Demo
from tablewright.plan.charts import cost_chart, cost_within, heat_within
from tablewright.plan.heat import simulate
from tablewright.plan.loads import Expectation, Load
from tablewright.plan.outlook import Outlook
from tablewright.plan.plan import Planner, make_plan
from tablewright.plan.pricing import load_prices, regions
from tablewright.plan.units import Place

table = Table("Shop", pk="PK", sk="SK", indexes=[Index("ByState", pk="SPK", sk="SSK")])


class Order(
    Entity,
    table=table,
    keys={
        "primary": Key("ORDER#{order_id}", "ORDER"),
        "by_state": Key("STATE#{state}", "{order_id}", on="ByState"),
    },
):
    order_id: str
    state: str = "new"
    notes: str = ""


class Note(Entity, table=table, keys={"primary": Key("ORDER#{order_id}", "NOTE#{number}")}):
    order_id: str
    number: int
    text: str = ""


@get(Order, consistent=True, rate=Rate(100, peak=300))
def order(order_id: str) -> None:
    """One order."""


@query(Note, rate=Rate(10), expect=40)
def notes_of(order_id: str) -> None:
    """What was noted about an order."""


@write(rate=Rate(10, peak=40))
def pay(order: Order) -> Update[Order]:
    """An order is paid for."""
    return update(order).do(attr(Order.state).set("paid"))


@get(Note, item_size=3000, rate=Rate(1))
def note(order_id: str, number: int) -> None:
    """One note, which is long as a rule."""


model = Model("shop", __name__)
prices = load_prices()


def demo(notes: int = 1500) -> Demo:
    first = Order(order_id="1", notes="x" * notes)
    note_1 = Note(order_id="1", number=1, text="y" * 100)
    return Demo(
        [first, note_1], calls={"order": order("1"), "pay": pay(first), "note": note("1", 1)}
    )


def planner_of(shown: Demo) -> Planner:
    return Planner(model, shown.items, shown.calls)


def by_name(planner: Planner, outlook: Outlook) -> dict[str, Load]:
    return {load.pattern: load for load in planner.plan(prices, outlook).loads}


def test_an_item_of_another_size_counts_as_if_the_sample_were_so_large() -> None:
    small, large = planner_of(demo(notes=100)), planner_of(demo(notes=9000))
    size = large.measuring.sizes["Order"].item
    grown = by_name(small, Outlook(sizes={"Order": size}))
    really = by_name(large, Outlook())
    for name in ("order", "pay"):
        assert grown[name].units == really[name].units
    assert grown["order"].units.reads == 3, "9 KB, consistently"
    assert grown["pay"].units.write[Place("Shop", "ByState")] == 18, "two entries of 9 KB"


def test_sizes_of_others_are_not_touched() -> None:
    planner = planner_of(demo())
    plain = by_name(planner, Outlook())
    grown = by_name(planner, Outlook(sizes={"Note": 12_000}))
    assert grown["order"] is plain["order"], "not counted anew"
    assert grown["pay"] is plain["pay"]
    assert grown["notes_of"].units.reads > plain["notes_of"].units.reads, "which no call shows"


def test_a_declared_size_grows_with_its_entity() -> None:
    planner = planner_of(demo())
    own = planner.measuring.sizes["Note"].item
    assert by_name(planner, Outlook())["note"].units.reads == 0.5, "3,000 bytes"
    assert by_name(planner, Outlook(sizes={"Note": 2 * own}))["note"].units.reads == 1
    said = {"note": Expectation(item_size=3000)}
    kept = by_name(planner, Outlook(sizes={"Note": 2 * own}, patterns=said))
    assert kept["note"].units.reads == 0.5, "what is said for this pattern holds"


@pytest.mark.parametrize(
    "outlook",
    [
        Outlook(),
        Outlook(sizes={"Order": 7000.0}),
        Outlook(patterns={"pay": Expectation(average=500.0)}),
        Outlook(sizes={"Order": 300.0, "Note": 5000.0}, patterns={"note": Expectation(peak=9.0)}),
    ],
)
def test_what_came_before_makes_no_difference(outlook: Outlook) -> None:
    shown, planner = demo(), planner_of(demo())
    for other in (Outlook(sizes={"Order": 7000.0}), Outlook(sizes={"Note": 1.0})):
        planner.plan(prices, other)
    fresh = make_plan(model, shown.items, shown.calls, prices, outlook)
    again = planner.plan(prices, outlook)
    assert again.loads == fresh.loads
    assert again.bills == fresh.bills
    assert again.cheapest == fresh.cheapest


def test_regions_are_those_that_have_prices() -> None:
    assert "us-east-1" in regions()
    assert all(load_prices(region).region == region for region in regions())


def test_charts_for_a_page_have_no_style_of_their_own() -> None:
    plan = planner_of(demo()).plan(prices)
    drawn = ElementTree.fromstring(cost_within(plan, most=2))
    texts = [each.text for each in drawn.iter("text")]
    assert "2 others" in texts
    assert not any("style" in each.attrib or each.tag == "style" for each in drawn.iter())
    assert "<style>" in cost_chart(plan), "a file stands for itself"
    heat = ElementTree.fromstring(heat_within(simulate(Place('a"b'), [], seconds=60)))
    assert heat.attrib["aria-label"] == 'Heat of a"b'
