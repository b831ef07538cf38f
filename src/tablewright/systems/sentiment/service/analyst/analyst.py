"""An article from pending to analyzed or failed.

The article is read as it is now, judged, and written in one transaction with its tag rows and
counts, on condition that it is still pending and that nobody has changed it since. So it does not
matter who is told of it how often, nor where a process was killed: an article is counted once.

What goes wrong is one of two things. If others are in the way, or the store is, nothing has been
written and it is tried again, as long as the caller cares to wait; that is no attempt. If the model
fails, or takes too long, or the article cannot be read, that is an attempt; the third is the last,
and then the article waits for a person.
"""

from __future__ import annotations

import asyncio
import logging
import random
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.model import Op
from tablewright.model.errors import (
    ConditionFailed,
    DataError,
    OutcomeUnknown,
    RequestError,
    ServiceError,
    TablewrightError,
    Throttled,
    TransactionCancelled,
    Unavailable,
)
from tablewright.systems.sentiment.analysers.analyser import languages_of
from tablewright.systems.sentiment.articles import Analysis, Article
from tablewright.systems.sentiment.changes import (
    analyse,
    analysis_failed,
    give_up,
    leave_unjudged,
)
from tablewright.systems.sentiment.reads import article_to_analyse
from tablewright.systems.sentiment.rules.languages import (
    detect_language,
    ensure_loaded,
    is_covered,
)
from tablewright.systems.sentiment.rules.retrying import pause
from tablewright.systems.sentiment.rules.text import text_of
from tablewright.systems.sentiment.service.analyst.judging import Judging, Unjudged

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

#: ``retry``: an attempt failed and there will be another; ``skipped``: there was nothing to do.
Outcome: TypeAlias = Literal["analyzed", "unjudged", "failed", "retry", "skipped"]
#: How often a caller without a lease tries again when others are in the way.
PATIENCE = 8


class Analyst:
    """Judges articles, one at a time for each caller."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self.judging = Judging(newsroom.options.judge_secs)
        self._analyses = newsroom.runtime.metrics.counter(
            "sentiment_analyses",
            "Articles that were to be analyzed, by what came of it",
            ("outcome",),
        )
        self._busy = newsroom.runtime.metrics.counter(
            "sentiment_analysis_conflicts", "Analyses that were tried again: others were in the way"
        )

    async def analyse(
        self, source_id: str, timestamp: datetime, *, patience: int | None = PATIENCE
    ) -> Outcome:
        """Analyse an article that may be pending.

        ``patience`` is how often it is tried again when others are in the way; None is until the
        caller is stopped, as a worker is at the end of its lease.
        """
        tries = 0
        while True:
            try:
                outcome = await self._once(source_id, timestamp)
            except (Unavailable, OutcomeUnknown) as error:
                # If it was written after all, the next look tells.
                outcome, problem = None, error
            else:
                problem = Throttled("The article is being changed by others all the time.")
            if outcome is not None:
                self._analyses.labels(outcome).inc()
                return outcome
            self._busy.inc()
            if patience is not None and tries >= patience:
                raise problem
            tries += 1
            await asyncio.sleep(pause(tries, random.random()))

    async def _once(self, source_id: str, timestamp: datetime) -> Outcome | None:
        """One try; None if somebody was in the way."""
        newsroom = self._newsroom
        try:
            article = await newsroom.db.run(article_to_analyse(source_id, timestamp))
        except DataError as error:
            log.error("article %s cannot be read: %s", source_id, error)
            return await self._given_up(source_id, timestamp)
        if article is None or article.status != "pending":
            return "skipped"
        shards = (await newsroom.setup.current()).shards
        analyser = await newsroom.models.active()
        language = await self._language_of(article)
        if language is not None and not is_covered(language, languages_of(analyser)):
            op = leave_unjudged(article, language, now=newsroom.now(), shards=shards)
            return await self._committed(article, op, "unjudged")
        found = await self.judging.verdict(analyser, text_of(article))
        if isinstance(found, Unjudged):
            return await self._failed(article, found.code)
        try:
            analysis = found.analysis(analyser.version, newsroom.now())
        except ValueError as error:
            log.error("model %s gives what it must not: %s", analyser.version, error)
            return await self._failed(article, "model_error")
        return await self._written(article, analysis, shards)

    async def _language_of(self, article: Article) -> str | None:
        """Return the stored language, or detect it for articles stored without one."""
        if article.language is not None:
            return article.language
        await ensure_loaded()
        return detect_language(text_of(article))

    async def _written(self, article: Article, analysis: Analysis, shards: int) -> Outcome | None:
        op = analyse(article, analysis, now=self._newsroom.now(), shards=shards)
        return await self._committed(article, op, "analyzed")

    async def _committed(
        self, article: Article, op: Op[tuple[object, ...]], outcome: Outcome
    ) -> Outcome | None:
        """Write what became of an article, in one transaction."""
        newsroom = self._newsroom
        try:
            await newsroom.db.run(op)
        except TransactionCancelled as cancelled:
            if in_the_way(cancelled):
                return None
            log.error("article %s cannot be analyzed: %s", article.source_id, cancelled)
            return await self._failed(article, "rows_missing")
        except (RequestError, ServiceError) as error:
            if not _is_the_articles_fault(error):
                raise
            log.error("article %s cannot be stored: %s", article.source_id, error)
            return await self._failed(article, "not_storable")
        return outcome

    async def _failed(self, article: Article, code: str) -> Outcome | None:
        """An attempt that came to nothing; the change wakes the next one."""
        newsroom = self._newsroom
        try:
            noted = await newsroom.db.run(analysis_failed(article, code, newsroom.now()))
        except ConditionFailed:
            return None
        except OutcomeUnknown:
            # Another look would count it twice. If it was not written, the sweep finds it.
            return "retry"
        return "failed" if noted.status == "failed" else "retry"

    async def _given_up(self, source_id: str, timestamp: datetime) -> Outcome:
        newsroom = self._newsroom
        try:
            await newsroom.db.run(give_up(source_id, timestamp, "unreadable", newsroom.now()))
        except ConditionFailed:
            return "skipped"
        except DataError:
            pass  # it is written; what came back is as unreadable as before
        return "failed"


def in_the_way(cancelled: TransactionCancelled) -> bool:
    """Whether a transaction about an article, its first member, is worth another look.

    It is if others write to the same items, or have changed the article. It is not if a tag row is
    missing: that will be so the next time.
    """
    return all(
        isinstance(each.error, Unavailable)
        or (each.position == 0 and isinstance(each.error, ConditionFailed))
        for each in cancelled.failures
    )


def _is_the_articles_fault(error: TablewrightError) -> bool:
    """Not if the store refuses us for who we are: then no article is to blame."""
    return isinstance(error, RequestError) or (
        isinstance(error, ServiceError) and error.aws_code == "ValidationException"
    )
