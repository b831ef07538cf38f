"""A month's bill, worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.plan import demos

from examples import ecommerce
from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Provisioned,
    Rate,
    Table,
    definition,
    get,
    put,
    write,
)
from tablewright.model.ops import Put
from tablewright.plan import report
from tablewright.plan.demand import Settings, demands
from tablewright.plan.loads import Expectation, Load, loads_of
from tablewright.plan.month import Choice, bill, cheapest, declared, table_cost, uniform
from tablewright.plan.outlook import Outlook, ScenarioError, outlook_of
from tablewright.plan.plan import make_plan
from tablewright.plan.pricing import PriceError, load_prices
from tablewright.plan.reasons import reasons
from tablewright.plan.sizes import EntitySize
from tablewright.plan.units import Place, Units
from tablewright.values import item_size

HOURS = 730
PRICES = load_prices("us-east-1")

logs = Table(
    "Logs",
    pk="PK",
    sk="SK",
    pitr=True,
    indexes=[
        Index("Global", pk="GPK", sk="GSK"),
        Index("Local", sk="LSK", local=True),
    ],
)


class Line(
    Entity,
    table=logs,
    keys={
        "primary": Key("LOG#{log}", "{number:08d}"),
        "by_kind": Key("KIND#{kind}", "{number:08d}", on="Global"),
        "by_text": Key("{text}", on="Local"),
    },
):
    log: str
    number: int
    kind: str
    text: str


SIZES = {"Line": EntitySize(900, {"Global": 900, "Local": 900}, measured=True)}


def load_of(average: float, peak: float | None = None) -> Load:
    """Writes of one unit to the table and both indexes, and a read of half a unit."""
    places = [Place("Logs"), Place("Logs", "Global"), Place("Logs", "Local")]
    units = Units({Place("Logs"): 0.5}, dict.fromkeys(places, 1.0))
    return Load("append", None, ("Line",), Rate(average, peak), units, "measured")


def wanted(average: float, peak: float | None = None, **settings: object) -> tuple:  # type: ignore[type-arg]
    given = Settings(**settings)  # type: ignore[arg-type]
    return demands({"Logs": logs}, [load_of(average, peak)], SIZES, given), given


def test_on_demand() -> None:
    listed, settings = wanted(10)
    cost = table_cost(listed[0], Choice("on demand", "STANDARD"), PRICES, settings)
    seconds = HOURS * 3600
    assert cost.writes == pytest.approx(10 * 3 * seconds * 0.625 / 1e6)
    assert cost.reads == pytest.approx(10 * 0.5 * seconds * 0.125 / 1e6)


def test_provisioned_is_for_the_peak_and_scaled_for_the_average() -> None:
    listed, settings = wanted(10, 70)
    for mode, rate in (("provisioned", 70), ("scaled", 10)):
        cost = table_cost(listed[0], Choice(mode, "STANDARD"), PRICES, settings)  # type: ignore[arg-type]
        # The local index uses the table's units: 2 writes for each call there, 1 in the other.
        writes = -(-rate * 2 * 10 // 7) + -(-rate * 10 // 7)
        reads = -(-rate * 5 // 7) + 1
        assert cost.writes == pytest.approx(writes * HOURS * 0.00065)
        assert cost.reads == pytest.approx(reads * HOURS * 0.00013)


def test_storage_has_an_overhead_and_backups_have_no_global_index() -> None:
    listed, settings = wanted(0, items={"Line": 10_000_000}, backups={"Logs": 7})
    cost = table_cost(listed[0], Choice("on demand", "STANDARD"), PRICES, settings)
    gigabytes = 10_000_000 * 1000 / 1024**3
    assert cost.storage == pytest.approx(3 * gigabytes * 0.25)
    assert cost.pitr == pytest.approx(2 * gigabytes * 0.20)
    assert cost.backups == pytest.approx(7 * 2 * gigabytes * 0.10)


def test_streams_are_paid_by_the_read() -> None:
    listed, settings = wanted(0, stream_reads={"Logs": 4})
    total = bill(listed, uniform(listed, "on demand"), PRICES, settings).total
    reads = 4 * HOURS * 3600
    assert total.streams == pytest.approx(reads / 100_000 * 0.02)
    assert total.free == pytest.approx(2_500_000 / 100_000 * 0.02)


def test_what_is_free() -> None:
    listed, settings = wanted(1, items={"Line": 1_000_000})
    total = bill(listed, uniform(listed, "scaled"), PRICES, settings).total
    # All of it: 3 + 2 write units, 1 + 1 read units, below 3 GB.
    assert total.free == pytest.approx(total.writes + total.reads + total.storage)
    assert total.total == pytest.approx(total.pitr)
    on_demand = bill(listed, uniform(listed, "on demand"), PRICES, settings).total
    assert on_demand.free == pytest.approx(on_demand.storage)


def test_nothing_is_free_if_it_is_said() -> None:
    listed, settings = wanted(1, free_tier=False)
    assert bill(listed, uniform(listed, "scaled"), PRICES, settings).total.free == 0


def test_the_infrequent_class_is_cheaper_for_much_that_rests() -> None:
    listed, settings = wanted(0.01, items={"Line": 1_000_000_000})
    assert cheapest(listed, PRICES, settings).choices["Logs"].table_class != "STANDARD"
    listed, settings = wanted(1000, items={"Line": 1_000_000_000})
    assert cheapest(listed, PRICES, settings).choices["Logs"].table_class == "STANDARD"


@pytest.mark.parametrize(
    ("average", "peak", "mode"),
    [
        (1000, 1000, "provisioned"),  # steady
        (1000, 3000, "scaled"),  # rises slowly enough to be followed
        (100, 10_000, "on demand"),  # a spike
        (0.001, 0.001, "scaled"),  # within what is free
    ],
)
def test_the_cheapest_way(average: float, peak: float, mode: str) -> None:
    listed, settings = wanted(average, peak)
    found = cheapest(listed, PRICES, settings)
    same = {"provisioned", "scaled"} if average == peak else {mode}
    assert found.choices["Logs"].mode in same
    others = [bill(listed, uniform(listed, each), PRICES, settings) for each in ("on demand",)]
    assert all(found.total.total <= other.total.total + 1e-9 for other in others)


def test_what_the_model_declares_is_priced_too() -> None:
    fixed = Table(
        "Fixed",
        pk="PK",
        indexes=[Index("I1x", pk="IPK"), Index("I2x", pk="JPK", billing=Provisioned(1, 50))],
        billing=Provisioned(5, 5),
    )
    listed = demands({"Fixed": fixed}, [], {}, Settings(free_tier=False))
    total = bill(listed, declared(listed), PRICES, Settings(free_tier=False)).total
    assert total.writes == pytest.approx((5 + 5 + 50) * HOURS * 0.00065)
    assert total.reads == pytest.approx((5 + 5 + 1) * HOURS * 0.00013)


# --- whole plans ---------------------------------------------------------------------------------


def test_a_plan_of_the_shop() -> None:
    demo = demos.shop()
    plan = make_plan(ecommerce.model, demo.items, demo.calls, PRICES)
    shares = {load.pattern: plan.pattern_share(load) for load in plan.loads}
    # 200 a second, half a unit each.
    assert shares["customer"].read_units == pytest.approx(200 * 0.5 * HOURS * 3600)
    assert shares["customer"].cost == pytest.approx(200 * 0.5 * HOURS * 3600 * 0.125 / 1e6)
    on_demand = plan.bills["on demand"].total
    whole = sum(share.cost for share in shares.values())
    assert on_demand.total == pytest.approx(whole)
    assert sum(each.cost for each in plan.place_shares().values()) == pytest.approx(whole)
    assert sum(each.cost for each in plan.entity_shares().values()) == pytest.approx(whole)
    assert plan.cheapest.total.total <= min(
        each.total.total for mode, each in plan.bills.items() if mode != "scaled"
    )
    text = report.text_of(plan)
    assert all(pattern in text for pattern in ecommerce.model.patterns)
    assert all(reasons(plan, demand) for demand in plan.demands)


def test_expectations_raise_a_sample_to_real_life() -> None:
    demo = demos.shop()
    said = {
        "orders_to_pack": Expectation(average=2, expect=4000),
        "customer": Expectation(item_size=9000),
    }
    loads = {load.pattern: load for load in loads_of(ecommerce.model, demo.items, demo.calls, said)}
    busy = loads["orders_to_pack"]
    assert (busy.basis, busy.average) == ("scaled", 2)
    size = item_size(definition(ecommerce.Order).encode(demo.items[1]))
    assert busy.units.reads == pytest.approx(4000 * size / 4096 / 2, rel=0.05)
    assert loads["customer"].units.reads == 1.5


def test_a_pattern_without_a_call_is_estimated() -> None:
    loads = {load.pattern: load for load in loads_of(ecommerce.model)}
    assert {load.basis for load in loads.values()} == {"estimated"}
    assert loads["customer"].units.reads == 0.5
    assert loads["move_order"].units.writes == 3
    # A check, an order and four items, twice for the transaction; the order's two entries and one
    # of each item, once.
    assert loads["place_order"].units.writes == 2 * (1 + 1 + 4) + (2 + 4)


def test_estimates_are_near_what_is_measured() -> None:
    demo = demos.shop()
    measured = loads_of(ecommerce.model, demo.items, demo.calls)
    estimated = loads_of(ecommerce.model, demo.items)
    for one, other in zip(measured, estimated, strict=True):
        real, guess = (each.units.reads + each.units.writes for each in (one, other))
        assert 0.4 <= guess / real <= 2.5, one.pattern


def test_an_outlook_names_what_there_is() -> None:
    with pytest.raises(ScenarioError, match="no pattern buy"):
        outlook_of({"patterns": {"buy": {"average": 1}}}, ecommerce.model)
    told = {"entities": {"Customer": {"items": 5, "size": 2000}}, "hours": 720}
    outlook = outlook_of(told, ecommerce.model)
    assert outlook.settings.hours == 720
    plan = make_plan(ecommerce.model, (), {}, PRICES, outlook)
    assert plan.demands[0].stored.base == 5 * 2100


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"patterns": {"customer": {"often": 1}}}, "takes average, expect, item_size, peak"),
        ({"patterns": {"customer": {"average": "ten"}}}, "average is a number"),
        ({"patterns": {"customer": {"average": -1}}}, "not negative"),
        ({"entities": {"Customer": 5}}, "takes items, size"),
        ({"utilization": 0.5}, "knows no utilization"),
        ({"utilisation": 0}, "a share above 0"),
        ({"keys": {"CUSTOMER#{user_name}": {"count": 0}}}, "at least one key"),
    ],
)
def test_an_outlook_that_makes_no_sense_is_refused(told: dict[str, Any], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        outlook_of(told, ecommerce.model)


def test_an_empty_outlook_is_the_model_itself() -> None:
    assert outlook_of({}, ecommerce.model) == Outlook()


# --- prices --------------------------------------------------------------------------------------


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "ap-south-1"])
def test_prices_of_a_region(region: str) -> None:
    prices = load_prices(region)
    assert prices.dated >= "2026"
    assert prices.source
    for own in (prices.standard, prices.infrequent):
        assert own.writes / own.reads == pytest.approx(5, rel=0.02)
    assert prices.infrequent.storage < prices.standard.storage
    assert prices.infrequent.writes > prices.standard.writes


def test_prices_that_were_not_looked_up_are_said() -> None:
    assert load_prices("us-east-1").unsure == ()
    assert "backup" in load_prices("eu-west-1").unsure


def test_a_price_file_of_ones_own(tmp_path: Path) -> None:
    shipped = Path(report.__file__).parent / "prices" / "aws.toml"
    mine = tmp_path / "mine.toml"
    mine.write_text(shipped.read_text().replace("writes = 0.625", "writes = 0.5"))
    assert load_prices("us-east-1", mine).standard.writes == 0.5
    with pytest.raises(PriceError, match="no prices of mars-1; it has those of ap-south-1"):
        load_prices("mars-1", mine)
    mine.write_text("[regions.here]\nwrites = 1")
    with pytest.raises(PriceError, match="missing or wrong"):
        load_prices("here", mine)
    mine.write_text("so what")
    with pytest.raises(PriceError, match="no price file"):
        load_prices("here", mine)
    with pytest.raises(PriceError, match="cannot be read"):
        load_prices("here", tmp_path / "nowhere.toml")


# --- a model without samples ---------------------------------------------------------------------


@get(Line)
def line(log: str, number: int) -> None:
    """One line."""


@write(rate=Rate(5))
def append(line: Line) -> Put[Line]:
    """A new line."""
    return put(line).new()


def test_a_model_without_samples_has_a_plan() -> None:
    plan = make_plan(Model("logs", __name__), (), {}, PRICES)
    assert {load.pattern: load.units.writes for load in plan.loads} == {"line": 0, "append": 3}
    assert "no rate is declared for line" in report.text_of(plan)
