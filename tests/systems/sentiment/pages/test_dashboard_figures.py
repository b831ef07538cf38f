"""Figures as cards, charts and shares."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tablewright.systems.sentiment.pages.dashboard_figures import (
    Card,
    cards_of,
    course_of,
    tones_of,
    voices_of,
    volume_of,
)
from tablewright.systems.sentiment.pages.dashboard_filters import View
from tablewright.systems.sentiment.rules.figures import (
    NOTHING,
    Figures,
    index_change,
    volume_change,
)
from tablewright.systems.sentiment.rules.series import Point, slots_of
from tablewright.systems.sentiment.rules.shares import shares_of
from tablewright.systems.sentiment.rules.spans import Span
from tablewright.systems.sentiment.service.counts import Change, Overview, Timeseries
from tablewright.systems.sentiment.service.voices import Shares

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
DAY = Span(NOW - timedelta(hours=24), NOW)
FIGURES = Figures(ingested=110, positive=50, neutral=30, negative=20)
BEFORE = Figures(ingested=100, positive=20, neutral=20, negative=40)


def overview(before: Figures = BEFORE, after: Figures = FIGURES) -> Overview:
    change = Change(
        Span(DAY.since - DAY.length, DAY.since),
        DAY,
        before,
        after,
        volume_change(before, after),
        index_change(before, after),
    )
    return Overview(DAY, after, per_minute=0.1, per_hour=6.0, change=change)


def by_title(cards: list[Card]) -> dict[str, Card]:
    return {card.title: card for card in cards}


def test_everything_together_has_six_cards_each_with_its_change() -> None:
    cards = by_title(cards_of(View(), overview()))
    assert {title: card.value for title, card in cards.items()} == {
        "Articles": "110",
        "Judged": "100",
        "Index": "+0.30",
        "Negative share": "20.0 %",
        "Per hour": "6.0",
        "Waiting": "10",
    }
    changes = {title: card.change for title, card in cards.items() if card.change}
    assert changes["Articles"].text == "10.0 % more"
    assert changes["Articles"].tone == ""
    assert changes["Judged"].text == "25.0 % more"
    assert (changes["Index"].text, changes["Index"].tone) == ("0.55 points more", "good")
    share = changes["Negative share"]
    assert (share.text, share.way, share.tone) == ("30.0 points less", "down", "good")
    assert changes["Waiting"].text == "20 in the window before"


def test_nothing_is_a_percentage_of_nothing() -> None:
    cards = by_title(cards_of(View(), overview(before=NOTHING)))
    assert cards["Judged"].change
    assert cards["Judged"].change.text == "none in the window before"
    assert cards["Index"].change
    assert cards["Index"].change.text == "nothing to compare with"
    empty = by_title(cards_of(View(), overview(NOTHING, NOTHING)))
    assert empty["Index"].value == empty["Negative share"].value == "\N{EN DASH}"


def test_what_a_topic_does_not_count_is_not_shown() -> None:
    titles = [card.title for card in cards_of(View(tag="AI"), overview())]
    assert titles == ["Articles", "Index", "Negative share", "Per hour"]


def test_articles_without_a_model_have_a_card_and_a_part_of_the_volume() -> None:
    figures = Figures(ingested=9, positive=3, unjudged=6)
    cards = by_title(cards_of(View(), overview(after=figures)))
    assert (cards["Judged"].value, cards["Not judged"].value) == ("3", "6")
    assert cards["Waiting"].value == "0"
    assert cards["Index"].value == "+1.00"
    topic = by_title(cards_of(View(tag="AI"), overview(after=figures)))
    assert (topic["Articles"].value, topic["Not judged"].value) == ("9", "6")


def test_a_tone_that_is_chosen_is_what_is_counted() -> None:
    cards = by_title(cards_of(View(sentiment="negative"), overview()))
    assert cards["Negative articles"].value == "20"
    change = cards["Negative articles"].change
    assert change
    assert change.text == "50.0 % less"
    # Of six articles an hour, one in five.
    assert cards["Per hour"].value == "1.2"


def test_from_one_tone_one_goes_to_another_or_back() -> None:
    lines = {line.tone: line for line in tones_of(View(sentiment="neutral", tag="AI"), FIGURES)}
    assert lines["negative"].path == "/sentiment/?tag=AI&sentiment=negative"
    assert lines["neutral"].path == "/sentiment/?tag=AI"
    assert lines["neutral"].chosen
    assert sum(line.percent for line in lines.values()) == pytest.approx(100)


def shares(count: int = 3) -> Shares:
    voices = [(f"v{n}", f"V{n}", Figures(0, 6, 3, 1 + n)) for n in range(count)]
    return Shares(DAY, "tag", shares_of(voices))


def test_bars_are_as_long_as_their_share() -> None:
    found = voices_of(View(), shares(), "tag")
    assert [line.label for line in found.lines] == ["V2", "V1", "V0"]
    largest = found.lines[0]
    assert sum(part.width for part in largest.parts) == pytest.approx(100, abs=0.01)
    assert [part.tone for part in largest.parts] == ["positive", "neutral", "negative"]
    assert largest.percent == pytest.approx(100 * 12 / 33)


def test_bars_of_one_tone_show_it_alone() -> None:
    found = voices_of(View(sentiment="negative"), shares(), "tag")
    assert [line.count for line in found.lines] == [3, 2, 1]
    assert [part.width for line in found.lines for part in line.parts] == pytest.approx(
        [100, 66.667, 33.333]
    )


def test_the_one_that_is_chosen_is_there_however_small_it_is() -> None:
    found = voices_of(View(tag="v0"), shares(15), "tag")
    chosen = [line for line in found.lines if line.chosen]
    assert [line.key for line in chosen] == ["v0"]
    assert chosen[0].path == "/sentiment/"
    assert (len(found.lines), found.more) == (11, 4)


def test_a_bucket_leads_to_its_own_time() -> None:
    points = [Point(slot, FIGURES) for slot in slots_of(DAY, "1h", NOW)]
    points[1] = Point(points[1].slot, NOTHING)
    found = Timeseries(DAY, "1h", points)
    chart = volume_of(View(tag="AI"), found)
    assert chart.links[0] == "/sentiment/?from=2026-11-14T12%3A00Z&to=2026-11-14T13%3A00Z&tag=AI"
    assert [each["name"] for each in chart.series] == ["Positive", "Neutral", "Negative"]
    assert chart.x[0] == "12:00"
    assert len(chart.x) == len(chart.links) == 24
    assert course_of(View(), found).series[0]["values"][:2] == [0.3, None]  # type: ignore[index]
    share = course_of(View(sentiment="negative"), found).series[0]
    assert share["values"][0] == 20.0  # type: ignore[index]
