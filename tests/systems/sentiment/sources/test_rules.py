"""When a source is asked, what for, and from where."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.systems.sentiment.support import NOW, topic

from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.rules import cursors
from tablewright.systems.sentiment.rules.breaker import Breaker
from tablewright.systems.sentiment.rules.pacing import interval_secs, is_due
from tablewright.systems.sentiment.rules.queries import questions

SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
PRESS = Source(name="press", source_type="newsapi")


# --- the breaker ---------------------------------------------------------------------------------


def test_the_third_failure_opens_the_breaker_for_five_minutes() -> None:
    breaker = Breaker().failed(NOW).failed(NOW)
    assert (breaker.state(NOW), breaker.allows(NOW)) == ("closed", True)
    breaker = breaker.failed(NOW)
    assert breaker.open_until == NOW + 300 * SECOND
    assert (breaker.state(NOW + 299 * SECOND), breaker.allows(NOW + 299 * SECOND)) == (
        "open",
        False,
    )
    assert breaker.state(NOW + 300 * SECOND) == "trial"


def test_a_trial_that_fails_opens_it_at_once() -> None:
    later = NOW + 400 * SECOND
    assert Breaker(3, NOW + 300 * SECOND).failed(later).open_until == later + 300 * SECOND


def test_a_source_is_left_alone_for_as_long_as_it_asks_but_a_day() -> None:
    assert Breaker(1).told_to_wait(NOW, 90) == Breaker(1, NOW + 90 * SECOND)
    assert Breaker().told_to_wait(NOW, None) == Breaker(0, NOW + 300 * SECOND)
    assert Breaker().told_to_wait(NOW, 10**12) == Breaker(0, NOW + DAY)


# --- pacing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "calls", "limit", "wanted"),
    [(300, 5, None, 300), (300, 5, 100, 4800), (300, 1, 100, 960), (7200, 5, 100, 7200)],
)
def test_the_quota_lasts_for_the_day(
    setting: int, calls: int, limit: int | None, wanted: float
) -> None:
    assert interval_secs(setting, calls, limit) == pytest.approx(wanted)
    if limit is not None:
        assert calls * 86_400 / interval_secs(setting, calls, limit) <= 0.9 * limit + 1e-9


def test_a_source_is_due_once_its_time_has_passed() -> None:
    assert is_due(None, 300, NOW)
    assert not is_due(NOW - 299 * SECOND, 300, NOW)
    assert is_due(NOW - 300 * SECOND, 300, NOW)
    assert is_due(NOW + HOUR, 300, NOW), "a clock was wrong"


# --- cursors -------------------------------------------------------------------------------------


def test_reading_begins_an_hour_before_what_was_read() -> None:
    assert cursors.since(None, "", NOW) == NOW - 2 * DAY
    cursor = cursors.moved(None, "", NOW - 10 * HOUR, NOW)
    assert cursor == "2026-11-20T02:00:00.000Z"
    assert cursors.since(cursor, "", NOW) == NOW - 11 * HOUR


def test_each_topic_has_a_place_of_its_own() -> None:
    cursor = cursors.moved(None, "ai", NOW - HOUR, NOW)
    cursor = cursors.moved(cursor, "climate", NOW - 2 * HOUR, NOW)
    assert cursor == "ai=2026-11-20T11:00:00.000Z climate=2026-11-20T10:00:00.000Z"
    assert cursors.since(cursor, "ai", NOW) == NOW - 2 * HOUR
    assert cursors.since(cursor, "energy", NOW) == NOW - 2 * DAY
    assert cursors.kept(cursor, {"climate"}) == "climate=2026-11-20T10:00:00.000Z"
    assert cursors.kept(cursor, set()) is None


def test_a_cursor_neither_goes_back_nor_into_the_future() -> None:
    cursor = cursors.moved(None, "", NOW + DAY, NOW)
    assert cursor == "2026-11-20T12:00:00.000Z"
    assert cursors.moved(cursor, "", NOW - DAY, NOW) == cursor
    assert cursors.moved(cursor, "", None, NOW) == cursor
    long_ago = cursors.moved(None, "", NOW - 60 * DAY, NOW)
    assert cursors.since(long_ago, "", NOW) == NOW - 29 * DAY


def test_nothing_new_for_the_first_time_is_remembered_all_the_same() -> None:
    cursor = cursors.moved(None, "", None, NOW)
    assert cursors.since(cursor, "", NOW) == NOW - 2 * DAY


@pytest.mark.parametrize("cursor", ["page-7", "lines=300", "ai=yesterday", "2026-11-20T12:00:00"])
def test_a_cursor_of_another_kind_begins_again(cursor: str) -> None:
    assert cursors.since(cursor, "", NOW) == NOW - 2 * DAY


# --- questions -----------------------------------------------------------------------------------


def test_a_source_asks_its_own_question_or_one_for_each_topic() -> None:
    own = PRESS.model_copy(update={"query": "space OR moon"})
    (asked,) = questions(own, [topic("AI")])
    assert (asked.text, asked.key, asked.own_tag) == ("space OR moon", "", None)
    off = topic("Energy").model_copy(update={"enabled": False})
    first = topic("Climate").model_copy(update={"priority": 1})
    asked_for = questions(PRESS, [topic("AI", "machine learning"), off, first])
    assert [(each.text, each.key, each.own_tag) for each in asked_for] == [
        ('"climate"', "climate", "Climate"),
        ('"ai" OR "machine learning"', "ai", "AI"),
    ]


def test_words_that_are_all_needed_are_asked_for() -> None:
    rule = topic("Chips", "processors").model_copy(update={"all": ["factory", 'the "old" one']})
    (asked,) = questions(PRESS, [rule])
    assert asked.text == '("chips" OR "processors") AND "factory" AND "the old one"'
    assert asked.own_tag == "Chips"


def test_a_question_fits_and_one_that_had_to_be_cut_is_not_the_topics_own() -> None:
    many = topic("AI", *(f"{'word' * 20} {number}" for number in range(19)))
    (asked,) = questions(PRESS, [many])
    assert 400 < len(asked.text) <= 500
    assert asked.own_tag == "AI", "fewer words find less, and nothing else"
    needed = topic("AI").model_copy(update={"all": [f"{number}" * 200 for number in range(5)]})
    (asked,) = questions(PRESS, [needed])
    assert len(asked.text) <= 500
    assert asked.own_tag is None, "without a word that is needed, it may find something else"
