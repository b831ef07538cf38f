"""Everything that changes an article, each time in one transaction with its tags and counts.

An article is counted in the minute and the hour of its own timestamp, under everything and under
each of its tags, and in the hour under its publisher. Minutes that have ended are left alone: an
addition would bring them back. Totals are those of everything; tags overlap and are never added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from tablewright.model import Condition, Put, Rate, Update, attr, put, transaction, update, write
from tablewright.systems.sentiment.articles import (
    MAX_TAGS,
    Analysis,
    Article,
    Dedup,
    ModelResult,
    Override,
    TagRow,
    Tally,
)
from tablewright.systems.sentiment.shapes import (
    HOUR_LIFE,
    MINUTE_LIFE,
    SHARDS,
    Sentiment,
    hour_of,
    minute_of,
    shard_of_article,
)

Amounts: TypeAlias = Mapping[str, int]
MAX_ATTEMPTS = 3
#: What a count has; the first is of everything together only.
COUNTED = ("ingested", "positive", "neutral", "negative", "unjudged")


# --- rows and counts of an article ---------------------------------------------------------------


def tags_of(article: Article) -> list[str]:
    """The tags of an article as keys have them."""
    return sorted({tag.casefold() for tag in article.matched_tags})


def tag_row(article: Article, tag: str) -> TagRow:
    return TagRow(
        source_id=article.source_id,
        ingested_at=article.timestamp,
        tag=tag,
        tag_sentiment=article.sentiment,
        tag_score=article.score,
        tag_unjudged=True if article.status == "unjudged" else None,
        title=article.metadata.title,
        source_key=article.source_key,
        source_name=article.metadata.source_name,
        source_url=article.source_url,
    )


def dedup_of(article: Article, sha256: str) -> Dedup:
    return Dedup(sha256=sha256, article_id=article.source_id, article_ts=article.timestamp)


def result_of(article: Article, analysis: Analysis) -> ModelResult:
    return ModelResult(
        source_id=article.source_id,
        ingested_at=article.timestamp,
        model_version=analysis.model_version,
        result_label=analysis.label,
        result_score=analysis.score,
        result_polarity=analysis.polarity,
        analyzed_at=analysis.analyzed_at,
    )


def _rows_changed(
    article: Article, label: Sentiment, analysis: Analysis | None = None
) -> list[Update[TagRow]]:
    changes = [attr(TagRow.tag_sentiment).set(label)]
    if analysis is not None:
        changes.append(attr(TagRow.tag_score).set(analysis.score))
    return [
        update(TagRow, article.source_id, article.timestamp, tag).do(*changes)
        for tag in tags_of(article)
    ]


def _add(article: Article, subject: str, bucket: str, by: Amounts, shards: int) -> Update[Tally]:
    is_minute = bucket.startswith("m#")
    ends = _end_of_minute(article) if is_minute else article.timestamp + HOUR_LIFE
    # Fields by name are references to anything, for a type checker.
    tally: Any = Tally
    return (
        update(Tally, subject, shard_of_article(article.source_id, shards), bucket)
        .upsert()
        .do(
            *(attr(getattr(tally, name)).add(amount) for name, amount in by.items() if amount),
            attr(Tally.ttl_timestamp).set_if_missing(ends),
        )
    )


def _end_of_minute(article: Article) -> datetime:
    """When the count of its minute ends: the same for all of the minute, whoever was first."""
    return article.timestamp.replace(second=0, microsecond=0) + MINUTE_LIFE


def _over_time(
    article: Article, subject: str, by: Amounts, now: datetime, shards: int
) -> Iterable[Update[Tally]]:
    if _end_of_minute(article) > now:
        yield _add(article, subject, minute_of(article.timestamp), by, shards)
    yield _add(article, subject, hour_of(article.timestamp), by, shards)


def _counts(
    article: Article, by: Amounts, now: datetime, shards: int, ingested: int = 0
) -> list[Update[Tally]]:
    """Everywhere an article counts; ``ingested`` is for everything together only."""
    if not any(by.values()) and not ingested:
        return []
    return [
        *_over_time(article, "all", {**by, "ingested": ingested}, now, shards),
        *(
            each
            for tag in tags_of(article)
            for each in _over_time(article, f"tag#{tag}", by, now, shards)
        ),
        _add(article, f"source#{article.source_key}", hour_of(article.timestamp), by, shards),
    ]


def counted_as(article: Article) -> str | None:
    """Return the count that an article adds to: its tone, "unjudged", or none while it waits."""
    return "unjudged" if article.status == "unjudged" else article.sentiment


def _moved(before: Sentiment, after: Sentiment) -> Amounts:
    return {} if before == after else {before: -1, after: 1}


# --- ingest --------------------------------------------------------------------------------------


@transaction(component="ingest", rate=Rate(0.028, peak=100), expect=6)
def ingest(
    article: Article, sha256: str, *, now: datetime, shards: int = SHARDS
) -> list[Put[Dedup] | Put[Article] | Put[TagRow] | Update[Tally]]:
    """A new article, under all its tags; refused if its hash is known and has not ended. [1, T1]"""
    return [
        put(dedup_of(article, sha256)).new(),
        put(article).new(),
        *(put(tag_row(article, tag)) for tag in tags_of(article)),
        *_over_time(article, "all", {"ingested": 1}, now, shards),
    ]


@transaction(component="ingest", rate=Rate(0.001, peak=20), expect=11)
def backfill(
    article: Article, sha256: str, *, now: datetime, shards: int = SHARDS
) -> list[Put[Dedup] | Put[Article] | Put[TagRow] | Update[Tally]]:
    """An article of the past, done already and never pending: each item once. [1, T1+T2]"""
    counted = counted_as(article)
    return [
        put(dedup_of(article, sha256)).new(),
        put(article).new(),
        *(put(tag_row(article, tag)) for tag in tags_of(article)),
        *_counts(article, {counted: 1} if counted else {}, now, shards, ingested=1),
    ]


@transaction(component="ingest", rate=Rate(0.005), expect=4)
def tag_article(
    article: Article, tag: str, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Put[TagRow] | Update[Tally]]:
    """Another topic for a known article; counted there if the article is analyzed. [8, T3]"""
    room = attr(Article.matched_tags).size() < MAX_TAGS
    tagged = update(article).do(attr(Article.matched_tags).add_members({tag})).when(room)
    folded = tag.casefold()
    counts: list[Update[Tally]] = []
    if (counted := counted_as(article)) is not None:
        counts += _over_time(article, f"tag#{folded}", {counted: 1}, now, shards)
    return [tagged, put(tag_row(article, folded)).new(), *counts]


# --- analysis ------------------------------------------------------------------------------------


@transaction(component="analysis", rate=Rate(0.028, peak=100), expect=10)
def analyse(
    article: Article, analysis: Analysis, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Update[TagRow] | Update[Tally]]:
    """What the model says, once, for a pending article that nobody has changed since. [2, T2]"""
    judged = update(article).do(
        attr(Article.status).set("analyzed"),
        attr(Article.sentiment).set(analysis.label),
        attr(Article.error_code).remove(),
        *_said(analysis),
    )
    return [
        judged.when(attr(Article.status) == "pending"),
        *_rows_changed(article, analysis.label, analysis),
        *_counts(article, {analysis.label: 1}, now, shards),
    ]


def _said(analysis: Analysis) -> list[Any]:
    return [
        attr(Article.model_sentiment).set(analysis.label),
        attr(Article.score).set(analysis.score),
        attr(Article.polarity).set(analysis.polarity),
        attr(Article.model_version).set(analysis.model_version),
        attr(Article.analyzed_at).set(analysis.analyzed_at),
    ]


@transaction(component="analysis", rate=Rate(0.005, peak=20), expect=10)
def leave_unjudged(
    article: Article, language: str, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Update[TagRow] | Update[Tally]]:
    """Count a pending article without a tone: the model does not cover its language. [2, T2]"""
    left = update(article).do(
        attr(Article.status).set("unjudged"),
        attr(Article.language).set(language),
        attr(Article.error_code).remove(),
    )
    rows = [
        update(TagRow, article.source_id, article.timestamp, tag).do(
            attr(TagRow.tag_unjudged).set(True)
        )
        for tag in tags_of(article)
    ]
    return [
        left.when(attr(Article.status) == "pending"),
        *rows,
        *_counts(article, {"unjudged": 1}, now, shards),
    ]


@transaction(component="reanalysis", rate=Rate(0.001, peak=20), expect=10)
def queue_unjudged(
    article: Article, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Update[TagRow] | Update[Tally]]:
    """Queue an unjudged article for a model that covers its language. [17]"""
    queued = update(article).do(
        attr(Article.status).set("pending"),
        attr(Article.queued_at).set(now),
        attr(Article.attempts).set(0),
    )
    rows = [
        update(TagRow, article.source_id, article.timestamp, tag).do(
            attr(TagRow.tag_unjudged).remove()
        )
        for tag in tags_of(article)
    ]
    return [
        queued.when(attr(Article.status) == "unjudged"),
        *rows,
        *_counts(article, {"unjudged": -1}, now, shards),
    ]


@write(component="analysis", rate=Rate(0.001))
def analysis_failed(article: Article, error_code: str, now: datetime) -> Update[Article]:
    """An attempt that came to nothing; the third one is the last. [2]"""
    last = article.attempts + 1 >= MAX_ATTEMPTS
    failed = update(article).do(
        attr(Article.status).set("failed" if last else "pending"),
        attr(Article.attempts).set(article.attempts + 1),
        attr(Article.error_code).set(error_code),
        attr(Article.queued_at).set(now),
    )
    return failed.when(attr(Article.status) == "pending")


@write(component="analysis", rate=Rate(0.0001))
def give_up(source_id: str, timestamp: datetime, error_code: str, now: datetime) -> Update[Article]:
    """No further attempt at an article that nobody can read. [2]"""
    return _ended(source_id, timestamp, error_code, now).when(attr(Article.status) == "pending")


def _ended(source_id: str, timestamp: datetime, error_code: str, now: datetime) -> Update[Article]:
    return update(Article, source_id, timestamp).do(
        attr(Article.status).set("failed"),
        attr(Article.attempts).set(MAX_ATTEMPTS),
        attr(Article.error_code).set(error_code),
        attr(Article.queued_at).set(now),
    )


@write(component="reanalysis", rate=Rate(0.01, peak=20))
def save_result(article: Article, analysis: Analysis) -> Put[ModelResult]:
    """What another model would say; nobody sees it on the dashboard. [16]"""
    return put(result_of(article, analysis))


@transaction(component="reanalysis", rate=Rate(0.01, peak=20), expect=11)
def promote(
    article: Article, analysis: Analysis, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Put[ModelResult] | Update[TagRow] | Update[Tally]]:
    """Another model's result instead of the old one, which is kept; verdicts stay. [17, T5]"""
    old = article.analysis
    before = article.sentiment or old.label
    after = analysis.label if article.override is None else before
    changed = update(article).do(attr(Article.sentiment).set(after), *_said(analysis))
    return [
        changed.when(attr(Article.model_version) == old.model_version),
        put(result_of(article, old)),
        *_rows_changed(article, after, analysis),
        *_counts(article, _moved(before, after), now, shards),
    ]


# --- verdicts of people --------------------------------------------------------------------------


@transaction(component="editor", rate=Rate(0.005), expect=10)
def override(
    article: Article, verdict: Override, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Update[TagRow] | Update[Tally]]:
    """Somebody's verdict instead of the model's; the score stays the model's. [12, T4]"""
    before = article.sentiment or article.analysis.label
    changed = update(article).do(
        attr(Article.sentiment).set(verdict.to), attr(Article.override).set(verdict)
    )
    return [
        changed.when(attr(Article.status) == "analyzed"),
        *_rows_changed(article, verdict.to),
        *_counts(article, _moved(before, verdict.to), now, shards),
    ]


@transaction(component="editor", rate=Rate(0.001), expect=10)
def clear_override(
    article: Article, *, now: datetime, shards: int = SHARDS
) -> list[Update[Article] | Update[TagRow] | Update[Tally]]:
    """The model's own label again. [12, T4]"""
    label = article.analysis.label
    changed = update(article).do(
        attr(Article.sentiment).set(label), attr(Article.override).remove()
    )
    return [
        changed.when(attr(Article.status) == "analyzed"),
        *_rows_changed(article, label),
        *_counts(article, _moved(article.sentiment or label, label), now, shards),
    ]


# --- queueing again ------------------------------------------------------------------------------


@write(component="requeue", rate=Rate(0.001))
def requeue(
    source_id: str, timestamp: datetime, *, now: datetime, stuck_before: datetime
) -> Update[Article]:
    """Another chance for an article that failed, or that has waited too long. [13]"""
    queued = update(Article, source_id, timestamp).do(
        attr(Article.status).set("pending"),
        attr(Article.queued_at).set(now),
        attr(Article.attempts).set(0),
        attr(Article.error_code).remove(),
    )
    return queued.when((attr(Article.status) == "failed") | _stuck(stuck_before))


@write(component="requeue", rate=Rate(0.001))
def sweep(
    source_id: str, timestamp: datetime, *, now: datetime, stuck_before: datetime
) -> Update[Article]:
    """Queue what a worker lost; that counts as an attempt, and the third is the last. [13]"""
    queued = update(Article, source_id, timestamp).do(
        attr(Article.queued_at).set(now), attr(Article.attempts).add(1)
    )
    return queued.when(_stuck(stuck_before) & (attr(Article.attempts) < MAX_ATTEMPTS - 1))


@write(component="requeue", rate=Rate(0.0001))
def sweep_out(
    source_id: str, timestamp: datetime, *, now: datetime, stuck_before: datetime
) -> Update[Article]:
    """An article that was lost a third time: it waits for a person. [13]"""
    out = _ended(source_id, timestamp, "stuck", now)
    return out.when(_stuck(stuck_before) & (attr(Article.attempts) >= MAX_ATTEMPTS - 1))


def _stuck(before: datetime) -> Condition:
    return (attr(Article.status) == "pending") & (attr(Article.queued_at) < before)


# --- putting counts right ------------------------------------------------------------------------


@write(component="recount", rate=Rate(0.0001))
def correct_count(seen: Tally, by: Amounts) -> Update[Tally]:
    """What the articles say instead, if this shard still says what was seen. [18]

    ``seen`` has zeros where there is none yet. Writers that come later add to what is right then.
    """
    tally: Any = Tally
    fields = {name: attr(getattr(tally, name)) for name in COUNTED}
    changed = (
        update(Tally, seen.subject, seen.shard, seen.bucket)
        .upsert()
        .do(
            *(fields[name].add(amount) for name, amount in by.items() if amount),
            attr(Tally.ttl_timestamp).set_if_missing(seen.ttl_timestamp),
        )
    )
    for name, field in fields.items():
        amount = getattr(seen, name)
        same = field == amount
        changed = changed.when(same if amount else same | field.missing())
    # Twice would be wrong, and nobody looks whether it has happened.
    return changed.exactly_once()
