"""What a month costs, by the planner, beside the figures that the design was chosen by."""

from __future__ import annotations

from functools import cache
from math import ceil

import pytest

from tablewright.client import Db, Embedded
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.plan.costs import Calls, PricedBill, Pricing, data_of, text_of
from tablewright.plan.pricing import load_prices
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.costs import (
    DEMO,
    KNOWN,
    LISTS,
    OURS,
    POLLS,
    PRODUCTION,
    REFRESHES,
    RIGHT,
    SAID,
    SPREAD,
    costs,
    overview_of,
    sized,
)
from tablewright.systems.sentiment.model import model
from tablewright.systems.sentiment.samples import NOW, analysis
from tablewright.systems.sentiment.shapes import SHARDS

PRICES = load_prices("us-east-1")
WRITE, READ = 0.625e-6, 0.125e-6


@cache
def bills() -> dict[str, PricedBill]:
    return {each.title: each for each in Pricing(costs(), PRICES).bills()}


def amount(bill: str, about: str, design: str) -> float:
    (line,) = (each for each in bills()[bill].lines if about in each.about)
    return line.dollars[design]


#: The lines of the month, as they were worked out when the design was chosen: to the cent.
LINES = [
    ("writes", SAID, 0.72),
    ("writes", RIGHT, 0.63),
    ("writes", OURS, 1.80),
    ("duplicate checks", RIGHT, 2.63),
    ("duplicate checks", OURS, 0.26),
    ("lists", SAID, 0.25),
    ("lists", RIGHT, 1.62),
    ("lists", OURS, 1.62),
    ("for each page", RIGHT, 19.44),
    ("for all pages", OURS, 0.13),
    ("storage", SAID, 0.08),
]


@pytest.mark.parametrize(("about", "design", "dollars"), LINES)
def test_lines_of_the_demo(about: str, design: str, dollars: float) -> None:
    assert round(amount("demo", about, design), 2) == dollars


@pytest.mark.parametrize(("about", "design", "dollars"), LINES)
def test_what_grows_with_articles_is_a_hundredfold_in_production(
    about: str, design: str, dollars: float
) -> None:
    if design == SAID:
        return
    factor = 1 if about in ("lists", "for all pages") else 100
    assert amount("production", about, design) == pytest.approx(
        amount("demo", about, design) * factor
    )


def test_totals() -> None:
    demo, production = bills()["demo"], bills()["production"]
    assert round(demo.total(SAID), 2) == 1.05
    assert round(demo.total(RIGHT), 1) == 5.0
    assert round(demo.total(RIGHT, "page")) == 19
    assert round(demo.total(OURS), 1) == 4.0
    assert round(production.total(SAID), 2) == 19.25
    assert production.total(RIGHT) > 65
    assert round(production.total(RIGHT, "page")) == 1944
    # $223 in the first reckoning, which had storage grow a hundredfold; counts do not.
    assert production.total(OURS) == pytest.approx(223, rel=0.02)
    assert production.total(OURS) - amount("production", "storage", OURS) == pytest.approx(
        208.05, abs=0.01
    )


def test_lines_by_hand() -> None:
    """The same from AWS's rules alone."""
    # T1 puts a hash, an article, two tag rows and two counts; T2 updates an article that moves
    # from one status to another, two tag rows and seven counts. Tables pay twice, indexes once.
    ingest = 2 * (1 + 1 + 2 + 2) + 1 + 2
    analyse = 2 * (1 + 2 + 7) + (1 + 2) + 2
    assert (ingest, analyse) == (15, 25)
    assert amount("demo", "writes", OURS) == pytest.approx(DEMO * (ingest + analyse) * WRITE)
    assert amount("demo", "writes", RIGHT) == pytest.approx(DEMO * (2 + 4 + 4 + 4) * WRITE)
    assert amount("demo", "duplicate", RIGHT) == pytest.approx(KNOWN * POLLS * WRITE)
    assert amount("demo", "duplicate", OURS) == pytest.approx(KNOWN * POLLS * 0.5 * READ)
    assert amount("demo", "lists", OURS) == pytest.approx(LISTS * 2.5 * READ)
    page = ceil(2400 / 4) / 2
    assert amount("demo", "for each page", RIGHT) == pytest.approx(REFRESHES * page * READ)
    for design, shards in ((OURS, 4), (SPREAD, SHARDS)):
        overview = amount("demo", "for all pages", design)
        assert overview == pytest.approx(REFRESHES * shards * 0.5 * READ)


def test_more_shards_cost_reads_of_overviews_and_storage_and_nothing_else() -> None:
    for bill in bills().values():
        for line in bill.lines:
            if OURS not in line.dollars:
                continue
            same = line.dollars[OURS] == pytest.approx(line.dollars[SPREAD])
            assert same != ("for all pages" in line.about or "storage" in line.about), line


def test_the_overview_costs_the_same_whatever_there_is() -> None:
    """A hundred times the articles are in as many counts."""
    assert PRODUCTION == 100 * DEMO
    for design in (OURS, SPREAD):
        small, large = (amount(bill, "for all pages", design) for bill in ("demo", "production"))
        assert small == large


def test_ingest_and_analysis_use_on_the_engine_what_is_planned() -> None:
    """Capacity per ingest and analysis equals the plan."""
    told = costs()
    pricing = Pricing(told, PRICES)
    clock = ManualClock(NOW.timestamp())
    article = sized("new", 0)
    steps = [
        changes.ingest(article, "0" * 64, now=NOW),
        changes.analyse(
            article.model_copy(update={"version": 1}), analysis("negative", "-0.7", NOW), now=NOW
        ),
    ]
    with Engine.memory(clock=clock) as engine:
        used: list[float] = []
        db = Db(
            Embedded(engine),
            clock=clock,
            hook=lambda event: used.append(event.write_units),
        )
        db.create_tables(model)
        for item in told.items:
            db.run(put(item))
        used.clear()
        for step in steps:
            db.run(step)
    assert used == [15, 25]
    writes = next(each for each in told.bills[0].lines if "writes" in each.about).amounts[OURS]
    (calls,) = writes
    assert isinstance(calls, Calls)
    assert [pricing.units(op).writes for op in calls.ops] == used
    assert sum(pricing.units(op).reads for op in overview_of(4)) == 2.0


def test_everything_is_printed_and_in_the_data() -> None:
    text, data = text_of(costs(), PRICES), data_of(costs(), PRICES)
    for figure in ("$0.63", "$1.80", "$2.63", "$0.26", "$1.62", "$19.44 per page", "$0.13"):
        assert figure in text
    demo, production = data["bills"]
    assert demo["title"] == "demo"
    assert demo["total"][RIGHT]["per page"] == pytest.approx(19.44)
    assert production["total"][SAID]["dollars"] == pytest.approx(19.25)
