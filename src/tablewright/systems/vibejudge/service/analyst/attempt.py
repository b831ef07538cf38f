"""One attempt at a task, from the repository to the result, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.systems.vibejudge import task_writes
from tablewright.systems.vibejudge.analysing import Analysis, AnalysisFailed, Order
from tablewright.systems.vibejudge.analysing import run as analysed
from tablewright.systems.vibejudge.analysis import Fingerprint
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.rules.verdicts import outside_dates
from tablewright.systems.vibejudge.service.analyst.beating import beat_until_lost
from tablewright.systems.vibejudge.service.analyst.claiming import Claim
from tablewright.systems.vibejudge.service.analyst.judging import Judging
from tablewright.systems.vibejudge.service.analyst.publishing import (
    Cancelled,
    Lost,
    NobodyAnswered,
    Publishing,
    Seen,
)
from tablewright.systems.vibejudge.static import Window

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: ``cancel``: the job is to end. ``leave``: this process does, and others go on.
Stop: TypeAlias = Literal["cancel", "leave"]

#: Attempts before a task is given up.
MOST_TRIES: Final = 3
#: What may go better a little later.
_PASSING: Final = frozenset(
    {"REPO_UNREACHABLE", "REPO_TIMEOUT", "GIT_UNUSABLE", "ANALYSIS_FAILED", "INTERNAL", "STORE"}
)
#: What the organiser and the team read of a submission without code.
NO_CODE: Final = (
    "Not assessed: the repository has no source code in a programming language. "
    "Check that the team submitted the right repository and branch."
)
_OUT_OF_TIME: Final = frozenset({"REPO_TIMEOUT", "ANALYSIS_TIMEOUT", "TASK_TIMEOUT"})
_FIRST_PAUSE: Final = timedelta(seconds=5)
#: A process that ends has so long to say so.
_GRACE_SECS: Final = 3.0


class Moved(Exception):
    """Another commit was pinned, by somebody who had the task before: look at that one."""


class Attempt:
    """A task that is ours, until it ends or is lost."""

    def __init__(self, courtroom: Courtroom, claim: Claim, seat_free: Callable[[], None]) -> None:
        self._courtroom = courtroom
        self.claim = claim
        self._publishing = Publishing(courtroom)
        self._judging = Judging(courtroom)
        # Called once, when no process of this machine works for it any more.
        self._seat_free = seat_free
        self._stopped: asyncio.Future[Stop] | None = None
        self._stop: Stop | None = None

    def stop(self, how: Stop) -> None:
        """End it at the next opportunity, and write nothing but that."""
        self._stop = self._stop or how
        if self._stopped is not None and not self._stopped.done():
            self._stopped.set_result(self._stop)

    async def run(self) -> None:
        """To its end, whatever that is; nothing is raised but that this is cancelled."""
        self._stopped = asyncio.get_running_loop().create_future()
        if self._stop is not None:
            self._stopped.set_result(self._stop)
        try:
            await self._run(self._stopped)
        except (Lost, ConditionFailed):
            log.info("task %s is somebody else's by now", self.claim.task.sub_id)
        except Exception:
            # Its lease ends, and then somebody tries again.
            log.exception("task %s was left as it is", self.claim.task.sub_id)
        finally:
            self._seat_free()

    async def _run(self, stopped: asyncio.Future[Stop]) -> None:
        work = asyncio.ensure_future(self._work())
        beats = asyncio.ensure_future(beat_until_lost(self._courtroom, self.claim.task))
        secs = self._courtroom.options.task_secs
        try:
            ends: set[asyncio.Future[Any]] = {work, beats, stopped}
            await asyncio.wait(ends, timeout=secs, return_when=asyncio.FIRST_COMPLETED)
            in_time = work.done()
            await _ended(work)
            if in_time:
                await self._conclude(work)
            elif stopped.done():
                await self._obey(stopped.result())
            elif not beats.done():
                await self._fail("TASK_TIMEOUT", f"It took more than {secs:g} seconds.")
        finally:
            await _ended(work)
            await _ended(beats)

    # --- the work --------------------------------------------------------------------------------

    async def _work(self) -> None:
        claim, began = self.claim, time.perf_counter()
        if claim.task.tries > MOST_TRIES:
            return await self._publishing.fail(
                claim, "failed", "ATTEMPTS_USED_UP", "Three attempts have come to nothing."
            )
        analysis = await self._analysis()
        seen = await self._begun(analysis)
        if not analysis.code_lines:
            # No model is asked, and paid, to judge nothing.
            return await self._publishing.fail(claim, "failed", "NO_CODE", NO_CODE)
        findings = await self._judging.judge(claim, analysis)
        if findings.blocked is not None:
            return await self._publishing.block(claim, findings.blocked)
        totals = replace(findings.totals, duration_ms=round(1000 * (time.perf_counter() - began)))
        flags = (*outside_dates(analysis.outside_window), *analysis.talks)
        await self._publishing.publish(claim, seen, findings, flags, totals)

    async def _analysis(self) -> Analysis:
        """The repository, read and measured in a process of its own."""
        try:
            return await analysed(self._order(), timeout=self._courtroom.options.task_secs)
        finally:
            # Others read while this one waits for models, or writes.
            self._seat_free()

    def _order(self) -> Order:
        hackathon, run = self.claim.hackathon, self.claim.run
        start, end = hackathon.start_date, hackathon.end_date
        return Order(
            self.claim.submission.repo_url,
            # It may have been frozen after a first attempt that came to nothing.
            sha=run.commit_sha or self.claim.submission.frozen_sha,
            window=Window(start, end) if start and end else None,
            access=self._courtroom.access,
            shown_to=() if run.provider == "static" else tuple(hackathon.agents_enabled),
        )

    async def _begun(self, analysis: Analysis) -> Seen:
        """The commit is pinned before anything is said about it; what was seen there.

        Each is one write. Their conditions: no other commit was pinned; the submission is in work.
        """
        db, now, run = self._courtroom.patient, self._courtroom.now(), self.claim.run
        meta = await self._courtroom.workflows.added(self.claim.submission, analysis.meta)
        if run.commit_sha is None:
            try:
                await db.run(task_writes.pin_commit(run, analysis.sha, now))
            except ConditionFailed:
                raise Moved from None
        mark = Fingerprint(
            hack_id=run.hack_id, sub_id=run.sub_id, minhash=analysis.fingerprint, created_at=now
        )
        try:
            await db.run(task_writes.begin_analysis(self.claim.task, now))
        except ConditionFailed:
            raise Cancelled from None
        await db.run(task_writes.store_fingerprint(mark))
        return Seen(meta, analysis.default_branch)

    # --- the end ---------------------------------------------------------------------------------

    async def _conclude(self, work: asyncio.Future[None]) -> None:
        """What became of the work, once it is over."""
        error = work.exception()
        if error is None:
            return
        if isinstance(error, Cancelled):
            await self._publishing.cancel_if_so(self.claim.task)
        elif isinstance(error, Moved):
            await self._publishing.put_back(self.claim.task, _FIRST_PAUSE, self.claim.task.tries)
        elif isinstance(error, NobodyAnswered):
            await self._fail("NO_AGENT_ANSWERED", "No agent has given an answer.")
        elif isinstance(error, RepoError):
            await self._retry_or_fail(error.code, error.reason)
        elif isinstance(error, AnalysisFailed):
            await self._retry_or_fail(error.code, str(error))
        elif isinstance(error, Lost | ConditionFailed) or not isinstance(error, Exception):
            raise error
        else:
            log.error("task %s: %s", self.claim.task.sub_id, error, exc_info=error)
            code = "STORE" if isinstance(error, TablewrightError) else "INTERNAL"
            await self._retry_or_fail(code, "Something went wrong on our side.")

    async def _retry_or_fail(self, code: str, reason: str) -> None:
        tries = self.claim.task.tries
        if code in _PASSING and tries < MOST_TRIES:
            log.info("task %s is tried again: %s", self.claim.task.sub_id, reason)
            pause = _FIRST_PAUSE * 4 ** (tries - 1)
            await self._publishing.put_back(self.claim.task, pause, tries)
        else:
            await self._fail(code, reason)

    async def _fail(self, code: str, reason: str) -> None:
        status: Literal["failed", "timeout"] = "timeout" if code in _OUT_OF_TIME else "failed"
        try:
            await self._publishing.fail(self.claim, status, code, reason)
        except Cancelled:
            await self._publishing.cancel_if_so(self.claim.task)

    async def _obey(self, stop: Stop) -> None:
        if stop == "cancel":
            await self._publishing.cancel(self.claim.task)
            return
        # The attempt was not the submission's fault: it does not count.
        task = self.claim.task
        async with asyncio.timeout(_GRACE_SECS):
            await self._publishing.put_back(task, timedelta(0), task.tries - 1)


async def _ended(task: asyncio.Future[None]) -> None:
    """Make it end, and wait until it has."""
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
