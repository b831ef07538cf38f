"""The hottest keys, in little memory."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tablewright.console.heat.hottest import Hottest
from tablewright.console.heat.metering import MEMORY, Meter


def test_hot_keys_are_found_among_very_many() -> None:
    chance = random.Random(7)
    hottest, true = Hottest(kept=50), Counter[tuple[str, ...]]()
    for number in range(30_000):
        warm = chance.random() < 0.2
        key = (f"hot{chance.randrange(5)}",) if warm else (f"cold{number}",)
        hottest.add(key, 0, 1)
        true[key] += 1
        assert len(hottest) <= 100
    found = hottest.top(5, seconds=1)
    assert [key for key, _ in found] != []
    assert {key for key, _ in found} == {key for key, _ in true.most_common(5)}
    for key, rate in found:
        assert true[key] * 0.9 <= rate.write <= true[key], "never more than there was"


def test_reads_and_writes_are_held_against_their_own_limits() -> None:
    hottest = Hottest()
    hottest.add(("reads",), 2400, 0)
    hottest.add(("writes",), 0, 900)
    (first, second) = hottest.top(2, seconds=1)
    assert first[0] == ("writes",)
    assert first[1].load == pytest.approx(0.9)
    assert second[1].load == pytest.approx(0.8)


def test_units_without_a_key_are_the_places() -> None:
    hottest = Hottest()
    hottest.add(None, 10, 0)
    assert hottest.whole(seconds=2).read == 5
    assert hottest.top(5, seconds=2) == []


def test_a_steady_rate_is_right_from_the_first_look_on_and_fades_afterwards() -> None:
    now = [0.0]
    meter = Meter({}, elapsed=lambda: now[0])
    hottest = meter.places[object()] = Hottest()  # type: ignore[index]
    for _ in range(20):
        now[0] += 2
        hottest.add(("a",), 0, 100)
        with meter.look() as seconds:
            assert hottest.top(1, seconds)[0][1].write == pytest.approx(50)
    for _ in range(10):
        now[0] += 2
        with meter.look() as seconds:
            last = hottest.whole(seconds)
    assert last.write < 50 * 0.2, f"{20 / MEMORY} memories later"


def test_nothing_is_known_before_any_time_has_passed() -> None:
    hottest = Hottest()
    hottest.add(("a",), 1, 1)
    assert hottest.whole(seconds=0).load == 0
