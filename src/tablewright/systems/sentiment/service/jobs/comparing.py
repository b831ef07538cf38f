"""What another model says about the articles of some time, beside what the active one said.

An hour is worked on as a whole. Its results are stored one by one, and may be stored again; what it
adds to the report, and that it is done, are one write, which only succeeds from where the job was.
So a job that was killed goes on with the hour that it was at, and counts no article twice.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.systems.sentiment.analysers.analyser import Analyser
from tablewright.systems.sentiment.articles import Analysis, Article
from tablewright.systems.sentiment.changes import save_result
from tablewright.systems.sentiment.config import Job
from tablewright.systems.sentiment.rules.comparison import Tallies
from tablewright.systems.sentiment.service.jobs.results import results
from tablewright.systems.sentiment.service.jobs.slices import first_after, handfuls, next_hour
from tablewright.systems.sentiment.writes import advance_job, move_job

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


class Comparing:
    """One job at work."""

    def __init__(self, newsroom: Newsroom, job: Job, analyser: Analyser) -> None:
        self._newsroom = newsroom
        self._job = job
        self._analyser = analyser
        self._tallies = Tallies.of(job.report)
        self._done = self._skipped = 0

    async def run(self) -> None:
        """To its end; ConditionFailed if it was cancelled."""
        at, until = self._job.cursor or self._job.since, self._job.until
        while (first := await first_after(self._newsroom, at, until)) is not None:
            at = next_hour(first, until)
            await self._slice(first, at)
            await self._advance(at)
        moved = move_job(self._job.job_id, "compared", self._tallies.report())
        await self._newsroom.db.run(moved)

    async def _slice(self, since: datetime, until: datetime) -> None:
        async for some in handfuls(self._newsroom, since, until):
            await self._compare(some)

    async def _compare(self, articles: list[Article]) -> None:
        said, new = await results(self._newsroom, self._analyser, articles)
        saves = []
        for article, analysis, is_new in zip(articles, said, new, strict=True):
            if analysis is None:
                self._skipped += 1
                continue
            if is_new and article.model_version != analysis.model_version:
                saves.append(save_result(article, analysis))
            self._count(article, analysis)
        await asyncio.gather(*(self._newsroom.db.run(each) for each in saves))

    def _count(self, article: Article, analysis: Analysis) -> None:
        old = article.analysis.label
        new = old if article.model_version == analysis.model_version else analysis.label
        verdict = None if article.override is None else article.override.to
        self._tallies.add(article.source_id, old, new, verdict)
        self._done += 1

    async def _advance(self, cursor: datetime) -> None:
        advanced = advance_job(self._job, cursor, self._done, self._skipped, self._tallies.report())
        self._job = await self._newsroom.db.run(advanced)
        self._done = self._skipped = 0
