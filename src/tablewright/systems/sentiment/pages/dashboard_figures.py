"""Figures as the dashboard shows them: cards, charts and shares of one view."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from tablewright.systems.sentiment.pages.dashboard_filters import TONES, View
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.series import LENGTHS, Interval, Point
from tablewright.systems.sentiment.rules.shares import Share
from tablewright.systems.sentiment.rules.spans import DAY, HOUR, Span
from tablewright.systems.sentiment.service.counts import Overview, Timeseries
from tablewright.systems.sentiment.service.voices import Shares
from tablewright.systems.sentiment.shapes import Sentiment

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

NONE, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
#: Colours of tones, as the style sheet calls them.
COLOURS = {tone: f"--tw-tone-{tone}" for tone in TONES}
#: Lines of a list of shares; the rest is summed up.
_VOICES = 10
_WORDS = {
    "1m": "minute",
    "5m": "5 minutes",
    "15m": "15 minutes",
    "1h": "hour",
    "6h": "6 hours",
    "1d": "day",
}


class Change(NamedTuple):
    """How a figure has changed against the window before."""

    #: What people read: ``12.5 % more``.
    text: str
    #: up, down, or neither.
    way: str = ""
    #: Whether that is good; "" if it is neither.
    tone: str = ""


@dataclass(frozen=True)
class Card:
    """One figure."""

    title: str
    value: str
    icon: str
    change: Change | None = None
    note: str = ""


@dataclass(frozen=True)
class ToneLine:
    """A tone: how many there are, and where one sees only those."""

    tone: Sentiment
    count: int
    percent: float
    path: str
    chosen: bool


class Part(NamedTuple):
    """A piece of a bar, in percent of its room."""

    tone: Sentiment
    x: float
    width: float


@dataclass(frozen=True)
class VoiceLine:
    """A topic or publisher among the others."""

    key: str
    label: str
    count: int
    percent: float
    index: float | None
    parts: Sequence[Part]
    path: str
    chosen: bool


@dataclass(frozen=True)
class Voices:
    """The first of them, and how many more there are."""

    lines: Sequence[VoiceLine]
    more: int
    partial: bool


@dataclass(frozen=True)
class Chart:
    """A series as charts take it."""

    x: Sequence[str]
    series: Sequence[dict[str, object]]
    colours: Sequence[str]
    #: Where each point leads: to its own time.
    links: Sequence[str]
    #: What one point stands for.
    each: str


@dataclass(frozen=True)
class Panels:
    """All that is counted on the dashboard."""

    view: View
    overview: Overview
    cards: Sequence[Card]
    tones: Sequence[ToneLine]
    volume: Chart
    #: The index; of one tone, its share of all.
    course: Chart
    tags: Voices
    sources: Voices
    partial: bool
    #: The name of the publisher that is looked at.
    publisher: str = ""
    #: What a new system has already; it is new until the first publisher is known.
    is_new: bool = False
    has_topics: bool = False
    has_sources: bool = False

    @property
    def is_empty(self) -> bool:
        """Nothing to draw."""
        return not self.overview.figures.articles

    @property
    def span(self) -> Span:
        return self.overview.span


async def panels_of(newsroom: Newsroom, view: View) -> Panels:
    """Everything that is counted, of a view."""
    counts, span, asked = newsroom.counts, view.span(newsroom.now()), view.asked._asdict()
    overview, series, tags, sources = await asyncio.gather(
        counts.overview(span, **asked),
        counts.timeseries(span, **asked),
        counts.share(span, "tag", **asked),
        counts.share(span, "source", **asked),
    )
    names = await newsroom.intake.publishers.names()
    return Panels(
        view=view,
        overview=overview,
        cards=cards_of(view, overview),
        tones=tones_of(view, overview.figures),
        volume=volume_of(view, series),
        course=course_of(view, series),
        tags=voices_of(view, tags, "tag"),
        sources=voices_of(view, sources, "source"),
        partial=overview.partial or series.partial,
        publisher=names.get(view.source or "", view.source or ""),
        is_new=not names,
        has_topics=not names and bool(await newsroom.watches.list()),
        has_sources=not names and bool(await newsroom.sources.standings()),
    )


# --- cards ---------------------------------------------------------------------------------------


def cards_of(view: View, found: Overview) -> list[Card]:
    """What came in is only counted for everything together; other views have fewer cards."""
    cards = _cards(view, found)
    if found.change.complete:
        return cards
    unknown = Change("no comparison: not all articles were read")
    return [replace(card, change=card.change and unknown) for card in cards]


def _cards(view: View, found: Overview) -> list[Card]:
    figures, before, after = found.figures, found.change.figures_before, found.change.figures_after
    everything, tone = view.asked.subject == "all", view.sentiment
    index = Card("Index", signed(figures.index), "gauge", _points(before.index, after.index))
    if tone is not None:
        count, was = figures.of(tone), before.of(tone)
        hourly = found.per_hour * (count / figures.analysed) if figures.analysed else 0.0
        return [
            Card(f"{tone.title()} articles", f"{count:,}", "news", _more(was, after.of(tone))),
            _share_card(tone, figures, before, after),
            Card("Per hour", _rate(hourly), "activity", _more(was, after.of(tone))),
            replace(index, note="of all tones"),
        ]
    cards = [index, _share_card("negative", figures, before, after)]
    if figures.unjudged:
        note = "in languages that the model does not cover"
        cards.append(Card("Not judged", f"{figures.unjudged:,}", "info-circle", note=note))
    if not everything:
        volume = _more(before.articles, after.articles)
        return [
            Card("Articles", f"{figures.articles:,}", "news", volume),
            *cards,
            Card("Per hour", _rate(found.per_hour), "activity", volume),
        ]
    came = _more(before.ingested, after.ingested)
    return [
        Card("Articles", f"{figures.ingested:,}", "news", came),
        Card("Judged", f"{figures.analysed:,}", "checks", _more(before.analysed, after.analysed)),
        *cards,
        Card("Per hour", _rate(found.per_hour), "activity", came),
        Card(
            "Waiting",
            f"{figures.pending:,}",
            "hourglass",
            Change(f"{before.pending:,} in the window before"),
        ),
    ]


def _share_card(tone: Sentiment, figures: Figures, before: Figures, after: Figures) -> Card:
    icons = {"positive": "mood-happy", "neutral": "mood-neutral", "negative": "mood-sad"}
    was, now = _part(tone, before), _part(tone, after)
    part = _part(tone, figures)
    value = NONE if part is None else f"{part:.1f} %"
    change = Change("nothing to compare with")
    if was is not None and now is not None:
        good = {"positive": 1, "neutral": 0, "negative": -1}[tone]
        change = _moved(now - was, 1, "points", good)
    return Card(f"{tone.title()} share", value, icons[tone], change)


def _part(tone: Sentiment, figures: Figures) -> float | None:
    return 100 * figures.of(tone) / figures.analysed if figures.analysed else None


def _more(before: int, after: int) -> Change:
    """How much more or less there is; nothing is a percentage of nothing."""
    if not before:
        return Change("none in the window before" if after else "none before either")
    return _moved(100 * (after - before) / before, 1, "%")


def _points(before: float | None, after: float | None) -> Change:
    if before is None or after is None:
        return Change("nothing to compare with")
    return _moved(after - before, 2, "points", 1)


def _moved(by: float, digits: int, unit: str, good: int = 0) -> Change:
    """``good`` says whether more is good (1), bad (-1), or neither."""
    size = round(abs(by), digits)
    if not size:
        return Change("as before")
    up = by > 0
    tone = {1: "good", -1: "bad"}.get(good if up else -good, "")
    text = f"{size:,.{digits}f} {unit} {'more' if up else 'less'}"
    return Change(text, "up" if up else "down", tone)


def signed(number: float | None) -> str:
    return NONE if number is None else f"{number:+.2f}".replace("-", MINUS)


def _rate(hourly: float) -> str:
    return f"{hourly:,.0f}" if hourly >= 100 else f"{hourly:,.1f}"


# --- tones and shares ----------------------------------------------------------------------------


def tones_of(view: View, figures: Figures) -> list[ToneLine]:
    """All three, also if one is chosen: from here one goes to another."""
    return [
        ToneLine(
            tone,
            figures.of(tone),
            _part(tone, figures) or 0.0,
            view.with_(sentiment=None if tone == view.sentiment else tone).path(),
            tone == view.sentiment,
        )
        for tone in TONES
    ]


def voices_of(view: View, found: Shares, name: str) -> Voices:
    """The largest first; a tone that is chosen is all that counts."""
    sized = [(each, _size(view, each)) for each in found.shares]
    sized = sorted((pair for pair in sized if pair[1]), key=lambda pair: -pair[1])
    whole, largest = sum(size for _, size in sized), max((size for _, size in sized), default=1)
    chosen = getattr(view, name)
    lines = [
        _line(view, share, name, size, whole, largest)
        for place, (share, size) in enumerate(sized)
        if place < _VOICES or share.key == (chosen or "").casefold()
    ]
    return Voices(lines, len(sized) - len(lines), found.partial)


def _size(view: View, share: Share) -> int:
    figures = share.figures
    return figures.articles if view.sentiment is None else figures.of(view.sentiment)


def _line(view: View, share: Share, name: str, size: int, whole: int, largest: int) -> VoiceLine:
    chosen = (getattr(view, name) or "").casefold() == share.key
    there = view.with_(**{name: None if chosen else share.key if name == "source" else share.label})
    shown = TONES if view.sentiment is None else (view.sentiment,)
    parts: list[Part] = []
    at = 0.0
    for tone in shown:
        width = 100 * share.figures.of(tone) / largest
        parts.append(Part(tone, round(at, 3), round(width, 3)))
        at += width
    return VoiceLine(
        share.key,
        share.label,
        size,
        100 * size / whole,
        share.figures.index,
        parts,
        there.path(),
        chosen,
    )


# --- charts --------------------------------------------------------------------------------------


def volume_of(view: View, found: Timeseries) -> Chart:
    """How many of each tone, bucket by bucket."""
    shown = TONES if view.sentiment is None else (view.sentiment,)
    series: list[dict[str, object]] = [
        {
            "name": tone.title(),
            "values": [
                None if point.figures is None else point.figures.of(tone) for point in found.points
            ],
            "pattern": tone == "negative",
        }
        for tone in shown
    ]
    colours = [COLOURS[tone] for tone in shown]
    unjudged = [None if each.figures is None else each.figures.unjudged for each in found.points]
    if view.sentiment is None and any(unjudged):
        series.append({"name": "Not judged", "values": unjudged})
        colours.append("--tw-series-3")
    return _chart(view, found, series, colours)


def course_of(view: View, found: Timeseries) -> Chart:
    """The index, or a tone's share of all: what the tone alone has no index of."""
    tone = view.sentiment
    if tone is None:
        values = [point.figures and _rounded(point.figures.index) for point in found.points]
        return _chart(view, found, [{"name": "Index", "values": values}], ["--tw-series-3"])
    values = [point.figures and _rounded(_part(tone, point.figures)) for point in found.points]
    name = f"{tone.title()} share"
    return _chart(view, found, [{"name": name, "values": values}], [COLOURS[tone]])


def _chart(
    view: View, found: Timeseries, series: Sequence[dict[str, object]], colours: Sequence[str]
) -> Chart:
    return Chart(
        x=[_label(point, found) for point in found.points],
        series=series,
        colours=colours,
        links=[view.at(point.slot.span).path() for point in found.points],
        each=_WORDS[found.interval],
    )


def _label(point: Point, found: Timeseries) -> str:
    """As short as it can be without a doubt; in UTC."""
    start, interval = point.slot.start, found.interval
    if interval == "1d":
        return f"{start:%-d %b}"
    return f"{start:%H:%M}" if _one_day(found.span, interval) else f"{start:%-d %b, %H:%M}"


def _one_day(span: Span, interval: Interval) -> bool:
    return LENGTHS[interval] <= HOUR and span.length <= DAY + HOUR


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)
