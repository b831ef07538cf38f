"""Own flushes beside totals: none is ever left out, and few are counted twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sampling import many

from tablewright.systems.pricekeeper.rules.calendar import periods_of
from tablewright.systems.pricekeeper.rules.figures import NOTHING, Figures, in_all
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.samples import ORG
from tablewright.systems.pricekeeper.service.totals.own import (
    IDLE_SECS,
    MOST,
    OwnFlushes,
    Track,
    totals_of,
)
from tablewright.systems.pricekeeper.service.totals.sums import (
    Sum,
    highest,
    seen_by_all,
)
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, UsageKey, scope_of

DAY = "20261120"
ME, OTHER = "07", "12"


def count(app: str = "web", label: str = "premium", day: str = DAY) -> UsageId:
    return UsageId(ORG, app, label, day)


def total(label: str = ALL, app: str | None = None, window: str = "DAY") -> TotalKey:
    return TotalKey(scope_of(ORG, app), label, periods_of(DAY).of(window))


def cost(picos: int) -> Figures:
    return Figures(cost_usd_picos=picos, requests=1, rev=1)


# --- running sums --------------------------------------------------------------------------------


def test_what_came_after_a_number() -> None:
    track = Track()
    for number in (5, 7, 9):
        track.add(number, cost(number))
    asked = {number: track.above(number).cost_usd_picos for number in (0, 5, 6, 7, 8, 9, 10)}
    assert asked == {0: 21, 5: 16, 6: 16, 7: 9, 8: 9, 9: 0, 10: 0}


def test_forgetting_changes_no_later_answer() -> None:
    track = Track()
    for number in range(1, 10):
        track.add(number, cost(number))
    before = [track.above(number) for number in range(4, 10)]
    track.forget(4)
    assert [track.above(number) for number in range(4, 10)] == before
    track.forget(100)
    assert track.above(100) == NOTHING
    track.add(200, cost(3))
    assert track.above(100) == cost(3)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=3 * MOST), st.data())
@settings(max_examples=50)
def test_a_thinned_sum_leaves_nothing_out(steps: list[int], data: st.DataObject) -> None:
    track, numbers, number = Track(), [], 0
    for step in steps:
        number += step
        numbers.append(number)
        track.add(number, cost(1))
    seen = data.draw(st.integers(0, number))
    truth = sum(1 for each in numbers if each > seen)
    told = track.above(seen).cost_usd_picos
    assert told >= truth
    # The newest are always told apart.
    if truth <= MOST // 4:
        assert told == truth
    assert in_all(figures for _, figures in track.flushes()).cost_usd_picos == len(numbers)


def test_numbers_out_of_order_are_taken_for_later_ones() -> None:
    track = Track()
    track.add(9, cost(9))
    track.add(4, cost(4))
    assert track.above(8) == cost(9).plus(cost(4))


# --- by organisation -----------------------------------------------------------------------------


def test_each_total_gets_what_is_in_it() -> None:
    own = OwnFlushes()
    flushed = {
        count(): cost(1),
        count("batch"): cost(10),
        count(label="economy"): cost(100),
        count(day="20261116"): cost(1000),
        count(day="20261101"): cost(10_000),
    }
    own.add(ME, 1, flushed, now=0.0)
    expected = {
        total(): 111,
        total("premium"): 11,
        total("premium", "web"): 1,
        total(ALL, "web"): 101,
        total("premium", "web", "WEEK"): 1001,
        total(window="WEEK"): 1111,
        total(window="MONTH"): 11_111,
        total("economy", "batch"): 0,
    }
    # Asked for afterwards, and again after they are followed.
    for times in (1, 2):
        found = {key: own.above(ORG, key, {}).cost_usd_picos for key in expected}
        assert found == {key: times * value for key, value in expected.items()}
        own.add(ME, 1 + times, flushed, now=0.0)
    assert own.above("another", total(), {}) == NOTHING


def test_a_total_that_was_followed_late_knows_the_numbers() -> None:
    own = OwnFlushes()
    own.add(ME, 1, {count(): cost(1)}, now=0.0)
    own.add(ME, 2, {count("batch"): cost(10)}, now=0.0)
    own.add(OTHER, 1, {count(): cost(100)}, now=0.0)
    assert own.above(ORG, total(), {ME: 1}).cost_usd_picos == 110
    assert own.above(ORG, total(), {ME: 2, OTHER: 1}) == NOTHING
    assert own.last(ORG) == {ME: 2, OTHER: 1}
    assert own.labels(ORG, total()) == {"premium"}


def test_what_is_idle_is_let_go() -> None:
    own = OwnFlushes()
    own.add(ME, 1, {count(): cost(1)}, now=0.0)
    own.above(ORG, total(), {})
    own.add(ME, 2, {count("batch"): cost(10)}, now=IDLE_SECS)
    own.forget_idle(IDLE_SECS + 1)
    assert own.above(ORG, total(app="web"), {}) == NOTHING
    assert own.above(ORG, total(app="batch"), {}).cost_usd_picos == 10
    own.forget_idle(3 * IDLE_SECS)
    assert own.last(ORG) == {}


# --- together with sums --------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=many(100), deadline=None)
def test_no_flush_is_left_out_and_a_count_is_exact(data: st.DataObject) -> None:
    """A writer flushes in order while counts are read one after the other."""
    counts = [count(), count("batch"), count(label="economy")]
    own = OwnFlushes()
    stored = dict.fromkeys(counts, NOTHING)
    numbers: dict[UsageId, int] = {}
    state = {"number": 0}

    def flush() -> None:
        state["number"] += 1
        touched = data.draw(st.sets(st.sampled_from(counts), min_size=1))
        deltas = {each: cost(data.draw(st.integers(1, 9))) for each in sorted(touched)}
        for each, delta in deltas.items():
            stored[each] = stored[each].plus(delta)
            numbers[each] = state["number"]
        own.add(ME, state["number"], deltas, now=0.0)

    known: dict[str, int] = {}
    for _ in range(data.draw(st.integers(1, 4))):
        for _ in range(data.draw(st.integers(0, 3))):
            flush()
        # A reader that knows what was confirmed before, or another that knows less.
        before = highest(known, own.last(ORG)) if data.draw(st.booleans()) else dict(known)
        sums = []
        for each in counts:
            seen = {ME: numbers[each]} if each in numbers else {}
            sums.append(Sum(UsageKey(*each, 8), stored[each], seen))
            if data.draw(st.booleans()):
                flush()
        seen = seen_by_all(sums, before)
        summed = in_all(each.figures for each in sums)
        truth = in_all(stored.values())
        told = summed.plus(own.above(ORG, total(), seen))
        assert told.cost_usd_picos >= truth.cost_usd_picos
        if before.get(ME) == state["number"]:
            assert told == truth
        for each in sums:
            one = UsageId(*each.key[:4])
            key = TotalKey(scope_of(ORG, one.app_id), one.label, f"DAY#{DAY}")
            assert each.figures.plus(own.above(ORG, key, each.seen)) == stored[one]
        known = highest(known, seen, *(each.seen for each in sums))


def test_the_totals_of_a_count() -> None:
    assert len(totals_of(count())) == 12
