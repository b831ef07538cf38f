"""A change of the time zone counts from a midnight that every process knows of."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.pricekeeper.config import ZoneChange
from tablewright.systems.pricekeeper.rules.calendar import calendar, zones_of
from tablewright.systems.pricekeeper.rules.zones import KEPT, NOTICE, first_day_ahead, with_zone


def _epoch(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def _told(history: list[ZoneChange]) -> list[tuple[int, str]]:
    return [(int(each.from_epoch.timestamp()), each.timezone) for each in history]


NOON = _epoch("2026-11-20T12:00+01:00")
MIDNIGHT = _epoch("2026-11-21T00:00+01:00")


def test_a_change_counts_from_the_next_midnight_of_the_old_zone() -> None:
    history = with_zone("Europe/Oslo", [], "Asia/Tokyo", NOON)
    assert _told(history) == [(0, "Europe/Oslo"), (MIDNIGHT, "Asia/Tokyo")]


def test_a_midnight_that_is_too_near_is_left_out() -> None:
    history = with_zone("Europe/Oslo", [], "Asia/Tokyo", MIDNIGHT - NOTICE + 1)
    assert _told(history)[1] == (MIDNIGHT + 86_400, "Asia/Tokyo")
    history = with_zone("Europe/Oslo", [], "Asia/Tokyo", MIDNIGHT - NOTICE)
    assert _told(history)[1] == (MIDNIGHT, "Asia/Tokyo")


def test_the_same_zone_is_no_change() -> None:
    assert with_zone("Europe/Oslo", [], "Europe/Oslo", NOON) == []


def test_a_change_that_is_still_ahead_can_be_taken_back_or_replaced() -> None:
    wanted = with_zone("Europe/Oslo", [], "Asia/Tokyo", NOON)
    assert with_zone("Asia/Tokyo", wanted, "Europe/Oslo", NOON + 60) == []
    other = with_zone("Asia/Tokyo", wanted, "UTC", NOON + 60)
    assert _told(other) == [(0, "Europe/Oslo"), (MIDNIGHT, "UTC")]


def test_a_change_that_others_may_know_already_stays() -> None:
    wanted = with_zone("Europe/Oslo", [], "Asia/Tokyo", NOON)
    back = with_zone("Asia/Tokyo", wanted, "Europe/Oslo", MIDNIGHT - 60)
    assert _told(back)[:2] == _told(wanted)
    assert _told(back)[2] == (_epoch("2026-11-22T00:00+09:00"), "Europe/Oslo")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Oslo", "UTC"]),
            st.integers(1, 5 * 86_400),
        ),
        min_size=1,
        max_size=KEPT + 10,
    )
)
def test_scenario_08_no_change_ever_moves_what_has_been(steps: list[tuple[str, int]]) -> None:
    timezone, history, now = "America/New_York", list[ZoneChange](), NOON
    for wanted, wait in steps:
        before = calendar(zones_of(timezone, history))
        history = with_zone(timezone, history, wanted, now)
        timezone = wanted
        after = calendar(zones_of(timezone, history))
        # Half a minute later another process may still reckon with the old ones.
        for ago in (86_400, 3600, 0, -NOTICE + 1):
            assert after.day(now - ago) == before.day(now - ago)
        assert after.zones[-1].name == wanted
        assert len(after.zones) <= KEPT
        now += wait


def test_what_is_switched_on_counts_from_a_midnight_that_is_far_enough() -> None:
    days = calendar(zones_of("Europe/Oslo"))
    assert first_day_ahead(days, NOON).timestamp() == MIDNIGHT
    assert first_day_ahead(days, MIDNIGHT - NOTICE + 1).timestamp() == MIDNIGHT + 86_400
