"""What may become an article: a record that is clean, has an identity and belongs to a topic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from tablewright.systems.sentiment.articles import Analysis, Article, Metadata
from tablewright.systems.sentiment.rules.cleaning import Cleaned, Unfit, cleaned
from tablewright.systems.sentiment.rules.identity import hash_of, source_id_for
from tablewright.systems.sentiment.rules.languages import detect_language
from tablewright.systems.sentiment.rules.matching import Matcher
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE, SourceType

Result: TypeAlias = Literal["ingested", "duplicate", "tagged", "unmatched", "rejected", "gone"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a record."""

    result: Result
    #: The article that it is or was.
    article_id: str | None = None
    #: Why it was rejected.
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A record that belongs to topics."""

    cleaned: Cleaned
    sha256: str
    source_type: SourceType
    #: As people write them, the most important first.
    tags: tuple[str, ...]
    #: When it came in, or came out.
    timestamp: datetime

    @property
    def source_id(self) -> str:
        return source_id_for(self.source_type, self.sha256)

    @property
    def folded_tags(self) -> frozenset[str]:
        return frozenset(tag.casefold() for tag in self.tags)

    @property
    def language(self) -> str | None:
        return detect_language(self.cleaned.text)

    def article(
        self,
        source_key: str,
        now: datetime,
        analysis: Analysis | None = None,
        *,
        unjudged: bool = False,
    ) -> Article:
        """Build the article: pending, judged by a model, or in a language it does not cover."""
        told = {} if analysis is None else _judged(analysis)
        if unjudged:
            told = {"status": "unjudged"}
        return Article(
            source_id=self.source_id,
            timestamp=self.timestamp,
            source_type=self.source_type,
            source_key=source_key,
            source_url=self.cleaned.url,
            text_snippet=self.cleaned.snippet,
            matched_tags=set(self.tags),
            metadata=Metadata(
                title=self.cleaned.title,
                author=self.cleaned.author,
                published_at=self.cleaned.published_at,
                source_name=self.cleaned.source_name,
            ),
            language=self.language,
            queued_at=now,
            **told,  # type: ignore[arg-type]
        )


def _judged(analysis: Analysis) -> dict[str, object]:
    return {
        "status": "analyzed",
        "sentiment": analysis.label,
        "score": analysis.score,
        "polarity": analysis.polarity,
        "model_sentiment": analysis.label,
        "model_version": analysis.model_version,
        "analyzed_at": analysis.analyzed_at,
    }


def candidates(
    records: Iterable[Record],
    matcher: Matcher,
    source_type: SourceType,
    *,
    now: datetime,
    as_published: bool,
) -> list[Candidate | Outcome]:
    """Each record as it may be stored, or what became of it already."""
    return [_candidate(each, matcher, source_type, now, as_published) for each in records]


def _candidate(
    record: Record, matcher: Matcher, source_type: SourceType, now: datetime, as_published: bool
) -> Candidate | Outcome:
    try:
        clean = cleaned(record, now)
        timestamp = _moment(record, clean, now) if as_published else now
    except Unfit as unfit:
        return Outcome("rejected", reason=str(unfit))
    # The time that we made up tells nothing apart.
    published_at = record.published_at and clean.published_at
    sha256 = hash_of(clean.title, record.url, published_at, record.guid)
    if sha256 is None:
        reason = "has neither an address nor the time when it was published"
        return Outcome("rejected", reason=reason)
    tags = matcher.tags(clean.text, record.own_tag)
    if not tags:
        return Outcome("unmatched")
    return Candidate(clean, sha256, source_type, tuple(tags), timestamp)


def _moment(record: Record, clean: Cleaned, now: datetime) -> datetime:
    """When it was published, which is where it is counted."""
    if record.published_at is None:
        raise Unfit("has no published_at to be counted at")
    if clean.published_at > now:
        raise Unfit("was published in the future")
    if clean.published_at + ARTICLE_LIFE <= now:
        raise Unfit("was published more than 30 days ago")
    return clean.published_at
