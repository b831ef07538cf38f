"""One article of an export in JSON; CSV has the same names as columns."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.shapes import Sentiment, Status


class ExportedArticle(BaseModel):
    """One article."""

    model_config = ConfigDict(frozen=True)

    id: str
    timestamp: Moment
    published_at: Moment
    title: str
    snippet: str
    url: str | None
    source: str
    source_name: str
    tags: list[str]
    status: Status
    sentiment: Sentiment | None
    score: float | None
    polarity: float | None
    model_sentiment: Sentiment | None
    model_version: str | None
    overridden: bool
    author: str | None = Field(default=None, description="Only if `authors` is true.")
