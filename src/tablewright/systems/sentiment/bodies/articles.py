"""Articles, in lists and alone; verdicts on them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from tablewright.systems.sentiment.bodies.moments import Moment
from tablewright.systems.sentiment.shapes import Sentiment, SourceType, Status

#: An article's id, in addresses and bodies.
EXAMPLE_ID = "newsapi:8cf281d3d2f4d594"


STRENGTH: Final = (
    "How strong the tone is, from 0 to 1. It is not the probability that the tone is right."
)
LANGUAGE: Final = "ISO 639-1; null if it is not clear."
STATUS: Final = (
    "`unjudged`: the model in use does not cover the language. The article is counted, "
    "without a tone."
)


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True)


class ArticleRowOut(_Out):
    """An article in a list. What is null in a list by topic, the article itself has."""

    id: str = Field(examples=[EXAMPLE_ID])
    timestamp: Moment = Field(description="When it was first seen.")
    title: str
    url: str | None
    source: str = Field(examples=["bbc-news"])
    source_name: str = Field(examples=["BBC News"])
    sentiment: Sentiment | None
    score: float | None = Field(description=STRENGTH)
    status: Status | None = Field(description=STATUS)
    language: str | None = Field(description=LANGUAGE, examples=["en"])
    tags: list[str] | None
    snippet: str | None
    overridden: bool | None


class ArticlesOut(_Out):
    """A part of a list, the latest first."""

    items: list[ArticleRowOut]
    next_cursor: str | None = Field(
        default=None, description="Give it as `cursor` for what follows; null at the end."
    )
    partial: bool = Field(
        default=False, description="2,000 articles were looked at: there may be more of them."
    )


class VerdictOut(_Out):
    """What somebody has decided against the model."""

    from_: Sentiment = Field(serialization_alias="from")
    to: Sentiment
    by: str
    at: Moment
    reason: str


class ResultOut(_Out):
    """What a model says."""

    model_version: str = Field(examples=["v3.3.2+vader"])
    label: Sentiment
    score: float = Field(description=STRENGTH)
    polarity: float
    analyzed_at: Moment
    in_use: bool = Field(description="The one that the article's own tone comes from.")


class ArticleOut(_Out):
    """Everything about one article."""

    id: str = Field(examples=[EXAMPLE_ID])
    timestamp: Moment
    published_at: Moment
    title: str
    snippet: str
    url: str | None
    author: str
    source_type: SourceType
    source: str
    source_name: str
    tags: list[str]
    language: str | None = Field(description=LANGUAGE, examples=["en"])
    status: Status = Field(description=STATUS)
    attempts: int
    error_code: str | None
    sentiment: Sentiment | None
    score: float | None = Field(description=STRENGTH)
    polarity: float | None
    model_sentiment: Sentiment | None
    model_version: str | None
    analyzed_at: Moment | None
    override: VerdictOut | None
    results: list[ResultOut]
    version: int
    ends_at: Moment = Field(description="When it is erased.")


class OverrideIn(BaseModel):
    """A verdict."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        json_schema_extra={"examples": [{"sentiment": "negative", "reason": "It is irony."}]},
    )

    sentiment: Sentiment
    reason: Annotated[
        str, StringConstraints(strip_whitespace=True, max_length=500, pattern=r"^[^\x00-\x08]*$")
    ] = ""


class TermOut(_Out):
    """A word, and what it adds to the polarity."""

    word: str
    weight: float
    start: int = Field(description="Where it stands in `text`.")
    end: int


class ExplanationOut(_Out):
    """The words that the model's tone comes from, the heaviest first."""

    model_version: str
    text: str
    terms: list[TermOut]
