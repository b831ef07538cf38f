"""What an address asks for, and what it is called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from tablewright.service.problems import Problem
from tablewright.systems.sentiment.pages.dashboard_filters import USUAL, View, view_of
from tablewright.systems.sentiment.rules.spans import Span

NOW = datetime(2026, 11, 15, 12, 34, 56, 789000, tzinfo=UTC)


def again(view: View) -> View:
    """What its own address asks for."""
    return view_of(dict(parse_qsl(urlsplit(view.path()).query)), NOW)


def test_an_empty_address_is_the_usual_time() -> None:
    view = view_of({}, NOW)
    assert view == View()
    assert view.path() == "/sentiment/"
    # From a whole hour on, so that counts of hours are enough.
    assert view.span(NOW) == Span(datetime(2026, 11, 14, 12, tzinfo=UTC), NOW)


@pytest.mark.parametrize(
    "given",
    [
        {"span": "7d", "tag": "AI", "q": "two words"},
        {"from": "2026-11-14T10:00", "to": "2026-11-14T11:00Z", "sentiment": "negative"},
        {"from": "2026-11-14T10:00:30+02:00", "source": "bbc-news"},
    ],
)
def test_a_view_is_what_its_address_says(given: dict[str, str]) -> None:
    view = view_of(given, NOW)
    assert again(view) == view


def test_a_time_without_a_zone_is_utc() -> None:
    view = view_of({"from": "2026-11-15T10:00", "to": "2026-11-15T13:00+02:00"}, NOW)
    assert view.span(NOW) == Span(
        datetime(2026, 11, 15, 10, tzinfo=UTC), datetime(2026, 11, 15, 11, tzinfo=UTC)
    )


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"span": "2w"}, "query.span"),
        ({"from": "yesterday"}, "query.from"),
        ({"to": "0001-01-01T00:00+23:59"}, "query.to"),
        ({"from": "2026-11-15T12:00", "to": "2026-11-15T11:00"}, "query.from"),
        ({"from": "2020-01-01T00:00"}, "query.from"),
        ({"tag": "<b>"}, "query.tag"),
        ({"sentiment": "angry"}, "query.sentiment"),
        ({"q": "x" * 201}, "query.q"),
    ],
)
def test_what_cannot_be_is_wrong_at_its_field(given: dict[str, str], field: str) -> None:
    with pytest.raises(Problem) as refused:
        view_of(given, NOW)
    assert [each.field for each in refused.value.errors] == [field]


def test_each_filter_can_be_taken_away_alone() -> None:
    given = {"span": "7d", "tag": "AI", "source": "bbc-news", "sentiment": "neutral", "q": "win"}
    chips = view_of(given, NOW).chips
    assert [chip.name for chip in chips] == ["Topic", "Publisher", "Tone", "Words"]
    for chip, name in zip(chips, ("tag", "source", "sentiment", "q"), strict=True):
        left = {key: values[0] for key, values in parse_qs(urlsplit(chip.without).query).items()}
        assert left == {key: value for key, value in given.items() if key != name}


def test_a_time_that_was_chosen_ends_with_its_chip() -> None:
    view = view_of({"from": "2026-11-15T10:00Z", "to": "2026-11-15T11:00Z", "tag": "AI"}, NOW)
    (time, topic) = view.chips
    assert time.text == "15 Nov 2026, 10:00 to 15 Nov 2026, 11:00"
    assert again(view.lasting(USUAL)).tag == "AI"
    assert "from" not in time.without
    assert "from=2026-11-15T10%3A00Z" in topic.without


def test_a_list_goes_on_though_the_time_moves_on() -> None:
    """Cursors are of one filter only: it must not change with every millisecond."""
    view = View()
    assert view.wanted(NOW) == view.wanted(NOW + timedelta(minutes=5))
