"""What is read of articles and of counts, and by which component.

Rates are those of the demo, a hundred articles an hour; peaks are those of the burst tests.
Times are from ``since``, included, to ``until``, excluded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from tablewright.model import (
    Get,
    Range,
    Rate,
    attr,
    batch,
    collect,
    count,
    get,
    param,
    query,
)
from tablewright.systems.sentiment.articles import (
    Article,
    ArticlePage,
    Dedup,
    ModelResult,
    TagRow,
    Tally,
    Waiting,
)
from tablewright.systems.sentiment.shapes import (
    Bucket,
    Sentiment,
    Sha256,
    SourceId,
    Status,
    Subject,
    Tag,
    VersionName,
)

_SINCE_UNTIL = Range("timestamp", ge="since", lt="until")

# --- articles ------------------------------------------------------------------------------------


@get(Dedup, component="ingest", rate=Rate(0.01))
def known_hash(sha256: Sha256) -> None:
    """Whether an article is known, and where it is. [8]"""


@batch(component="ingest", rate=Rate(0.0033), expect=487)
def known_hashes(hashes: Sequence[str]) -> list[Get[Dedup]]:
    """Which articles of a page are known already. [1]"""
    return [known_hash(sha256) for sha256 in hashes]


@get(Article, consistent=True, component="ingest", rate=Rate(0.01))
def article_to_tag(source_id: SourceId, timestamp: datetime) -> None:
    """A known article that another topic has found too; None if it has ended. [8]"""


@get(Article, consistent=True, component="analysis", rate=Rate(0.028, peak=100))
def article_to_analyse(source_id: SourceId, timestamp: datetime) -> None:
    """An article as it is now, before its sentiment is written. [2]"""


@get(Article, consistent=True, component="editor", rate=Rate(0.01))
def article_to_edit(source_id: SourceId, timestamp: datetime) -> None:
    """An article as it is now, before somebody's verdict on it is written. [12]"""


@collect(ArticlePage, consistent=True, component="dashboard", rate=Rate(0.1), expect=4)
def article_page(source_id: SourceId) -> None:
    """An article with its tags and the results of all models. [7]"""


@query(
    Article,
    key="by_sentiment",
    range=_SINCE_UNTIL,
    descending=True,
    limit=20,
    component="dashboard",
    rate=Rate(1, peak=100),
    expect=20,
)
def articles_by_sentiment(
    sentiment: Sentiment, *, since: datetime | None = None, until: datetime | None = None
) -> None:
    """Articles of one tone, the latest first. [3]"""


@query(
    TagRow,
    key="by_tag",
    range=Range("ingested_at", ge="since", lt="until"),
    filter=attr(TagRow.tag_sentiment) == param("tag_sentiment"),
    # One of three sentiments.
    filter_keeps=0.33,
    descending=True,
    limit=20,
    component="dashboard",
    rate=Rate(1, peak=100),
    expect=20,
)
def articles_by_tag(
    tag: Tag,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    tag_sentiment: Sentiment | None = None,
) -> None:
    """Articles of one topic, the latest first; of one tone, if that is asked for. [4]"""


@get(Article, component="dashboard", rate=Rate(0.01))
def article_of_row(source_id: SourceId, timestamp: datetime) -> None:
    """The article that a tag's row is about. [4]"""


@batch(component="dashboard", rate=Rate(0.01), expect=100)
def articles_of_rows(keys: Sequence[tuple[str, datetime]]) -> list[Get[Article]]:
    """The articles of a tag's rows, to look for words in them. [4]"""
    return [article_of_row(source_id, timestamp) for source_id, timestamp in keys]


@query(
    Article,
    key="by_sentiment",
    descending=True,
    limit=20,
    component="dashboard",
    rate=Rate(0.6, peak=60),
    expect=20,
)
def recent_articles(sentiment: Sentiment) -> None:
    """The latest articles: the three tones are asked for, and merged. [6]"""


@query(
    Article,
    key="by_sentiment",
    range=_SINCE_UNTIL,
    component="dashboard",
    rate=Rate(0.01),
    expect=40,
)
def export_slice(sentiment: Sentiment, *, since: datetime, until: datetime) -> None:
    """One hour of one tone, to export it or to count again. [18]"""


@query(
    Article,
    key="by_sentiment",
    range=_SINCE_UNTIL,
    component="reanalysis",
    rate=Rate(0.01),
    expect=40,
)
def reanalysis_slice(sentiment: Sentiment, *, since: datetime, until: datetime) -> None:
    """One hour of one tone, for another model. [18]"""


@get(Article, consistent=True, component="reanalysis", rate=Rate(0.001))
def article_to_promote(source_id: SourceId, timestamp: datetime) -> None:
    """An article as it is now, before another model's result takes its place. [17]"""


@get(ModelResult, component="reanalysis", rate=Rate(0.01, peak=20))
def stored_result(source_id: SourceId, ingested_at: datetime, model_version: VersionName) -> None:
    """What a model has said about an article already. [16]"""


# --- what waits or has failed --------------------------------------------------------------------

# The index does not know which articles have ended: `since` is 30 days ago, and they are out.


@count(
    Article,
    key="by_status",
    range=_SINCE_UNTIL,
    filter=attr(Article.queued_at) < param("queued_before"),
    component="metrics",
    rate=Rate(0.017),
    expect=5,
)
def number_stuck(
    status: Literal["pending"], *, since: datetime, until: datetime, queued_before: datetime
) -> None:
    """How many articles have waited too long, on all pages. [5]"""


@query(
    Article,
    into=Waiting,
    key="by_status",
    range=_SINCE_UNTIL,
    filter=attr(Article.queued_at) < param("queued_before"),
    expired=True,
    component="metrics",
    rate=Rate(0.017),
    expect=5,
)
def stuck_articles(
    status: Literal["pending"], *, since: datetime, until: datetime, queued_before: datetime
) -> None:
    """Which articles have waited too long: what the sweep queues again. [5]"""


@count(
    Article,
    key="by_status",
    range=_SINCE_UNTIL,
    component="metrics",
    rate=Rate(0.017),
    expect=5,
)
def number_failed(status: Literal["failed"], *, since: datetime, until: datetime) -> None:
    """How many articles wait for a person, on all pages. [10]"""


@query(
    Article,
    into=Waiting,
    key="by_status",
    range=_SINCE_UNTIL,
    expired=True,
    component="metrics",
    rate=Rate(0.001),
    expect=5,
)
def failed_articles(status: Literal["failed"], *, since: datetime, until: datetime) -> None:
    """Which articles wait for a person: what is queued again if they say "all". [10]"""


@query(
    Article,
    key="by_status",
    range=_SINCE_UNTIL,
    descending=True,
    hydrate=True,
    component="dashboard",
    rate=Rate(0.02),
    expect=10,
)
def articles_with_status(
    status: Status, *, since: datetime | None = None, until: datetime | None = None
) -> None:
    """Pending or failed articles, whole, the latest first. [10]"""


@query(
    Article,
    key="by_status",
    hydrate=True,
    component="reanalysis",
    rate=Rate(0.001),
    expect=10,
)
def unjudged_articles(status: Literal["unjudged"]) -> None:
    """Articles in languages that the model did not cover, for one that may. [17]"""


# --- counts --------------------------------------------------------------------------------------


@query(
    Tally,
    range=Range("bucket", ge="first", le="last"),
    component="dashboard",
    rate=Rate(3.2, peak=320),
    expect=24,
)
def series(subject: Subject, shard: int, *, first: Bucket, last: Bucket) -> None:
    """One shard of a count over time, from one minute or hour to another. [9]"""


@query(
    Tally,
    range=Range("bucket", ge="first", le="last"),
    component="alerts",
    rate=Rate(1.3),
    expect=60,
)
def series_to_judge(subject: Subject, shard: int, *, first: Bucket, last: Bucket) -> None:
    """The same, for the rules of alerts. [9]"""


@query(
    Tally,
    range=Range("bucket", ge="first", le="last"),
    consistent=True,
    component="recount",
    rate=Rate(0.01),
    expect=24,
)
def series_to_check(subject: Subject, shard: int, *, first: Bucket, last: Bucket) -> None:
    """The same as it is at this moment, to compare it with the articles. [18]"""
