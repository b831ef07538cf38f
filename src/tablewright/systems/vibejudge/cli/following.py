"""How far a job is: looked at again and again, for people and for programs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field

from tablewright.service.wording import plain
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, HackathonCost, Task
from tablewright.systems.vibejudge.bodies.jobs import job_out, spend_out, task_out
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.cli.words import usd
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.rules.job_states import ended_tasks

#: Seconds between looks, and how many tasks a look may read for each second that has passed.
NEAR_SECS, FAR_SECS, _TASKS_A_SECOND = 0.25, 1.0, 50.0
#: Of those in work, the teams that are named.
_NAMED = 4
#: Submissions that are read at once.
_TOGETHER = 100


@dataclass
class Picture:
    """What is known of a job."""

    job: AnalysisJob
    tasks: dict[str, Task] = field(default_factory=dict)
    cost: HackathonCost | None = None
    #: Teams, by submission, as far as they have been asked for.
    teams: dict[str, str] = field(default_factory=dict)

    @property
    def over(self) -> bool:
        return self.job.status not in ("queued", "running")

    def said(self) -> str:
        """In one line."""
        job = self.job
        if job.status == "queued":
            return "queued: its submissions are being counted"
        parts = [f"{ended_tasks(job):,} of {job.total_submissions:,} judged"]
        for count, word in (
            (job.failed_submissions, "failed"),
            (job.blocked_submissions, "blocked"),
        ):
            parts += [f"{count:,} {word}"] if count else []
        if self.cost is not None and self.cost.total_cost_usd:
            parts.append(f"{usd(self.cost.total_cost_usd)} spent")
        named = [plain(self.teams.get(each, each)) for each in self.in_work()]
        more = ", ..." if len(named) > _NAMED else ""
        now = f"; now {', '.join(named[:_NAMED])}{more}" if named else ""
        return f"{'cancelling' if job.cancel_asked_at else job.status}: {', '.join(parts)}{now}"

    def in_work(self) -> list[str]:
        return [each.sub_id for each in self.tasks.values() if each.state == "leased"]


class Following:
    """One job, looked at until it ends."""

    def __init__(self, courtroom: Courtroom, job: AnalysisJob, *, all_teams: bool = False) -> None:
        self._courtroom = courtroom
        self._all_teams = all_teams
        self._looked_at = float("-inf")
        self.picture = Picture(job)
        #: Seconds between looks.
        self.pause = FAR_SECS

    async def pictures(self) -> AsyncIterator[Picture]:
        """What is known after each look; the last one is of a job that is over."""
        while True:
            await self.look()
            yield self.picture
            if self.picture.over:
                return
            await asyncio.sleep(self.pause)

    async def look(self) -> None:
        picture, db = self.picture, self._courtroom.db
        found = await db.run(job_reads.job(picture.job.hack_id, picture.job.job_id))
        if found is None:  # erased meanwhile, or 30 days old
            picture.job = picture.job.model_copy(update={"status": "cancelled"})
            return
        picture.job = found
        since = time.monotonic() - self._looked_at
        if picture.over or since >= len(picture.tasks) / _TASKS_A_SECOND:
            await self._look_at_tasks()

    async def _look_at_tasks(self) -> None:
        picture, db = self.picture, self._courtroom.db
        self._looked_at = time.monotonic()
        every = db.iterate(job_reads.tasks_of_job(picture.job.job_id))
        picture.tasks = {each.sub_id: each async for each in every}
        picture.cost = await db.run(reads.hackathon_cost(picture.job.hack_id))
        asked = picture.tasks if self._all_teams else picture.in_work()
        for each in await submissions_of(
            self._courtroom, picture.job.hack_id, set(asked) - picture.teams.keys()
        ):
            picture.teams[each.sub_id] = each.team_name


async def submissions_of(
    courtroom: Courtroom, hack_id: str, sub_ids: Iterable[str]
) -> list[Submission]:
    """Those that are there still, in the order of their ids."""
    ids, found = sorted(sub_ids), []
    for at in range(0, len(ids), _TOGETHER):
        op = reads.submissions_exported(hack_id, ids[at : at + _TOGETHER])
        found += [each for each in await courtroom.db.run(op) if isinstance(each, Submission)]
    return found


class Changes:
    """What is new in a picture, as the API's events tell it: ``job``, ``task``, ``spend``."""

    def __init__(self) -> None:
        self._told: dict[str, object] = {}

    def of(self, picture: Picture) -> list[dict[str, object]]:
        now = {"job": {"event": "job", **job_out(picture.job).model_dump(mode="json")}}
        for task in picture.tasks.values():
            now[task.sub_id] = _task_event(task, picture.teams)
        if picture.cost is not None:
            now["spend"] = {"event": "spend", **spend_out(picture.cost).model_dump(mode="json")}
        fresh = [event for name, event in now.items() if self._told.get(name) != event]
        self._told.update(now)
        return fresh


def _task_event(task: Task, teams: Mapping[str, str]) -> dict[str, object]:
    told = task_out(task).model_dump(mode="json", exclude={"updated_at"})
    return {"event": "task", "team_name": teams.get(task.sub_id), **told}
