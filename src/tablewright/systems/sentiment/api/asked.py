"""What is asked for in addresses: times, filters, ids.

What FastAPI calls is asynchronous, though nothing is waited for: else it would use a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Query
from pydantic import BeforeValidator, WithJsonSchema

from tablewright.service.problems import not_found
from tablewright.systems.sentiment.bodies.articles import EXAMPLE_ID
from tablewright.systems.sentiment.rules.filters import ArticleFilter, words_of
from tablewright.systems.sentiment.rules.ids import source_id_of
from tablewright.systems.sentiment.rules.moments import read_moment
from tablewright.systems.sentiment.rules.spans import Span, span_of
from tablewright.systems.sentiment.rules.tags import clean_tag
from tablewright.systems.sentiment.shapes import Sentiment, Status

SOURCE_PATTERN = r"^[a-z0-9][a-z0-9-]{0,39}$"


def _moment(text: object) -> datetime:
    """A text only: a number is no time. Whether it has a zone is looked at by the rules."""
    found = read_moment(str(text))
    if found is None:
        raise ValueError("is not a time such as 2026-11-15T12:00:00Z")
    return found


Moment: TypeAlias = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
From: TypeAlias = Annotated[
    Moment | None, Query(alias="from", description="Included; with a zone.")
]
To: TypeAlias = Annotated[Moment | None, Query(alias="to", description="Excluded; with a zone.")]
Tag: TypeAlias = Annotated[
    str | None,
    BeforeValidator(lambda text: None if text is None else clean_tag(text)),
    Query(min_length=1, max_length=50, description="A topic, in any case.", examples=["AI"]),
]
Publisher: TypeAlias = Annotated[
    str | None, Query(pattern=SOURCE_PATTERN, description="A publisher.", examples=["bbc-news"])
]
Words: TypeAlias = Annotated[
    str | None,
    Query(max_length=200, description="Words that all have to be in the title or the beginning."),
]
ArticleId: TypeAlias = Annotated[
    str, Path(description="The article; its `#` is written `:`.", examples=[EXAMPLE_ID])
]


@dataclass(frozen=True)
class Times:
    """The ends of a time, as they were given."""

    since: datetime | None
    until: datetime | None

    def span(self, now: datetime) -> Span:
        """The time that is meant, or a problem."""
        return span_of(self.since, self.until, now)


async def _times(since: From = None, until: To = None) -> Times:
    return Times(since, until)


AskedTimes: TypeAlias = Annotated[Times, Depends(_times)]


@dataclass(frozen=True)
class Of:
    """Of what figures are wanted."""

    tag: str | None
    source: str | None
    words: tuple[str, ...]


async def _of(tag: Tag = None, source: Publisher = None, q: Words = None) -> Of:
    return Of(tag and tag.casefold(), source, words_of(q))


AskedOf: TypeAlias = Annotated[Of, Depends(_of)]


async def _filter(
    of: AskedOf,
    sentiment: Annotated[Sentiment | None, Query(description="A tone.")] = None,
    status: Annotated[
        Status | None, Query(description="Only `analyzed` articles have a tone.")
    ] = None,
) -> ArticleFilter:
    return ArticleFilter(
        sentiment=sentiment, tag=of.tag, source=of.source, words=of.words, status=status
    )


AskedFilter: TypeAlias = Annotated[ArticleFilter, Depends(_filter)]


def checked_id(shown: str) -> str:
    """The id in the form that keys have; what cannot be one is not there."""
    found = source_id_of(shown)
    if found is None:
        raise not_found("article")
    return found
