"""The table, the articles, and what is kept beside each: tags, results of models, counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, model_validator

from tablewright.model import (
    Attribute,
    Counter,
    Entity,
    Field,
    Index,
    IsoMillis,
    Key,
    Personal,
    Projection,
    Shard,
    Table,
    Ttl,
    Version,
)
from tablewright.systems.sentiment.shapes import (
    ARTICLE_LIFE,
    DEDUP_LIFE,
    SHARDS,
    Bucket,
    Language,
    Polarity,
    Score,
    Sentiment,
    Sha256,
    ShownTag,
    SourceId,
    SourceKey,
    SourceType,
    Status,
    Subject,
    Tag,
    VersionName,
)

# Every item has a timestamp, so whatever has a sentiment, a tag or a status is in that index. Only
# articles have a status and a sentiment, and only tag rows a tag; all others name theirs otherwise.
items = Table(
    "sentiment-items",
    pk="source_id",
    sk="timestamp",
    indexes=[
        Index("by_sentiment", pk="sentiment", sk="timestamp"),
        Index("by_tag", pk="tag", sk="timestamp"),
        Index("by_status", pk="status", sk="timestamp", include=("queued_at",)),
    ],
    discriminator=None,
    ttl="ttl_timestamp",
    stream="NEW_AND_OLD_IMAGES",
    # No longer: what has to be erased would outlive its 30 days.
    pitr=7,
)

MAX_TAGS = 5


class Metadata(BaseModel):
    """What the source says about an article."""

    title: str = Field(max_length=500)
    author: Annotated[str, Personal(), Field(max_length=200)] = "Unknown"
    published_at: IsoMillis
    source_name: str = Field(max_length=100)


class Override(BaseModel):
    """A person's verdict on an article, and whose."""

    from_: Annotated[Sentiment, Attribute("from")]
    to: Sentiment
    by: Annotated[str, Personal()]
    at: IsoMillis
    reason: str = Field(max_length=500)


class Analysis(BaseModel):
    """What a model says about an article."""

    model_config = ConfigDict(frozen=True)

    label: Sentiment
    score: Score
    polarity: Polarity
    model_version: VersionName
    analyzed_at: IsoMillis


def _end(made: dict[str, Any]) -> Any:
    return made["timestamp"] + ARTICLE_LIFE


def _end_of_row(made: dict[str, Any]) -> Any:
    return made["ingested_at"] + ARTICLE_LIFE


def _end_of_hash(made: dict[str, Any]) -> Any:
    return made["article_ts"] + DEDUP_LIFE


class Article(
    Entity,
    table=items,
    keys={
        "primary": Key("{source_id}", "{timestamp}"),
        "by_sentiment": Key("{sentiment}", "{timestamp}", on="by_sentiment"),
        "by_status": Key("{status}", "{timestamp}", on="by_status"),
    },
):
    """An article: pending, then analyzed, unjudged or, after three tries, failed."""

    source_id: SourceId
    #: When it was first seen.
    timestamp: IsoMillis
    source_type: SourceType
    source_key: SourceKey
    source_url: str | None = Field(default=None, max_length=2048, pattern=r"^https://")
    text_snippet: str = Field(default="", max_length=200, pattern=r"^[^<>\x00-\x1f\x7f]*$")
    matched_tags: set[ShownTag] = Field(min_length=1, max_length=MAX_TAGS)
    metadata: Metadata
    #: None if it is not clear, or was never looked at.
    language: Language | None = None
    status: Status = "pending"
    #: When it began to wait: an old article that was queued again is not stuck.
    queued_at: IsoMillis
    attempts: int = Field(default=0, ge=0, le=3)
    error_code: str | None = None
    sentiment: Sentiment | None = None
    score: Score | None = None
    polarity: Polarity | None = None
    model_sentiment: Sentiment | None = None
    model_version: VersionName | None = None
    analyzed_at: IsoMillis | None = None
    override: Override | None = None
    version: Version = 0
    ttl_timestamp: Ttl = Field(default_factory=_end)

    @model_validator(mode="after")
    def _analyzed_or_not(self) -> Self:
        labels = (self.sentiment, self.model_sentiment, self.model_version)
        figures = (self.score, self.polarity, self.analyzed_at)
        analyzed = self.status == "analyzed"
        if any((each is not None) != analyzed for each in (*labels, *figures)):
            raise ValueError("an article has a sentiment and all that goes with it iff analyzed")
        return self

    @model_validator(mode="after")
    def _of_its_source(self) -> Self:
        if not self.source_id.startswith(f"{self.source_type}#"):
            raise ValueError("source_id begins with the type of the source")
        return self

    @property
    def analysis(self) -> Analysis:
        """What the model said, whatever people say; only of an analyzed article."""
        return Analysis.model_validate(
            {
                "label": self.model_sentiment,
                "score": self.score,
                "polarity": self.polarity,
                "model_version": self.model_version,
                "analyzed_at": self.analyzed_at,
            }
        )


class Waiting(Projection, of=Article):
    """As much of an article as the index by status holds."""

    source_id: SourceId
    timestamp: IsoMillis
    status: Status
    queued_at: IsoMillis


class TagRow(
    Entity,
    table=items,
    keys={
        "primary": Key("{source_id}", "{ingested_at}#{tag}"),
        "by_tag": Key("{tag}", "{ingested_at}#{tag}", on="by_tag"),
    },
):
    """An article under one of its tags, with what a list shows of it."""

    source_id: SourceId
    ingested_at: IsoMillis
    tag: Tag
    tag_sentiment: Sentiment | None = None
    tag_score: Score | None = None
    #: The article is in a language that no model has judged.
    tag_unjudged: bool | None = None
    title: str = Field(max_length=500)
    source_key: SourceKey
    source_name: str = Field(max_length=100)
    source_url: str | None = None
    ttl_timestamp: Ttl = Field(default_factory=_end_of_row)


class ModelResult(
    Entity, table=items, keys={"primary": Key("{source_id}", "{ingested_at}#@{model_version}")}
):
    """What another model says about an article, or what one used to say."""

    source_id: SourceId
    ingested_at: IsoMillis
    model_version: VersionName
    result_label: Sentiment
    result_score: Score
    result_polarity: Polarity
    analyzed_at: IsoMillis
    ttl_timestamp: Ttl = Field(default_factory=_end_of_row)


class Dedup(Entity, table=items, keys={"primary": Key("dedup#{sha256}", "0")}):
    """That an article is known, and where it is."""

    sha256: Sha256
    article_id: SourceId
    article_ts: IsoMillis
    ttl_timestamp: Ttl = Field(default_factory=_end_of_hash)


class Tally(
    Counter,
    table=items,
    keys={"primary": Key("agg#{subject}#{shard:02d}", "{bucket}")},
    shards=SHARDS,
):
    """One shard of a count: of everything, of a tag or of a publisher, in a minute or an hour."""

    subject: Subject
    shard: Shard = 0
    bucket: Bucket
    ingested: int = 0
    positive: int = 0
    neutral: int = 0
    negative: int = 0
    #: Articles without a tone, in languages that the model does not cover.
    unjudged: int = 0
    ttl_timestamp: Ttl


@dataclass(frozen=True)
class ArticlePage:
    """Everything about one article."""

    article: Article | None
    tags: tuple[TagRow, ...]
    results: tuple[ModelResult, ...]
