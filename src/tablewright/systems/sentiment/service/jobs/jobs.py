"""Jobs: a model is compared with the active one, promoted, and rolled back by promoting the old.

A job is ``running`` until it is ``compared``; promoted by a person, it is ``promoting`` until it is
``promoted``. Each step is a write on condition of the state before, with an entry in the audit log.
"""

from __future__ import annotations

import builtins
import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model import Op, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.kit import audit
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.sentiment.config import Job
from tablewright.systems.sentiment.config_reads import (
    job as job_of,
)
from tablewright.systems.sentiment.config_reads import (
    jobs as all_jobs,
)
from tablewright.systems.sentiment.service.jobs.comparing import Comparing
from tablewright.systems.sentiment.service.jobs.promoting import Promoting
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE
from tablewright.systems.sentiment.writes import (
    activate_model,
    begin_promotion,
    move_job,
    start_job,
)

if TYPE_CHECKING:
    from tablewright.client import Page
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

_KEPT = timedelta(days=90)


class Jobs:
    """Comparisons and promotions."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    # --- what people ask for ---------------------------------------------------------------------

    async def list(self, limit: int = 20, cursor: str | None = None) -> Page[Job]:
        """All jobs, the latest first."""
        return await self._newsroom.db.run(all_jobs(), limit=limit, cursor=cursor)

    async def get(self, job_id: str) -> Job:
        found = await self._newsroom.db.run(job_of(job_id))
        if found is None:
            raise not_found("job")
        return found

    async def start(
        self, model_version: str, since: datetime, until: datetime, principal: Actor
    ) -> Job:
        """Compare a model with the active one over the articles of some time."""
        newsroom = self._newsroom
        now = newsroom.now()
        until, since = min(until, now), max(since, now - ARTICLE_LIFE)
        if since >= until:
            raise Problem(422, "BAD_RANGE", "since lies before until, and within the last 30 days.")
        await newsroom.models.loaded(model_version)
        active = await self._active()
        if active == model_version:
            raise conflict("ALREADY_ACTIVE", "That is the model that is active.")
        job = Job(
            job_id=newsroom.runtime.ids(),
            model_version=model_version,
            old_version=active,
            since=since,
            until=until,
            cursor=since,
            ttl_timestamp=now + _KEPT,
        )
        detail = {"model": model_version, "since": since, "until": until}
        await self._run(start_job(job), "reanalysis.start", job, principal, detail)
        return await self.get(job.job_id)

    async def cancel(self, job_id: str, principal: Actor) -> Job:
        """End a comparison; the results that it has stored stay."""
        job = await self.get(job_id)
        await self._run(move_job(job_id, "cancelled"), "reanalysis.cancel", job, principal)
        return await self.get(job_id)

    async def promote(self, job_id: str, principal: Actor) -> Job:
        """From now on the job's model is the active one, and all articles follow."""
        job = await self.get(job_id)
        await self._check_alone(job.job_id)
        return await self._promote(job, principal)

    async def _promote(self, job: Job, principal: Actor) -> Job:
        newsroom = self._newsroom
        await newsroom.models.loaded(job.model_version)
        now = newsroom.now()
        begun = begin_promotion(job.job_id, now=now, cursor=now - ARTICLE_LIFE)
        flipped = together(activate_model(job.model_version), begun)
        detail = {"model": job.model_version, "instead_of": await self._active()}
        await self._run(flipped, "reanalysis.promote", job, principal, detail)
        newsroom.setup.forget()
        return await self.get(job.job_id)

    async def rollback(self, job_id: str, principal: Actor) -> Job:
        """Promote the model that was active before a job's; gives the new job that does it.

        A promotion that is under way ends as failed once it sees that its model is not active.
        """
        newsroom = self._newsroom
        job = await self.get(job_id)
        if job.state not in ("promoting", "promoted"):
            raise _state(job)
        back = job.model_copy(
            update={
                "job_id": newsroom.runtime.ids(),
                "state": "compared",
                "model_version": job.old_version,
                "old_version": job.model_version,
                "report": None,
                "done": 0,
                "skipped": 0,
                "ttl_timestamp": newsroom.now() + _KEPT,
            }
        )
        if await self._active() != job.model_version:
            raise conflict("JOB_STATE", "Its model is not the active one.")
        await newsroom.models.loaded(back.model_version)
        await self._check_alone(job.job_id)
        await self._run(start_job(back), "reanalysis.rollback", back, principal)
        return await self._promote(back, principal)

    async def _check_alone(self, job_id: str) -> None:
        """That no other model is being promoted: one would undo what the other does."""
        async for each in self._newsroom.db.iterate(all_jobs()):
            if each.state == "promoting" and each.job_id != job_id:
                raise conflict("JOB_STATE", f"Job {each.job_id} is promoting another model.")

    async def _active(self) -> str:
        self._newsroom.setup.forget()
        return str((await self._newsroom.setup.current()).active_model)

    async def _run(
        self,
        op: Op[object],
        action: str,
        job: Job,
        principal: Actor,
        detail: Mapping[str, object] | None = None,
    ) -> None:
        """A step of a job, with its entry in the audit log."""
        at = self._newsroom.now()
        entry = audit.record(principal, action, f"job/{job.job_id}", at=at, detail=detail)
        try:
            await self._newsroom.db.run(together(op, entry))
        except TransactionCancelled as cancelled:
            if all(isinstance(each.error, ConditionFailed) for each in cancelled.failures):
                raise _state(await self.get(job.job_id)) from cancelled
            raise

    # --- the work --------------------------------------------------------------------------------

    async def work(self) -> None:
        """Do what there is to do, the oldest job first."""
        for job_id in sorted(await self._unfinished()):
            job = await self.get(job_id)
            try:
                await self._work_on(job)
            except ConditionFailed:
                log.info("job %s has been stopped, or somebody else is at it", job_id)
            except Problem as problem:
                # Its model cannot be had in this process; another job's can.
                log.warning("job %s has to wait: %s", job_id, problem.detail)

    async def _unfinished(self) -> builtins.list[str]:
        return [
            each.job_id
            async for each in self._newsroom.db.iterate(all_jobs())
            if each.state in ("running", "promoting")
        ]

    async def _work_on(self, job: Job) -> None:
        newsroom = self._newsroom
        if job.state not in ("running", "promoting"):
            return
        analyser = await newsroom.models.loaded(job.model_version)
        if job.state == "running":
            await Comparing(newsroom, job, analyser).run()
            return
        promoting = Promoting(newsroom, job, analyser)
        if newsroom.now() >= promoting.begins:
            await promoting.run()


def _state(job: Job) -> Problem:
    return conflict("JOB_STATE", f"The job is {job.state}, which does not allow it.")
