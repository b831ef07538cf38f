"""Freezing: the commit that counts is the one at the end.

A timer rings at the end of a hackathon. The head of each submission's repository is asked for and
pinned, once. What a host does not answer is asked for again, less and less often, for two hours;
what is not there, not public or empty is told, and keeps nobody waiting. The timer goes when all
were tried. Whatever is not frozen is analysed at the head that it has then.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.model import together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.in_turn import in_turn
from tablewright.service.kit import audit
from tablewright.service.problems import conflict
from tablewright.systems.vibejudge import job_reads, reads, writes
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission, Timer
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.heads import Head, head_of
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.table import DUE_SHARDS

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger(__name__)

#: Hosts that are asked at once.
_AT_ONCE: Final = 8
#: Of a request; the worker goes on with what it leaves.
_REQUEST_SECS: Final = 20.0
_TAKEN_OVER: Final = timedelta(seconds=60)
#: Asked for again after these, and no more after two hours.
_SOONEST, _LATEST = timedelta(minutes=1), timedelta(minutes=15)
GIVEN_UP: Final = timedelta(hours=2)
#: What may be different the next time.
_PASSING: Final = frozenset({"REPO_UNREACHABLE", "REPO_TIMEOUT", "GIT_UNUSABLE"})


@dataclass(frozen=True)
class Unfrozen:
    """A submission whose commit could not be pinned."""

    submission: Submission
    code: str
    reason: str

    @property
    def passing(self) -> bool:
        return self.code in _PASSING


@dataclass
class Frozen:
    """Which commits are pinned, as far as it is known."""

    #: Just now, and earlier.
    frozen: int = 0
    before: int = 0
    waiting: int = 0
    unfrozen: list[Unfrozen] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Those that are tried again."""
        return self.waiting + sum(each.passing for each in self.unfrozen)


class Freezing:
    """Freezing: the commit that counts is the one at the end."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def now(self, caller: Caller, hack_id: str) -> Frozen:
        """Freeze before the end, or again after it: what its organiser asks for.

        One transaction: a timer that rings soon, and the audit entry. So what this request does not
        get to is done by the worker, and so is all of it if this process ends.
        """
        hackathon = await self._courtroom.hackathons.owned(caller, hack_id)
        if hackathon.status not in ("configured", "completed"):
            detail = f"The hackathon is {hackathon.status}; it can be frozen while it is open or "
            raise conflict("NOT_NOW", f"{detail}completed.")
        now = self._courtroom.now()
        timer = Timer(hack_id=hack_id, due_at=now + _TAKEN_OVER, created_at=now)
        subject = f"hackathon/{hack_id}"
        entry = audit.record(caller.principal, "hackathon.freeze", subject, at=now)
        await settled(self._courtroom.db, lambda: together(writes.set_timer(timer), entry))
        report = Frozen()
        with suppress(TimeoutError):
            async with asyncio.timeout(_REQUEST_SECS):
                await self._rung(timer, hackathon, report, told=True)
        return report

    async def ring(self) -> None:
        """Freeze what has ended; every 30 seconds, by one process."""
        now, db = self._courtroom.now(), self._courtroom.db
        pages = [db.iterate(job_reads.timers_due(shard, now)) for shard in range(DUE_SHARDS)]
        timers = [each for page in pages async for each in page]
        await in_turn(timers, self._ring_one, lambda timer: f"freezing {timer.hack_id}")

    async def _ring_one(self, timer: Timer) -> None:
        hackathon = await self._courtroom.db.run(reads.hackathon(timer.hack_id))
        await self._rung(timer, hackathon, Frozen())

    async def freeze(self, hackathon: HackathonDetail, report: Frozen | None = None) -> Frozen:
        """Pin the head of each submission that has none; what fails does not stop the others."""
        report = report or Frozen()
        waiting: list[Submission] = []
        async for each in self._courtroom.db.iterate(
            reads.submissions_to_freeze(hackathon.hack_id)
        ):
            if each.frozen_sha is not None:
                report.before += 1
            elif each.status != "withdrawn":
                waiting.append(each)
        report.waiting = len(waiting)
        room = asyncio.Semaphore(_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for each in waiting:
                group.create_task(self._pin(each, room, report))
        return report

    # --- one hackathon ---------------------------------------------------------------------------

    async def _rung(
        self,
        timer: Timer,
        hackathon: HackathonDetail | None,
        report: Frozen,
        *,
        told: bool = False,
    ) -> None:
        """Freeze, then stop the timer or set it again.

        One write: the timer, as long as it is the one that rang. What is left over at the end is
        told in the same transaction, so once; ``told``: whoever asked sees it.
        """
        if hackathon is not None and hackathon.status != "archived":
            await self.freeze(hackathon, report)
        again = self._again(timer, hackathon, report)
        try:
            if again is not None:
                await self._courtroom.db.run(writes.move_timer(timer, again))
            elif hackathon is None or told or not report.unfrozen:
                await self._courtroom.db.run(writes.stop_timer(timer))
            else:
                message = self._courtroom.messages.freeze_incomplete(hackathon, report.unfrozen)
                op = together(writes.stop_timer(timer), message)
                await settled(self._courtroom.db, lambda: op)
        except (ConditionFailed, TransactionCancelled) as error:
            # Somebody has set it to another moment since: then it rings.
            if not refused(error):
                raise

    def _again(
        self, timer: Timer, hackathon: HackathonDetail | None, report: Frozen
    ) -> datetime | None:
        """When to try again; None if all were tried often enough."""
        if hackathon is None or hackathon.end_date is None or hackathon.status == "archived":
            return None
        now, end = self._courtroom.now(), hackathon.end_date
        age = now - (end if end <= now else timer.created_at)
        if report.left and age < GIVEN_UP:
            return now + min(max(age, _SOONEST), _LATEST)
        # It was frozen early: who comes later is frozen at the end.
        return end if end > now else None

    async def _pin(self, submission: Submission, room: asyncio.Semaphore, report: Frozen) -> None:
        """One write: the commit, if none is pinned and the repository is still the same."""
        async with room:
            found = await self._head(submission)
        if isinstance(found, Unfrozen):
            report.unfrozen.append(found)
            report.waiting -= 1
            await self._tell(found)
            return
        op = writes.freeze_submission(submission, found.sha, self._courtroom.now())
        try:
            # Hundreds at once: to give up one for a lack of units would be to ask all hosts again.
            await self._courtroom.patient.run(op)
        except ConditionFailed as failed:
            stored = failed.item
            if isinstance(stored, Submission) and stored.frozen_sha is None:
                return  # another repository meanwhile: it waits for the next time
            report.before += 1
        else:
            report.frozen += 1
        report.waiting -= 1

    async def _head(self, submission: Submission) -> Head | Unfrozen:
        try:
            # It waits for a host, in a thread that ends with git's own limits.
            return await asyncio.to_thread(head_of, submission.repo_url, self._courtroom.access)
        except RepoError as error:
            return Unfrozen(submission, error.code, error.reason)
        except OSError:
            log.exception("git could not be started")
            return Unfrozen(submission, "GIT_UNUSABLE", "git could not be started")

    async def _tell(self, missed: Unfrozen) -> None:
        """One write: the reason, as long as nothing is pinned and the submission waits."""
        submission, now = missed.submission, self._courtroom.now()
        log.warning("submission %s is not frozen: %s", submission.sub_id, missed.code)
        told = f"The commit could not be frozen: {missed.reason}."
        with suppress(ConditionFailed):
            await self._courtroom.db.run(
                writes.note_unfrozen(submission.hack_id, submission.sub_id, told, now)
            )
