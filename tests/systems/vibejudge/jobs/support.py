"""Hackathons with real repositories, and analyses that can be held up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.systems.vibejudge import support as people
from tests.systems.vibejudge.repos.support import Repo

from tablewright.clock import Clock
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysing import Analysis, Order
from tablewright.systems.vibejudge.analysing.__main__ import analysed
from tablewright.systems.vibejudge.analysis import AnalysisJob, Run, SubmissionSummary, Task
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.service.analyst import attempt
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing.backends import Backend

CODE = "import os\n\n\ndef main():\n    return eval(os.environ['X'])\n"


def repositories(folder: Path, count: int) -> list[Repo]:
    """Small ones with one commit, the same in all."""
    first = Repo(folder / "app-0")
    first.commit({"app.py": CODE, "README.md": "# App\n"})
    for number in range(1, count):
        copytree(first.folder, folder / f"app-{number}")
    return [first, *(Repo(folder / f"app-{number}") for number in range(1, count))]


#: The same commit, looked at in the same way, gives the same.
_KNOWN: dict[tuple[object, ...], Analysis] = {}


def remembered(order: Order) -> Analysis:
    if not Path(order.url, ".git").exists():
        raise RepoError("REPO_NOT_FOUND", "there is no git repository")
    head = (Path(order.url) / ".git" / "refs" / "heads" / "main").read_text().strip()
    if order.sha not in (None, head):
        return analysed(order)
    key = (head, order.window, order.shown_to)
    if key not in _KNOWN:
        _KNOWN[key] = analysed(order)
    return _KNOWN[key]


@dataclass
class Hold:
    """Stands in for the process of an analysis: the same work in a thread, when it is let."""

    #: Addresses that wait for ``open``, and of those that have begun, in their order.
    held: set[str] = field(default_factory=set)
    begun: list[Order] = field(default_factory=list)
    opened: asyncio.Event = field(default_factory=asyncio.Event)
    #: Raised instead of an analysis, one for each that begins.
    errors: list[Exception] = field(default_factory=list)

    async def run(self, order: Order, *, timeout: float = 0) -> Analysis:
        self.begun.append(order)
        if self.errors:
            raise self.errors.pop(0)
        if order.url in self.held:
            await self.opened.wait()
        return await asyncio.to_thread(remembered, order)

    async def until(self, count: int) -> None:
        """Until so many have begun."""
        async with asyncio.timeout(20):
            while len(self.begun) < count:
                await asyncio.sleep(0.01)


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Hold:
    made = Hold()
    monkeypatch.setattr(attempt, "analysed", made.run)
    return made


@dataclass(frozen=True)
class Case:
    """A hackathon with submissions, and whose it is."""

    courtroom: Courtroom
    caller: Caller
    hackathon: HackathonDetail
    submissions: tuple[Submission, ...]

    @property
    def hack_id(self) -> str:
        return self.hackathon.hack_id

    def on(self, courtroom: Courtroom) -> Case:
        """The same, as another process knows it."""
        return Case(courtroom, self.caller, self.hackathon, self.submissions)

    async def start(self) -> AnalysisJob:
        """A job with all of its tasks."""
        job = await self.courtroom.jobs.start(self.caller, self.hack_id)
        await self.courtroom.jobs.settle()
        return job

    async def job(self, job_id: str) -> AnalysisJob:
        return await self.courtroom.db.require(job_reads.job(self.hack_id, job_id))

    async def status(self) -> tuple[str, str | None]:
        found = await self.courtroom.db.require(reads.hackathon(self.hack_id))
        listed = await self.courtroom.db.require(reads.hackathon_of_id(self.hack_id))
        assert listed.status == found.status
        return found.status, found.active_job_id

    async def tasks(self, job_id: str) -> dict[str, Task]:
        """By the team's number."""
        found = self.courtroom.db.iterate(job_reads.tasks_of_job(job_id))
        return {each.sub_id: each async for each in found}

    async def states(self, job_id: str) -> list[str]:
        found = await self.tasks(job_id)
        return [found[each.sub_id].state for each in self.submissions if each.sub_id in found]

    async def submission(self, number: int) -> Submission:
        sub_id = self.submissions[number].sub_id
        return await self.courtroom.db.require(reads.submission(self.hack_id, sub_id))

    async def statuses(self) -> list[str]:
        return [(await self.submission(n)).status for n in range(len(self.submissions))]

    async def summary(self, number: int) -> SubmissionSummary | None:
        return await self.courtroom.db.run(
            reads.submission_summary(self.submissions[number].sub_id)
        )

    async def runs(self, number: int) -> list[Run]:
        op = reads.runs_of_submission(self.submissions[number].sub_id)
        return [each async for each in self.courtroom.db.iterate(op)]


@asynccontextmanager
async def case_on(
    backend: Backend, clock: Clock, repos: Iterable[Repo], **options: Any
) -> AsyncIterator[Case]:
    """A hackathon to which all of these were handed in."""
    repos = list(repos)
    async with process_on(backend, clock, repos, **options) as courtroom:
        caller = await people.organizer(courtroom)
        yield await case(courtroom, caller, repos)


def process_on(backend: Backend, clock: Clock, repos: Iterable[Repo], **options: Any) -> Any:
    """A process that may read these repositories."""
    root = next(iter(repos)).folder.parent
    given = {"allow_local_paths": True, "local_root": root, "processes": 4, **options}
    return people.courtroom_on(backend, clock, **given)


async def case(courtroom: Courtroom, caller: Caller, repos: Iterable[Repo], **said: Any) -> Case:
    # It has ended: a run before the end would be a trial.
    over = {
        "start_date": people.moment(people.NOW - timedelta(days=3)),
        "end_date": people.moment(people.NOW - timedelta(hours=1)),
    }
    made = await people.hackathon(courtroom, caller, **{**over, **said})
    submissions = [
        await people.submission(courtroom, made, repo_url=str(each.folder)) for each in repos
    ]
    return Case(courtroom, caller, made, tuple(submissions))


def counts(job: AnalysisJob) -> tuple[int, ...]:
    """Total, completed, failed, blocked, cancelled."""
    return (
        job.total_submissions,
        job.completed_submissions,
        job.failed_submissions,
        job.blocked_submissions,
        job.cancelled_submissions,
    )
