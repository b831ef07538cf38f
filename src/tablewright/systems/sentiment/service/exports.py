"""Articles as files, hour by hour from the oldest on, so that any size needs little memory.

How many there will be is known from the counts before the first one is read: more than 100,000 are
refused. Hours in which nothing of the kind was counted are not read at all.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

import orjson

from tablewright.model.ops import PageOp
from tablewright.service.csv_cells import lines, text_cell
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.reads import articles_with_status, export_slice
from tablewright.systems.sentiment.rules.figures import Figures
from tablewright.systems.sentiment.rules.filters import ArticleFilter, fits, row_of
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.rules.spans import HOUR, Span, floor
from tablewright.systems.sentiment.service.voices import Asked
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE, Sentiment, hour_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

Format: TypeAlias = Literal["csv", "json", "jsonl"]
MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/x-ndjson",
}
MOST_ROWS = 100_000
#: Articles that are written at once.
_PIECE = 200
_TONES: tuple[Sentiment, ...] = ("positive", "neutral", "negative")
COLUMNS = (
    "id",
    "timestamp",
    "published_at",
    "title",
    "snippet",
    "url",
    "source",
    "source_name",
    "tags",
    "status",
    "language",
    "sentiment",
    "score",
    "polarity",
    "model_sentiment",
    "model_version",
    "overridden",
)
#: Only for who asks for it: a person's name.
AUTHOR = "author"


class Exports:
    """Lists of articles for other programs."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def export(
        self, span: Span, wanted: ArticleFilter, form: Format, *, authors: bool = False
    ) -> AsyncIterator[bytes]:
        """The file in pieces; what is refused is refused before the first."""
        hours = await self._hours(span, wanted)
        columns = (*COLUMNS, AUTHOR) if authors else COLUMNS
        return _written(self._slices(hours, span, wanted), form, columns)

    # --- which hours -----------------------------------------------------------------------------

    async def _hours(self, span: Span, wanted: ArticleFilter) -> list[datetime]:
        """Those that may have something, if that is not too much."""
        oldest = self._newsroom.now() - ARTICLE_LIFE
        if span.until <= oldest:
            return []
        span = Span(max(span.since, oldest), span.until)
        starts = list(_starts(span))
        numbers = await self._numbers(span, wanted)
        rows = sum(numbers.get(hour_of(start), 0) for start in starts)
        if rows > MOST_ROWS:
            raise Problem(
                422,
                "TOO_MANY_ROWS",
                f"That could be {rows} rows; there are at most {MOST_ROWS}. Ask for a shorter "
                "time, or for one topic, publisher or tone.",
                extra={"rows": rows},
            )
        # What is counted only once it is analysed cannot say where others wait.
        return [start for start in starts if wanted.waiting or numbers.get(hour_of(start))]

    async def _numbers(self, span: Span, wanted: ArticleFilter) -> dict[str, int]:
        """How many rows an hour has at the most."""
        if wanted.status == "unjudged":
            counted = await self._newsroom.counts.hours(span, Asked(tag=wanted.tag))
            return {hour: each.unjudged for hour, each in counted.items()}
        if wanted.waiting:
            counted = await self._newsroom.counts.hours(span, Asked())
            return {hour: each.pending for hour, each in counted.items()}
        asked = [Asked(tag=wanted.tag)] if wanted.tag else []
        asked += [Asked(source=wanted.source)] if wanted.source else []
        found: dict[str, int] | None = None
        for each in asked or [Asked()]:
            figures = await self._newsroom.counts.hours(span, each)
            numbers = {hour: _number(one, wanted.sentiment) for hour, one in figures.items()}
            known = numbers if found is None else found
            found = {hour: min(known[hour], numbers[hour]) for hour in known.keys() & numbers}
        return found or {}

    # --- their articles --------------------------------------------------------------------------

    async def _slices(
        self, hours: Iterable[datetime], span: Span, wanted: ArticleFilter
    ) -> AsyncIterator[list[Article]]:
        written, some = 0, list[Article]()
        for hour in hours:
            inside = Span(max(hour, span.since), min(hour + HOUR, span.until))
            async for article in self._hour(inside, wanted):
                written += 1
                if written > MOST_ROWS:
                    # More came in while it was written; half a file is worse than none.
                    raise Problem(422, "TOO_MANY_ROWS", f"There are more than {MOST_ROWS} rows.")
                some.append(article)
                if len(some) >= _PIECE:
                    yield some
                    some = []
        if some:
            yield some

    async def _hour(self, span: Span, wanted: ArticleFilter) -> AsyncIterator[Article]:
        """One hour, or what is meant of it, the oldest first."""
        async for each in in_order(self._tones(span, wanted)):
            if fits(row_of(each), wanted):
                yield each

    def _tones(self, span: Span, wanted: ArticleFilter) -> list[AsyncIterator[Article]]:
        times = {"since": span.since, "until": span.until}
        if wanted.status is not None and wanted.waiting:
            return [self._turned(articles_with_status(wanted.status, **times))]
        tones = _TONES if wanted.sentiment is None else (wanted.sentiment,)
        lanes = [self._newsroom.db.iterate(export_slice(tone, **times)) for tone in tones]
        if wanted.sentiment is None and wanted.status is None:
            lanes.append(self._turned(articles_with_status("unjudged", **times)))
        return lanes

    async def _turned(self, op: PageOp[Article]) -> AsyncIterator[Article]:
        """The same, the other way round; not many wait at any time."""
        for each in reversed([each async for each in self._newsroom.db.iterate(op)]):
            yield each


async def in_order(lanes: Iterable[AsyncIterator[Article]]) -> AsyncIterator[Article]:
    """Several lists, each in order, as one; of each no more than a page is held."""
    heads = [(await anext(lane, None), lane) for lane in lanes]
    while waiting := [number for number, (head, _) in enumerate(heads) if head is not None]:
        first = min(waiting, key=lambda number: _moment(heads[number][0]))
        head, lane = heads[first]
        assert head is not None
        yield head
        heads[first] = (await anext(lane, None), lane)


def _moment(article: Article | None) -> tuple[datetime, str]:
    assert article is not None
    return article.timestamp, article.source_id


def _starts(span: Span) -> Iterable[datetime]:
    start = floor(span.since.astimezone(UTC), HOUR)
    while start < span.until:
        yield start
        start += HOUR


def _number(figures: Figures, tone: Sentiment | None) -> int:
    return figures.articles if tone is None else figures.of(tone)


# --- as texts ------------------------------------------------------------------------------------


async def _written(
    slices: AsyncIterator[list[Article]], form: Format, columns: tuple[str, ...]
) -> AsyncIterator[bytes]:
    if form == "csv":
        yield lines([columns])
        async for some in slices:
            yield lines([_cells(each, columns) for each in some])
        return
    before = {"json": b"[\n", "jsonl": b""}[form]
    between = {"json": b",\n", "jsonl": b"\n"}[form]
    any_yet = False
    yield before
    async for some in slices:
        text = between.join(orjson.dumps(_members(each, columns)) for each in some)
        yield (between if any_yet else b"") + text
        any_yet = True
    yield {"json": b"\n]\n", "jsonl": b"\n" if any_yet else b""}[form]


def _members(article: Article, columns: tuple[str, ...]) -> dict[str, object]:
    said = article.metadata
    known: dict[str, object] = {
        "id": shown_id(article.source_id),
        "timestamp": moment_text(article.timestamp),
        "published_at": moment_text(said.published_at),
        "title": said.title,
        "snippet": article.text_snippet,
        "url": article.source_url,
        "source": article.source_key,
        "source_name": said.source_name,
        "tags": sorted(article.matched_tags),
        "status": article.status,
        "language": article.language,
        "sentiment": article.sentiment,
        "score": None if article.score is None else float(article.score),
        "polarity": None if article.polarity is None else float(article.polarity),
        "model_sentiment": article.model_sentiment,
        "model_version": article.model_version,
        "overridden": article.override is not None,
        AUTHOR: said.author,
    }
    return {name: known[name] for name in columns}


def _cells(article: Article, columns: tuple[str, ...]) -> list[object]:
    return [_cell(each) for each in _members(article, columns).values()]


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return text_cell(" ".join(value))
    return text_cell(value) if isinstance(value, str) else value
