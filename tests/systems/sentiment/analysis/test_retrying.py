"""When something is tried again."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.systems.sentiment.support import NOW

from tablewright.systems.sentiment.rules.retrying import (
    BASE_SECS,
    MOST_SECS,
    pause,
    retry_at,
    wait_of,
)


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_a_pause_is_random_and_has_an_end(tries: int, chance: float) -> None:
    assert 0 <= pause(tries, chance) <= MOST_SECS
    assert pause(tries, 0) == 0
    assert pause(tries, 1) <= pause(tries + 1, 1)


def test_pauses_grow() -> None:
    assert [pause(tries, 1) / BASE_SECS for tries in (0, 1, 2)] == [1, 2, 4]
    assert pause(50, 1) == MOST_SECS


def test_an_article_waits_longer_after_its_second_failure() -> None:
    waits = [retry_at(NOW, attempts, 2) - NOW for attempts in (0, 1, 2)]
    assert waits == [timedelta(0), timedelta(seconds=2), timedelta(seconds=8)]


def test_a_clock_that_was_set_back_is_not_waited_for() -> None:
    """What was queued before that lies in the future now."""
    back = NOW - timedelta(hours=1)
    assert [wait_of(NOW, attempts, 2, back) for attempts in (0, 1, 2)] == [0, 2, 8]
    assert wait_of(NOW, 1, 2, NOW + timedelta(seconds=1)) == 1
    assert wait_of(NOW, 1, 2, NOW + timedelta(hours=1)) < 0
