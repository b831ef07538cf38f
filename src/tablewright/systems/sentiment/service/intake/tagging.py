"""Articles that are known: a topic that finds one later gets it, too."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.articles import MAX_TAGS, Article, Dedup
from tablewright.systems.sentiment.changes import tags_of
from tablewright.systems.sentiment.rules.retrying import pause
from tablewright.systems.sentiment.service.intake.candidates import Candidate, Outcome
from tablewright.systems.sentiment.service.intake.commits import commit, is_refusal
from tablewright.systems.sentiment.service.intake.recall import Recall
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


#: Changes of one article that may come between a reading and its change. People and workers make a
#: few in its whole life.
_TRIES = 50


class Tagging:
    """Gives known articles the tags that they lack."""

    def __init__(self, newsroom: Newsroom, recall: Recall) -> None:
        self._newsroom = newsroom
        self._recall = recall

    async def meet(self, candidate: Candidate, row: Dedup) -> Outcome:
        """A duplicate, unless the article lacks a tag and has room for it.

        Each tag is a transaction of its own, T3; its condition is the version of the article that
        was read, strongly, just before. An article that has changed meanwhile is read again.
        """
        sha256, tags = candidate.sha256, candidate.folded_tags
        # The hash outlives the article by a week, and this process may remember its tags.
        if row.article_ts + ARTICLE_LIFE <= self._newsroom.now() or self._recall.is_gone(sha256):
            return Outcome("gone")
        added, tries = False, 0
        while not self._recall.has(sha256, tags):
            read = reads.article_to_tag(row.article_id, row.article_ts)
            article = await self._newsroom.db.run(read)
            if article is None:
                self._recall.keep_gone(sha256)
                return Outcome("gone")
            tag = _lacking(article, candidate)
            if tag is None:
                # Those that have no room are not asked for again.
                self._recall.keep(sha256, tags | frozenset(tags_of(article)))
            else:
                tries += 1
                added = await self._tag(article, tag, last=tries >= _TRIES) or added
        return Outcome("tagged" if added else "duplicate", row.article_id)

    async def _tag(self, article: Article, tag: str, *, last: bool) -> bool:
        """False if somebody has changed the article meanwhile."""
        newsroom = self._newsroom
        shards = (await newsroom.setup.current()).shards
        op = changes.tag_article(article, tag, now=newsroom.now(), shards=shards)
        try:
            await commit(newsroom.db, op)
        except TransactionCancelled as refused:
            if last or not is_refusal(refused):
                raise
            await asyncio.sleep(pause(1, random.random()))
            return False
        return True


def _lacking(article: Article, candidate: Candidate) -> str | None:
    """The most important tag that the article lacks; None if it lacks none or has no room."""
    has = set(tags_of(article))
    if len(has) >= MAX_TAGS:
        return None
    return next((tag for tag in candidate.tags if tag.casefold() not in has), None)
