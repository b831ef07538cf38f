"""The five documents' capacity sections: each right figure worked out here by AWS's rules."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from math import ceil

import pytest

from tablewright.plan.outlook import ScenarioError
from tablewright.plan.pricing import load_prices
from tablewright.plan.samples import sample_size
from tablewright.plan.scenario import Scenario, Verdict, scenario_of
from tablewright.plan.verdicts import data_of, error_of, text_of
from tablewright.systems import NAMES

PRICES = load_prices("us-east-1")
MONTH = 30 * 86_400
WRITE, READ, GB = 0.625e-6, 0.125e-6, 0.25 / 1024**3


@cache
def scenario(name: str) -> Scenario:
    file = resources.files("tablewright.plan") / "scenarios" / f"{name}.toml"
    return scenario_of(name, tomllib.loads(file.read_text()))


def verdict(name: str, about: str) -> Verdict:
    return next(each for each in scenario(name).verdicts(PRICES) if each.claim.about == about)


#: What each document claims and what is right for it, by hand.
BY_HAND = [
    ("pricekeeper", "counter writes", 0.32, 10 * MONTH * WRITE),
    ("pricekeeper", "token revocation checks", 6.48, 10 * MONTH * 0.5 * READ),
    ("pricekeeper", "reads of the daily total", 6.48, 10 * MONTH * 0.5 * READ),
    ("pricekeeper", "model selection", 1.08, 4_320_000 * 0.5 * READ),
    ("pricekeeper", "aggregator reads", 0.09, 1440 * 30 * 8 * 0.5 * READ),
    ("pricekeeper", "aggregator, 30 keys a minute", 0.22, 43_200 * 30 * (8 * 0.5 * READ + WRITE)),
    ("sentiment", "base writes at the document's price", 0.72, 144_000 * 1.25e-6),
    # A put: the item, by_tag, by_status; an update: the item, by_sentiment, by_tag, and by_status
    # twice, since its key changes. For each of two tags.
    ("sentiment", "write units of ingesting one article", 1, 2 * (1 + 1 + 1)),
    ("sentiment", "write units of one analysis", 1, 2 * (1 + 1 + 1 + 2)),
    ("sentiment", "all writes, indexes and tags included", 0.72, 72_000 * (6 + 10) * WRITE),
    ("sentiment", "duplicate checks", 0, 487 * 8640 * WRITE),
    ("sentiment", "a query of 20 items of 1 KB", 0.5, 20 / 4 / 2),
    ("sentiment", "a query of 100 keys", 0.25, ceil(100 * 80 / 4096) / 2),
    ("sentiment", "dashboard queries", 0.25, 2 * MONTH * 2.5 * READ),
    ("sentiment", "the overview, for each open page", 0, MONTH / 5 * (2400 / 4 / 2) * READ),
    ("sentiment", "storage of the table", 0.02, 2 * 72_000 * 1124 * GB),
    ("sentiment", "base writes in production, in millions", 7.2, 14.4),
    ("sentiment", "base writes in production, at the document's price", 9.00, 18.00),
    ("ladders", "assessments per plan", 400, 10 * 2),
    ("ladders", "assessments a year", 16_000, 10 * 2 * 4 * 10),
    ("ladders", "reports per plan", 200, 10),
    ("ladders", "reports a year", 8000, 10 * 4 * 10),
    ("ladders", "saving an assessment of 15 KB", 15, 15 * 3),
    # Submissions and their updates are in GSI1; scores have 3 KB, summaries 2.
    (
        "vibejudge",
        "write units, as batches",
        700,
        50 * 2 + 200 * 3 + 200 * 1 + 50 * 2 + 50 * 1 + 150 * 2,
    ),
    (
        "vibejudge",
        "write units, atomic as it says",
        700,
        50 * 2 + 2 * (200 * 3 + 200 * 1 + 50 * 2) + 50 * 1 + 150 * 2,
    ),
    # The table's part of that, at 5 units a second; the index has less to do.
    ("vibejudge", "time to write all of it at 5 units", 140, (50 + 1800 + 50 + 150) / 5),
    ("vibejudge", "scaling to 50 units, a month at the maximum", 0, 125 * 730 * 0.00065),
    ("kurukshetra", "registering one participant", 1, 1 + 3),
    # Two items, twice for the transaction; the team's entry moves in one of three indexes and
    # changes in two, the payment is put into three.
    ("kurukshetra", "a payment: two items in one transaction", 2, 2 * 2 + (2 + 1 + 1) + 3),
    ("kurukshetra", "units of 2,000 registrations", 2000, 8000),
]


@pytest.mark.parametrize(("name", "about", "claimed", "right"), BY_HAND)
def test_a_claim_and_what_is_right(name: str, about: str, claimed: float, right: float) -> None:
    found = verdict(name, about)
    assert found.claim.claimed == claimed
    assert found.right == pytest.approx(right, rel=1e-9)


def test_the_counter_with_a_set_of_ids() -> None:
    # The item without the set; each id has 36 bytes; the whole item is written each time.
    empty = 164
    mean = sum(ceil((empty + 36 * ids) / 1024) for ids in range(1, 3001)) / 3000
    assert mean == pytest.approx(53.4, abs=0.05)
    found = verdict("pricekeeper", "units of one such write")
    assert found.right == pytest.approx(mean)
    dollars = verdict("pricekeeper", "counter writes, with the set of request ids")
    assert dollars.right == pytest.approx(10 * MONTH * mean * WRITE)
    assert round(dollars.right) == 865


def test_the_recording_that_is_right() -> None:
    operations = scenario("pricekeeper").operations
    alone, grouped = operations["recording, one by one"], operations["recording, ten at a time"]
    assert alone.units.writes == 4
    assert grouped.units.writes == 22
    figure = scenario("pricekeeper").figure
    assert figure("recording, one by one.dollars", PRICES) == pytest.approx(64.80)
    assert figure("recording, ten at a time.dollars", PRICES) == pytest.approx(35.64)


def test_the_demo_costs_five_dollars_and_nineteen_a_page() -> None:
    total = verdict("sentiment", "demo, everything but the overview")
    parts = 1.152 * 0.625 + 4.20768 * 0.625 + 12.96 * 0.125
    # The table, two indexes that hold everything, and one of keys.
    storage = 2 * 72_000 * (1124 + 1124 + 1124 + 250) * GB
    assert total.right == pytest.approx(parts + storage)
    assert total.right == pytest.approx(5.0, abs=0.1)
    assert verdict("sentiment", "the overview, for each open page").right == pytest.approx(19.44)


def test_a_leaderboard_is_read_whole() -> None:
    size = scenario("vibejudge").operations["leaderboard"].size
    assert 800 < size < 1024
    assert verdict("vibejudge", "the leaderboard of 50").right == ceil(50 * size / 4096)


def test_smaller_indexes_are_cheaper() -> None:
    ladders = scenario("ladders").operations
    assert ladders["autosave, smaller indexes"].units.writes == 17
    registrations = scenario("kurukshetra").operations
    # One kilobyte is one kilobyte: what is saved is storage, and copies of personal data.
    assert registrations["registrations, smaller indexes"].units.writes == 4


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_is_shown_with_its_error(name: str) -> None:
    text, data = text_of(scenario(name), PRICES), data_of(scenario(name), PRICES)
    claims = text.split("What it claims")[1].splitlines()
    for each, told in zip(scenario(name).verdicts(PRICES), data["claims"], strict=True):
        line = next(line for line in claims if line.startswith(f"  {each.claim.about}  "))
        assert error_of(each) in line
        assert told["right"] == each.right
    wrong = [each for each in scenario(name).verdicts(PRICES) if error_of(each) != "right"]
    assert len(wrong) >= 3


def test_errors_in_words() -> None:
    assert error_of(verdict("pricekeeper", "counter writes")) == "50.6x too low"
    assert error_of(verdict("ladders", "assessments per plan")) == "20x too high"
    assert error_of(verdict("sentiment", "duplicate checks")) == "missing"


# --- the file ------------------------------------------------------------------------------------

OPERATION = {"name": "o", "kind": "get", "table": "T", "size": 1}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({**OPERATION, "kind": "got", "per_day": 1}, "kind is one of"),
        (OPERATION, "give one of per_second"),
        ({**OPERATION, "per_day": 1, "per_month": 1}, "give one of per_second"),
        ({**OPERATION, "per_day": 1, "colour": "red"}, "colour"),
        ({**OPERATION, "per_day": 1, "indexes": {"I": "moved"}}, "change is one of"),
        ({"name": "o", "kind": "get", "table": "T", "per_day": 1}, "size"),
        ({**OPERATION, "per_day": 1, "item": "unknown"}, "unknown"),
    ],
)
def test_a_wrong_operation_is_refused(told: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        scenario_of("wrong", {"operations": [told]})


def test_a_claim_about_nothing_is_refused() -> None:
    told = {"claims": [{"about": "x", "claimed": 1, "figure": "nothing.dollars"}]}
    with pytest.raises(ScenarioError, match=r"no figure 'nothing\.dollars'"):
        scenario_of("wrong", told).verdicts(PRICES)


def test_samples_are_measured_as_items() -> None:
    # 1 + 3, 1 + 1 (a number of two digits takes two bytes), 1 + 1, 1 + 3 + (1 + 1), 1 + 3 + 3
    assert sample_size({"a": "xyz"}) == 4
    assert sample_size({"n": 42}) == 1 + 2
    assert sample_size({"b": True}) == 2
    assert sample_size({"l": ["x"]}) == 1 + 3 + 1 + 1
    assert sample_size({"m": {"k": "v"}}) == 1 + 3 + 1 + 1 + 1
