"""Which changes of the table are events, and what those say."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from pydantic import JsonValue

from tablewright.client.feed import Change
from tablewright.systems.sentiment.articles import Article
from tablewright.systems.sentiment.changes import tags_of
from tablewright.systems.sentiment.config import Alert
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.rules.moments import moment_text
from tablewright.systems.sentiment.service.alerts.telling import data_of, summary

#: Older articles came in late, from a file; lists of what is new do not show them.
_NEWS = timedelta(hours=1)
#: Who would have to fetch so much fetches everything.
_MOST_NAMED = 50


@dataclass(frozen=True)
class Told:
    """One event, before it has an id."""

    kind: str
    data: dict[str, JsonValue]


def item_of(article: Article) -> dict[str, JsonValue]:
    """What a line of a list shows, and what lists are filtered by."""
    score, polarity = article.score, article.polarity
    return {
        "id": shown_id(article.source_id),
        "timestamp": moment_text(article.timestamp),
        "title": article.metadata.title,
        "snippet": article.text_snippet,
        "url": article.source_url,
        "source_key": article.source_key,
        "source_name": article.metadata.source_name,
        "published_at": moment_text(article.metadata.published_at),
        "tags": list[JsonValue](sorted(article.matched_tags)),
        "sentiment": article.sentiment,
        "status": article.status,
        "language": article.language,
        "score": None if score is None else float(score),
        "polarity": None if polarity is None else float(polarity),
        "overridden": article.override is not None,
        "version": article.version,
    }


def alert_of(alert: Alert) -> dict[str, JsonValue]:
    return {
        **data_of(alert),
        "summary": summary(alert),
        "state": alert.state,
        "acknowledged": alert.acked_at is not None,
    }


def told_of(change: Change, now: datetime) -> Told | None:
    """The event that a change is, if any."""
    article, alert = change.of(Article), change.of(Alert)
    if article is not None and article.new is not None:
        if _is_news(article.old, article.new, now):
            return Told("item", item_of(article.new))
    elif alert is not None and alert.new is not None:
        return Told("alert", alert_of(alert.new))
    return None


def _is_news(old: Article | None, new: Article, now: datetime) -> bool:
    if not _is_done(new):
        return False
    if old is None or not _is_done(old):
        return new.timestamp > now - _NEWS
    return (old.sentiment, old.matched_tags, old.override, old.model_version) != (
        new.sentiment,
        new.matched_tags,
        new.override,
        new.model_version,
    )


def _is_done(article: Article) -> bool:
    return article.sentiment is not None or article.status == "unjudged"


@dataclass
class Stirred:
    """Whose figures have changed, so that who shows them fetches them."""

    #: All of them may have.
    everything: bool = False
    minutes: set[str] = field(default_factory=set)
    tags: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)

    def add(self, change: Change) -> None:
        article = change.of(Article)
        if article is None or article.new is None or change.expired:
            return
        old, new = article.old, article.new
        same = (new.sentiment, new.status == "unjudged", new.matched_tags)
        before = old and (old.sentiment, old.status == "unjudged", old.matched_tags)
        if before == same:
            return
        self.minutes.add(new.timestamp.strftime("%Y-%m-%dT%H:%MZ"))
        self.tags.update(tags_of(new))
        self.sources.add(new.source_key)

    def __bool__(self) -> bool:
        return self.everything or bool(self.minutes)

    def told(self) -> Told:
        named = (self.minutes, self.tags, self.sources)
        if self.everything or any(len(each) > _MOST_NAMED for each in named):
            return Told("metrics", {"everything": True})
        return Told(
            "metrics",
            {
                "minutes": list[JsonValue](sorted(self.minutes)),
                "tags": list[JsonValue](sorted(self.tags)),
                "sources": list[JsonValue](sorted(self.sources)),
            },
        )
