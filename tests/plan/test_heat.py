"""Partitions under load: what must hold whatever the chance, and what can be worked out."""

from __future__ import annotations

import builtins
import time
from typing import Any, Literal

import numpy as np
import pytest
from tests.plan import demos

from examples import ecommerce
from tablewright.model import (
    Entity,
    Index,
    IsoSeconds,
    Key,
    Model,
    Put,
    Rate,
    Table,
    Ulid,
    put,
    write,
)
from tablewright.plan import hot
from tablewright.plan.heat import Heat, hot_keys, shards_for, simulate
from tablewright.plan.keys import KeySpread, harmonic, key_count
from tablewright.plan.outlook import Outlook
from tablewright.plan.partitions import FIRST_PARTITIONS, NumpyMissing
from tablewright.plan.plan import make_plan
from tablewright.plan.pricing import load_prices
from tablewright.plan.traffic import Stream, streams_of
from tablewright.plan.units import Place

PLACE = Place("T")


def stream(rate: float, spread: KeySpread, **given: Any) -> Stream:
    return Stream("p", PLACE, given.pop("template", "K"), spread, rate, **{"write": 1.0, **given})


def heat(*streams: Stream, **given: Any) -> Heat:
    return simulate(PLACE, streams, **given)


# --- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.5, 0.99, 1.0, 1.3, 2.0])
def test_shares_follow_zipf(exponent: float) -> None:
    ranks = np.arange(1, 1_000_001, dtype=float)
    weights = ranks**-exponent
    assert harmonic(1e6, exponent) == pytest.approx(weights.sum(), rel=1e-6)
    shares = KeySpread(1e6, zipf=exponent).shares(50)
    assert shares == pytest.approx((weights / weights.sum())[:50].tolist(), rel=1e-6)


@pytest.mark.parametrize("hottest", [1e-5, 0.001, 0.05, 0.5])
def test_the_hottest_key_has_the_share_that_is_said(hottest: float) -> None:
    spread = KeySpread(1e9, hottest=hottest)
    assert spread.first == pytest.approx(hottest, rel=1e-6)
    assert spread.shares()[0] == pytest.approx(hottest, rel=1e-6)
    assert sum(spread.shares()) <= 1 + 1e-9


def test_even_keys() -> None:
    assert KeySpread(100).shares() == [0.01] * 100
    assert KeySpread(100, hottest=0.001).first == 0.01


@pytest.mark.parametrize("wrong", [{"count": 0}, {"hottest": 0}, {"hottest": 2}])
def test_a_spread_makes_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"least one|share"):
        KeySpread(**wrong)


# --- what one partition does ---------------------------------------------------------------------


def test_an_even_load_is_served() -> None:
    found = heat(stream(100_000, KeySpread(1e9)))
    assert found.throttled == 0
    assert found.partitions == (200, 200)


def test_one_item_serves_a_thousand_writes() -> None:
    found = heat(stream(4000, KeySpread(1), bound="it is one item"))
    assert found.throttled == pytest.approx(0.75, abs=0.002)
    assert found.settled == pytest.approx(0.75, abs=0.002)
    assert found.partitions[1] == found.partitions[0]


def test_one_item_serves_three_thousand_reads() -> None:
    found = heat(stream(6000, KeySpread(1), write=0, read=1, bound="it is one item"))
    assert found.throttled == pytest.approx(0.5, abs=0.002)


def test_items_of_one_key_are_split_where_they_can_be() -> None:
    found = heat(stream(4000, KeySpread(1)))
    assert 0 < found.throttled < 0.75
    assert found.settled == 0
    assert found.partitions[1] > found.partitions[0]


def test_keys_that_share_a_partition_are_parted() -> None:
    # Six keys of 500 a second in four partitions: at least two of them share one.
    found = heat(stream(3000, KeySpread(6), bound="one item"), seed=4)
    assert found.settled == 0
    assert max(found.loads) <= 1


def test_chance_alone_throttles_what_is_full_to_the_brim() -> None:
    full = heat(stream(1000, KeySpread(1), bound="one item"), seconds=36_000)
    # Poisson with mean 1,000: what lies above it is 0.4 standard deviations on average.
    assert full.throttled == pytest.approx(0.3989 * 1000**0.5 / 1000, rel=0.05)


def test_a_bad_key_does_not_hurt_the_others_for_long() -> None:
    bad = stream(5000, KeySpread(1), template="BAD", bound="one item")
    good = stream(5000, KeySpread(1e6), template="GOOD")
    found = heat(bad, good)
    # 4,000 of 10,000 a second are refused for ever, and nothing else.
    assert found.settled == pytest.approx(0.4, abs=0.005)


def test_a_provisioned_table_saves_up_five_minutes() -> None:
    # 150 a second where 100 are provisioned: what is saved lasts for 600 seconds.
    load = stream(150, KeySpread(1e6))
    short = heat(load, seconds=540, provisioned=(1, 100))
    assert short.throttled == 0
    long = heat(load, seconds=3600, provisioned=(1, 100))
    assert long.settled == pytest.approx(1 / 3, abs=0.01)
    assert long.throttled == pytest.approx((3600 - 600) * 50 / (3600 * 150), abs=0.01)


def test_any_partition_may_use_what_the_table_has() -> None:
    # Nearly all goes to one key: adaptive capacity lets it have more than an even part.
    uneven = stream(900, KeySpread(1000, hottest=0.9), bound="one item")
    assert heat(uneven, provisioned=(4000, 4000)).throttled < 0.001


def test_a_table_has_partitions_for_its_size() -> None:
    assert heat(stream(1, KeySpread(10))).partitions[0] == FIRST_PARTITIONS
    assert heat(stream(1, KeySpread(10)), stored=95 * 1024**3).partitions[0] == 10


def test_the_same_seed_gives_the_same_heat() -> None:
    load = stream(20_000, KeySpread(1e6, zipf=0.9))
    assert heat(load, seed=3) == heat(load, seed=3)
    assert heat(load, seed=3) != heat(load, seed=4)


@pytest.mark.parametrize(
    ("calls", "units", "limit"), [(4000, 1, 1000), (500, 12, 1000), (7e4, 0.5, 3000)]
)
def test_so_many_shards_hold_and_fewer_do_not(calls: float, units: float, limit: float) -> None:
    count = shards_for(calls, units, limit)
    kind = {"write": units} if limit == 1000 else {"write": 0.0, "read": units}

    def throttled(shards: int) -> float:
        # Each shard alone, in a partition of its own.
        return heat(
            stream(calls / shards, KeySpread(1), bound="one item", **kind), seconds=7200
        ).throttled

    assert throttled(count) < 0.001
    assert throttled(max(1, int(calls * units / limit) - 1)) > 0.01


def test_the_hottest_key_of_each_template() -> None:
    found = hot_keys(
        [
            stream(1000, KeySpread(1e6, hottest=0.5), template="A", write=2.0),
            stream(9000, KeySpread(1e6, hottest=0.5), template="A", write=0.0, read=0.5),
            stream(10, KeySpread(1), template="B"),
        ]
    )
    assert [(key.template, round(key.write), round(key.read)) for key in found] == [
        ("A", 1000, 2250),
        ("B", 10, 0),
    ]
    assert [key.shards for key in found] == [2, 1]


def test_a_million_calls_a_second_for_an_hour_are_quick() -> None:
    started = time.monotonic()
    found = heat(
        stream(700_000, KeySpread(1e9, zipf=1.05), write=0.0, read=0.5),
        stream(300_000, KeySpread(1e9, zipf=1.05)),
        seconds=3600,
    )
    assert time.monotonic() - started < 20
    assert found.seconds == 3600
    assert found.partitions[0] >= 800


def test_without_numpy_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "numpy":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(NumpyMissing, match="tools"):
        heat(stream(1, KeySpread(1)))


# --- a model's streams ---------------------------------------------------------------------------

jobs = Table("Jobs", pk="PK", sk="SK", indexes=[Index("Due", pk="DPK", sk="DSK")])
local = Table("Local", pk="PK", sk="SK", indexes=[Index("ByName", sk="LSK", local=True)])


class Job(
    Entity,
    table=jobs,
    keys={
        "primary": Key("JOB#{job_id}", "JOB"),
        "due": Key("DUE#{state}", "{due}#{job_id}", on="Due"),
    },
):
    job_id: Ulid
    state: Literal["new", "running", "done"] = "new"
    due: IsoSeconds


class Part(
    Entity,
    table=local,
    keys={"primary": Key("SET#{kit}", "PART#{name}"), "by_name": Key("{name}", on="ByName")},
):
    kit: str
    name: str


@write(rate=Rate(100, peak=5000))
def enqueue(job: Job) -> Put[Job]:
    """A new job."""
    return put(job)


@write(rate=Rate(10), hottest=0.5)
def add_part(part: Part) -> Put[Part]:
    """A new part of a kit."""
    return put(part)


def streams() -> dict[tuple[str, str], Stream]:
    model = Model("jobs", __name__)
    job = Job(job_id="01JCQ000000000000000000001", due=demos.NOON)
    part = Part(kit="bike", name="bell")
    calls = {"enqueue": enqueue(job), "add_part": add_part(part)}
    plan = make_plan(model, (), calls, load_prices())
    return {(str(each.place), each.template): each for each in streams_of(model, plan.loads, {})}


def test_streams_know_their_keys() -> None:
    found = streams()
    table_, index = found["Jobs", "JOB#{job_id}"], found["Jobs/Due", "DUE#{state}"]
    assert (table_.rate, table_.write, table_.bound) == (5000, 1, "it is one item")
    assert table_.guessed
    # Three states, and new jobs are always the last: nothing to be split.
    assert index.spread.count == 3
    assert index.bound == "its sort key grows with time (due)"
    assert not index.guessed


def test_a_local_index_keeps_a_key_together_and_lives_with_its_table() -> None:
    found = streams()
    part = found["Local", "SET#{kit}"]
    assert part.bound == "the table has a local index"
    assert part.spread.hottest == 0.5


def test_key_counts() -> None:
    known = Job.__tablewright__
    assert key_count(known.keys["due"].partition, dict(known.fields)) == 3
    assert key_count(known.keys["primary"].partition, dict(known.fields)) is None


def test_the_heat_of_a_model() -> None:
    model = Model("jobs", __name__)
    job = Job(job_id="01JCQ000000000000000000001", due=demos.NOON)
    plan = make_plan(model, (), {"enqueue": enqueue(job)}, load_prices())
    heats = {str(each.place): each for each in hot.heats_of(model, plan, {}, seconds=600)}
    assert heats["Jobs"].throttled == 0
    # 1,667 a second to each of three keys, which cannot be split.
    assert heats["Jobs/Due"].throttled == pytest.approx(0.4, abs=0.01)
    text = hot.text_of(list(heats.values()))
    assert "throttled for ever, since its sort key grows with time (due)" in text
    assert "Local" in heats


def test_a_scenario_says_how_keys_are_spread() -> None:
    demo = demos.shop()
    plan = make_plan(ecommerce.model, demo.items, demo.calls, load_prices(), Outlook())
    keys = {"CUSTOMER#{user_name}": KeySpread(5000, hottest=0.2)}
    found = streams_of(ecommerce.model, plan.loads, keys)
    own = [each for each in found if each.template == "CUSTOMER#{user_name}"]
    assert own
    assert all(each.spread.hottest == 0.2 and not each.guessed for each in own)
    constant = next(each for each in found if each.template == "TO_PACK")
    assert constant.spread.count == 1
