"""Records that come in, and what becomes of them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from tablewright.systems.sentiment.rules.moments import read_moment
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.shapes import SourceType

#: Records of one request.
MAX_RECORDS: Final = 100

_EXAMPLE: Final[dict[str, Any]] = {
    "title": "Wind farm beats its forecast",
    "text": "The grid took more power from it than ever before.",
    "url": "https://news.example/2026/wind-farm",
    "source": "Example News",
    "published_at": "2026-11-20T11:40:00Z",
}

_LAST_YEAR = 9998


def _moment(given: object) -> datetime:
    if not isinstance(given, str):
        raise ValueError("is not a text such as 2026-11-20T12:00:00Z")
    found = read_moment(given.strip())
    if found is None:
        raise ValueError("is not a time such as 2026-11-20T12:00:00Z")
    if found.tzinfo is None:
        raise ValueError("needs a zone: 2026-11-20T12:00:00Z, or +01:00 in place of the Z")
    if not 1970 <= found.year <= _LAST_YEAR:
        raise ValueError("lies outside the years 1970 to 9998")
    return found


#: A time with its zone.
MomentText: TypeAlias = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class RecordIn(BaseModel):
    """An article as a source tells it. It needs a title, and an address or a time."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"examples": [_EXAMPLE]}
    )

    title: str = Field(max_length=2000)
    # As long as a request or a line of a file can be.
    text: str = Field(default="", description="Its beginning: 200 characters of it are kept.")
    url: str | None = Field(default=None, max_length=4096)
    source: str = Field(default="", max_length=500, description="The publisher's name.")
    author: str | None = Field(default=None, max_length=500)
    username: str | None = Field(
        default=None, max_length=200, description="Of a post: its author, if there is no other."
    )
    published_at: MomentText | None = None

    def record(self) -> Record:
        return Record(
            title=self.title,
            text=self.text,
            url=self.url,
            source=self.source,
            author=self.author or self.username,
            published_at=self.published_at,
        )


class IngestIn(BaseModel):
    """Records, each of which is looked at by itself."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        json_schema_extra={"examples": [{"records": [_EXAMPLE]}]},
    )

    records: list[RecordIn] = Field(min_length=1, max_length=MAX_RECORDS)
    source_type: SourceType = "file"
    as_published: bool = Field(
        default=False,
        description="Count articles when they were published, up to 30 days back, not now.",
    )


class IngestResult(BaseModel):
    """What became of one record."""

    model_config = ConfigDict(frozen=True)

    status: Literal[200, 201, 422] = Field(description="201 if it is a new article.")
    result: Literal["ingested", "duplicate", "tagged", "unmatched", "rejected", "gone"]
    article_id: str | None = Field(
        default=None, description="As it stands in addresses; null of one that has ended (`gone`)."
    )
    reason: str | None = Field(default=None, description="Why it was rejected.")


class IngestOut(BaseModel):
    """What became of each record, in their order."""

    model_config = ConfigDict(frozen=True)

    results: list[IngestResult]


class LineErrorOut(BaseModel):
    """A line that became no article."""

    model_config = ConfigDict(frozen=True)

    line: int = Field(ge=1)
    reason: str


class UploadOut(BaseModel):
    """What became of a file."""

    model_config = ConfigDict(frozen=True)

    records: int = Field(ge=0, description="Lines or rows, empty ones left out.")
    ingested: int = Field(ge=0)
    tagged: int = Field(ge=0, description="Known articles that another topic has found.")
    duplicate: int = Field(ge=0)
    unmatched: int = Field(ge=0, description="Of no topic.")
    gone: int = Field(ge=0, description="Known articles that have ended.")
    rejected: int = Field(ge=0)
    errors: list[LineErrorOut] = Field(description="The first hundred that were rejected.")


def reason_of(error: ValidationError) -> str:
    """What is wrong with a record, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    first = found[0]
    place = ".".join(map(str, first["loc"]))[:100]
    message = first["msg"].removeprefix("Value error, ")[:200]
    return f"{place}: {message}" if place else message
