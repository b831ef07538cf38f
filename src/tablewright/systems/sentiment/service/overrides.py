"""Verdicts of people: another tone instead of the model's, until somebody takes it back.

A verdict is one transaction: the article, the rows of its tags, all counts and an entry in the
audit log. Its conditions: the article is analysed, and as its author has seen it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.kit import audit
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import conflict, not_found, stale
from tablewright.systems.sentiment import changes
from tablewright.systems.sentiment.articles import Article, Override
from tablewright.systems.sentiment.reads import article_to_edit
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.shapes import Sentiment

if TYPE_CHECKING:
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.sentiment.service.newsroom import Newsroom


#: Decisions about one article; more than anybody has made.
_SHOWN = 20


@dataclass(frozen=True)
class Decision:
    """That somebody set a verdict, or took it back."""

    at: datetime
    by: str
    #: ``article.override`` or ``article.clear_override``.
    action: str
    before: str
    after: str
    reason: str


class Overrides:
    """What analysts decide against the model."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def set(
        self, source_id: str, to: Sentiment, reason: str, by: Actor, seen: int | Precondition
    ) -> Article:
        """A verdict, on the version that its author has seen; gives the article as it is then.

        The same verdict twice is fine: the second one has its own reason and author.
        """
        article = await self._article(source_id)
        _said(seen).check(article.version)
        verdict = Override(
            from_=_analysed(article),
            to=to,
            by=by.id,
            at=self._newsroom.now(),
            reason=reason,
        )
        shards = (await self._newsroom.setup.current()).shards
        op = changes.override(article, verdict, now=verdict.at, shards=shards)
        detail = {"from": verdict.from_, "to": to, "reason": reason}
        return await self._done(article, op, by, "article.override", detail)

    async def clear(self, source_id: str, by: Actor, seen: int | Precondition = UNSAID) -> Article:
        """The model's own tone again. Without a verdict nothing is done, as it is so already."""
        article = await self._article(source_id)
        _said(seen).check_if_given(article.version)
        before = _analysed(article)
        if article.override is None:
            return article
        shards = (await self._newsroom.setup.current()).shards
        op = changes.clear_override(article, now=self._newsroom.now(), shards=shards)
        detail = {"from": before, "to": article.model_sentiment}
        return await self._done(article, op, by, "article.clear_override", detail)

    async def history(self, source_id: str) -> list[Decision]:
        """What people have decided about an article, the latest first; from the audit log.

        Nobody keeps an index of that: all entries since the article came in are looked at.
        """
        article = (await self._newsroom.articles.item(source_id)).article
        page = await audit.entries(
            self._newsroom.db,
            until=self._newsroom.now() + timedelta(seconds=1),
            since=article.timestamp,
            limit=_SHOWN,
            subject=_subject(source_id),
        )
        return [
            Decision(
                at=entry.at,
                by=entry.actor,
                action=entry.action,
                before=str(entry.detail.get("from") or ""),
                after=str(entry.detail.get("to") or ""),
                reason=str(entry.detail.get("reason") or ""),
            )
            for entry in page
        ]

    async def _article(self, source_id: str) -> Article:
        """As it is now; an id alone does not say when it came in, so it is looked up first."""
        known = (await self._newsroom.articles.item(source_id)).article
        op = article_to_edit(source_id, known.timestamp)
        found = await self._newsroom.db.run(op)
        if found is None:
            raise not_found("article")
        return found

    async def _done(
        self,
        article: Article,
        op: Op[tuple[object, ...]],
        by: Actor,
        action: str,
        detail: Mapping[str, object],
    ) -> Article:
        subject, at = _subject(article.source_id), self._newsroom.now()
        entry = audit.record(by, action, subject, at=at, detail=detail)
        try:
            await self._newsroom.db.run(together(op, entry))
        except TransactionCancelled as cancelled:
            if any(isinstance(each.error, ConditionFailed) for each in cancelled.failures):
                raise stale() from None
            raise
        self._newsroom.counts.forget()
        return await self._article(article.source_id)


def _subject(source_id: str) -> str:
    return f"article/{shown_id(source_id)}"


def _said(seen: int | Precondition) -> Precondition:
    return Precondition.seen(seen) if isinstance(seen, int) else seen


def _analysed(article: Article) -> Sentiment:
    if article.sentiment is None:
        detail = "The article has no tone yet: there is nothing to put another in place of."
        raise conflict("NOT_ANALYZED", detail)
    return article.sentiment
