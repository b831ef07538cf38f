"""Another model's results in the place of the old ones, article by article.

The model becomes active first. Processes hear of that within seconds; what they analyse meanwhile
is the old model's. Only after that time the articles are gone through, from the oldest to those of
that time: so none can be analyzed by the old model behind our back. An hour is gone through until
no article of another model is left in it, because an article whose tone is changed by a person may
slip from one list into another while both are read.

Each article is one transaction, on condition that nobody has changed it: its result, tag rows and
counts, and the old result, kept for the way back. Who is killed goes on with the hour he was at;
articles that are done have the new version already.
"""

from __future__ import annotations

import asyncio
import logging
import random
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import OutcomeUnknown, TransactionCancelled, Unavailable
from tablewright.systems.sentiment.analysers.analyser import Analyser, languages_of
from tablewright.systems.sentiment.articles import Analysis, Article
from tablewright.systems.sentiment.changes import promote, queue_unjudged
from tablewright.systems.sentiment.config import Job
from tablewright.systems.sentiment.reads import article_to_promote, unjudged_articles
from tablewright.systems.sentiment.rules.languages import is_covered
from tablewright.systems.sentiment.rules.retrying import pause
from tablewright.systems.sentiment.service.analyst.analyst import in_the_way
from tablewright.systems.sentiment.service.intake.commits import commit, is_refusal
from tablewright.systems.sentiment.service.jobs.results import results
from tablewright.systems.sentiment.service.jobs.slices import first_after, handfuls, next_hour
from tablewright.systems.sentiment.writes import advance_job, move_job

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")


class Promoting:
    """One job at work."""

    def __init__(self, newsroom: Newsroom, job: Job, analyser: Analyser) -> None:
        assert job.flipped_at is not None
        assert job.cursor is not None
        self._newsroom = newsroom
        self._job = job
        self._at: datetime = job.cursor
        self._analyser = analyser
        slack = timedelta(seconds=newsroom.options.promote_slack_secs)
        #: From then on nobody analyses with another model.
        self.begins = job.flipped_at + slack
        self._done = 0
        #: What could not be changed in the hour that is worked on.
        self._left: set[str] = set()

    async def run(self) -> None:
        """To its end; ConditionFailed if somebody else is at it."""
        while (first := await first_after(self._newsroom, self._at, self.begins)) is not None:
            if await self._superseded():
                await self._newsroom.db.run(move_job(self._job.job_id, "failed"))
                return
            self._at = next_hour(first, self.begins)
            await self._slice(first, self._at)
            await self._advance()
        await self._queue_unjudged()
        await self._newsroom.db.run(move_job(self._job.job_id, "promoted"))

    async def _queue_unjudged(self) -> None:
        """Queue articles in languages that the old model did not cover, if this one does.

        Each is one transaction, on condition that the article is still unjudged; after a crash the
        job comes here again and finds those that are left.
        """
        newsroom, covered = self._newsroom, languages_of(self._analyser)
        shards = (await newsroom.setup.current()).shards
        async for article in newsroom.db.iterate(unjudged_articles("unjudged")):
            if not is_covered(article.language, covered):
                continue
            op = queue_unjudged(article, now=newsroom.now(), shards=shards)
            try:
                await commit(newsroom.db, op)
            except TransactionCancelled as cancelled:
                if not is_refusal(cancelled):
                    raise

    async def _superseded(self) -> bool:
        """Whether yet another model has become active, as of now."""
        self._newsroom.setup.forget()
        settings = await self._newsroom.setup.current()
        return settings.active_model != self._job.model_version

    async def _advance(self) -> None:
        advanced = advance_job(self._job, self._at, self._done, len(self._left))
        self._job = await self._newsroom.db.run(advanced)
        self._done = 0
        self._left.clear()

    async def _slice(self, since: datetime, until: datetime) -> None:
        while await self._round(since, until):
            pass

    async def _round(self, since: datetime, until: datetime) -> int:
        """Go through an hour; how many articles of other models were found in it."""
        found = 0
        async for some in handfuls(self._newsroom, since, until):
            others = [each for each in some if self._is_to_do(each)]
            found += len(others)
            await self._promote_all(others)
        return found

    def _is_to_do(self, article: Article) -> bool:
        old = article.model_version != self._job.model_version
        return old and article.source_id not in self._left

    async def _promote_all(self, articles: list[Article]) -> None:
        said, _ = await results(self._newsroom, self._analyser, articles)
        shards = (await self._newsroom.setup.current()).shards
        async with asyncio.TaskGroup() as tasks:
            for article, analysis in zip(articles, said, strict=True):
                if analysis is None:
                    self._left.add(article.source_id)
                else:
                    tasks.create_task(self._promote(article, analysis, shards))

    async def _promote(self, article: Article, analysis: Analysis, shards: int) -> None:
        """One article, however often others are in the way."""
        tries = 0
        current: Article | None = article
        while current is not None and current.model_version != analysis.model_version:
            try:
                now = self._newsroom.now()
                await self._newsroom.db.run(promote(current, analysis, now=now, shards=shards))
                self._done += 1
                return
            except TransactionCancelled as cancelled:
                if not in_the_way(cancelled):
                    log.error("article %s stays with its model: %s", article.source_id, cancelled)
                    self._left.add(article.source_id)
                    return
            except (Unavailable, OutcomeUnknown) as error:
                log.warning("article %s is tried again: %s", article.source_id, error)
            tries += 1
            await asyncio.sleep(pause(tries, random.random()))
            key = article.source_id, article.timestamp
            current = await self._newsroom.db.run(article_to_promote(*key))
