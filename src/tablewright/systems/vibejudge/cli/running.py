"""``run``, ``cancel``, ``resume``, ``watch``: analyses of all submissions of a hackathon."""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import facts
from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.cli.words import Yes, usd
from tablewright.systems.vibejudge.rules.spoken import spoken

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.analysis import AnalysisJob, JobScope
    from tablewright.systems.vibejudge.cli.following import Picture
    from tablewright.systems.vibejudge.entities import HackathonDetail
    from tablewright.systems.vibejudge.service.budgets import JobEstimate

NoWait = Annotated[bool, Parameter(name="--no-wait", negative=())]
#: How often is looked whether anybody works here.
_WHO_SECS = 5.0
#: Submissions in trouble that are shown; a program gets all.
_SHOWN = 20


async def run(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    failed: Annotated[bool, Parameter(negative=())] = False,
    team: str | None = None,
    yes: Annotated[bool, Yes] = False,
    no_wait: NoWait = False,
) -> Answer:
    """Analyse the submissions of a hackathon, and follow it to the end.

    Where vibejudge runs, its workers do it; else this command does. What was interrupted goes on
    with the next run. If models are asked, it is said before what that may cost. If a submission
    could not be analysed, the exit code is 1. A run before the end of the hackathon is a trial:
    teams go on handing in.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    failed
        Analyse only the submissions that failed before, and pay only for these.
    team
        Analyse only the submission of this team: its name or the submission's id.
    yes
        Do not ask whether the cost is fine.
    no_wait
        Do not wait for the end: watch shows how far it is.
    """
    if failed and team is not None:
        raise invalid(FieldError("--failed", "choose --failed or --team, not both"))
    found = await meant.hackathon(courtroom, desk, hackathon)
    sub_id = None
    if team is not None:
        _, submission = await meant.submission(courtroom, desk, team, found.hack_id)
        sub_id = submission.sub_id
    scope: JobScope = "failed" if failed else "all" if sub_id is None else "one"
    async with courtroom.lifespan():
        job = await _begun(courtroom, desk, found, yes, scope, sub_id)
        await courtroom.jobs.settle()
        return await _followed(courtroom, desk, job, no_wait)


async def resume(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    no_wait: NoWait = False,
) -> Answer:
    """Let a job that failed or was cancelled do the rest, and follow it to the end.

    What it has done stays, and agents that have answered are not asked again.

    Parameters
    ----------
    hackathon
        A hackathon, whose latest job is meant, or a job: an id, or the hackathon's name.
    no_wait
        Do not wait for the end: watch shows how far it is.
    """
    job = await meant.job(courtroom, desk, hackathon)
    async with courtroom.lifespan():
        state = await courtroom.jobs.resume(meant.typist(desk), job.hack_id, job.job_id)
        await courtroom.jobs.settle()
        return await _followed(courtroom, desk, state.job, no_wait)


async def cancel(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    no_wait: NoWait = False,
) -> Answer:
    """End a job: what waits is not analysed, what is in work publishes nothing. Costs stay.

    Parameters
    ----------
    hackathon
        A hackathon, whose job is meant, or a job: an id, or the hackathon's name.
    no_wait
        Do not wait until what is in work has stopped.
    """
    job = await meant.job(courtroom, desk, hackathon)
    async with courtroom.lifespan():
        state = await courtroom.jobs.cancel(meant.typist(desk), job.hack_id, job.job_id)
        await courtroom.jobs.settle()
        ended = state.job if no_wait else (await _finished(courtroom, desk, state.job)).job
        answer = await _answer(courtroom, ended)
    return Answer(answer.lines, answer.data)


async def watch(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    lines: Annotated[bool, Parameter(negative=())] = False,
) -> Answer:
    """Show how far a job is, until it ends. Nothing is changed.

    If a submission could not be analysed, or nobody works on it, the exit code is 1.

    Parameters
    ----------
    hackathon
        A hackathon, whose latest job is meant, or a job: an id, or the hackathon's name.
    lines
        Print every change as a line of JSON (job, task, spend, end) instead.
    """
    from tablewright.systems.vibejudge.cli.following import Changes, Following

    if lines and desk.json:
        raise invalid(FieldError("--lines", "is for programs already: leave --json out"))
    following = Following(courtroom, await meant.job(courtroom, desk, hackathon), all_teams=lines)
    changes, looked_at = Changes(), float("-inf")
    async for picture in following.pictures():
        if lines:
            _write(desk, *changes.of(picture))
        desk.tick(picture.said())
        if not picture.over and time.monotonic() - looked_at >= _WHO_SECS:
            looked_at = time.monotonic()
            if not await _at_work(courtroom, desk, picture):
                return await _abandoned(courtroom, desk, picture, lines)
    if lines:
        _write(desk, {"event": "end", "status": picture.job.status})
        return Answer(ok=_is_well(picture.job))
    return await _answer(courtroom, picture.job)


# --- beginning -----------------------------------------------------------------------------------


async def _begun(
    courtroom: Courtroom,
    desk: Desk,
    found: HackathonDetail,
    yes: bool,
    scope: JobScope,
    sub_id: str | None,
) -> AnalysisJob:
    """A new job; or the one that was begun, where nobody goes on with it."""
    from tablewright.systems.vibejudge.cli.working import is_worked_on

    active = found.active_job_id
    if active is None:
        await _agreed(courtroom, desk, found, yes, scope)
        by = meant.typist(desk)
        return await courtroom.jobs.start(by, found.hack_id, scope=scope, sub_id=sub_id)
    if desk.joined or await is_worked_on(courtroom):
        hint = f"tablewright vibejudge watch {found.hack_id} shows how far it is."
        detail = f"{plain(found.name)} is being analysed."
        raise Problem(409, "JOB_ACTIVE", detail, extra={"hint": hint, "job_id": active})
    _, job = await courtroom.jobs.owned(meant.typist(desk), found.hack_id, active)
    return job


async def _agreed(
    courtroom: Courtroom, desk: Desk, found: HackathonDetail, yes: bool, scope: JobScope
) -> None:
    """Somebody has seen what it may cost, if it costs anything."""
    from tablewright.service.agreeing import agreed
    from tablewright.systems.vibejudge.bodies.costs import estimate_out

    if found.agent_provider == "static":
        return
    desk.tick("reading some repositories, to estimate what it costs")
    estimate = await courtroom.budgets.estimate(meant.typist(desk), found.hack_id)
    if scope != "all":
        estimate = _of_some(estimate, await _number_of(courtroom, found, scope))
    if not estimate.total_usd:
        return
    said = _estimated(estimate)
    if yes and not desk.json:
        desk.tick("")
        desk.stdout.write(("\n".join(said) + "\n").encode())
        desk.stdout.flush()
    told = {"estimate": estimate_out(estimate).model_dump(mode="json")}
    agreed(desk, yes, "Analyse them?", said, told)


async def _number_of(courtroom: Courtroom, found: HackathonDetail, scope: JobScope) -> int:
    """Count the submissions of a retry."""
    from tablewright.systems.vibejudge import reads
    from tablewright.systems.vibejudge.rules.job_states import FAILED

    if scope == "one":
        return 1
    listed = courtroom.db.iterate(reads.submissions(found.hack_id))
    return len([each async for each in listed if each.status in FAILED])


def _of_some(estimate: JobEstimate, number: int) -> JobEstimate:
    """Return the estimate for some of the submissions: each costs what it costs on average."""
    total = estimate.submission_usd * number
    return replace(estimate, submissions=number, total_usd=total)


def _estimated(estimate: JobEstimate) -> list[str]:
    many = several(estimate.submissions, "submission")
    lines = [
        f"Models of {estimate.hackathon.agent_provider} for {many}: about "
        f"{usd(estimate.total_usd)}, {usd(estimate.submission_usd)} each; "
        f"{usd(estimate.remaining_usd)} of the budget are left."
    ]
    if estimate.basis == "most":
        lines.append("No repository could be read, so this is the most it can be.")
    if not estimate.enough:
        lines.append("The budget will not do for all: the rest waits until it is raised.")
    return lines


# --- following -----------------------------------------------------------------------------------


async def _followed(courtroom: Courtroom, desk: Desk, job: AnalysisJob, no_wait: bool) -> Answer:
    if not no_wait:
        return await _answer(courtroom, (await _finished(courtroom, desk, job)).job)
    from tablewright.systems.vibejudge.bodies.jobs import job_out
    from tablewright.systems.vibejudge.cli.working import is_worked_on

    elsewhere = desk.joined or await is_worked_on(courtroom)
    line = (
        f"See how far it is: tablewright vibejudge watch {job.hack_id}"
        if elsewhere
        else "Nobody works here: tablewright up does it, and so does run without --no-wait."
    )
    return Answer([f"The job {job.job_id} has begun.", line], job_out(job).model_dump(mode="json"))


async def _finished(courtroom: Courtroom, desk: Desk, job: AnalysisJob) -> Picture:
    """The job at its end. If nobody else works here, it is worked on beside the looking."""
    from tablewright.systems.vibejudge.cli.following import NEAR_SECS, Following
    from tablewright.systems.vibejudge.cli.working import is_worked_on, worked_on

    following, working, looked_at = Following(courtroom, job), None, float("-inf")
    async with AsyncExitStack() as stack:
        async for picture in following.pictures():
            desk.tick(picture.said())
            if working is not None and working.done():
                working.result()
            alone = working is None and not desk.joined and not picture.over
            if alone and time.monotonic() - looked_at >= _WHO_SECS:
                looked_at = time.monotonic()
                if not await is_worked_on(courtroom):
                    working = await stack.enter_async_context(worked_on(courtroom))
                    following.pause = NEAR_SECS
    return following.picture


async def _at_work(courtroom: Courtroom, desk: Desk, picture: Picture) -> bool:
    """Whether anybody is: a process that runs here, or another command."""
    from tablewright.systems.vibejudge.cli.working import is_worked_on

    now = courtroom.now()
    leased = (each.lease_until for each in picture.tasks.values() if each.state == "leased")
    return (
        desk.joined
        or any(until is not None and until > now for until in leased)
        or await is_worked_on(courtroom)
    )


# --- showing -------------------------------------------------------------------------------------


async def _abandoned(courtroom: Courtroom, desk: Desk, picture: Picture, lines: bool) -> Answer:
    hack_id = picture.job.hack_id
    told = f"Nobody works on it here: tablewright vibejudge run {hack_id} goes on with it."
    if lines:
        _write(desk, {"event": "end", "status": picture.job.status, "detail": told})
        return Answer(ok=False)
    answer = await _answer(courtroom, picture.job)
    return Answer([*answer.lines, Styled(told, "yellow")], answer.data, ok=False)


def _write(desk: Desk, *events: dict[str, object]) -> None:
    for each in events:
        desk.stdout.write(json.dumps(each).encode() + b"\n")
    desk.stdout.flush()


async def _answer(courtroom: Courtroom, job: AnalysisJob) -> Answer:
    """What a job has come to, and which submissions it could not analyse."""
    from tablewright.systems.vibejudge import reads
    from tablewright.systems.vibejudge.bodies.jobs import job_out, spend_out

    trouble = await _trouble(courtroom, job)
    cost = await courtroom.db.run(reads.hackathon_cost(job.hack_id))
    spend = None if cost is None else spend_out(cost)
    pairs: list[tuple[str, object]] = [
        ("job", job.job_id),
        ("state", "cancelling" if _cancelling(job) else job.status),
        ("submissions", f"{job.total_submissions:,}"),
        *(
            (spoken(name), f"{count:,}")
            for name in ("completed", "failed", "blocked", "cancelled")
            if (count := getattr(job, f"{name}_submissions")) or name == "completed"
        ),
    ]
    if spend is not None and spend.total_cost_usd:
        left = f"{usd(spend.budget_remaining_usd)} left"
        pairs.append(("spent", f"{usd(spend.total_cost_usd)}, {left}"))
    told = {
        **job_out(job).model_dump(mode="json"),
        "spend": None if spend is None else spend.model_dump(mode="json"),
        "trouble": trouble,
    }
    lines = [*facts(pairs), *_troubles(trouble), *_then(job)]
    return Answer(lines, told, ok=_is_well(job))


def _is_well(job: AnalysisJob) -> bool:
    return job.status == "completed" and not job.failed_submissions


def _cancelling(job: AnalysisJob) -> bool:
    return job.status in ("queued", "running") and job.cancel_asked_at is not None


def _then(job: AnalysisJob) -> list[Line]:
    if job.failed_submissions and job.status == "completed":
        return [f"Retry these: tablewright vibejudge run {job.hack_id} --failed"]
    if job.status == "completed":
        return [f"See the ranking: tablewright vibejudge leaderboard {job.hack_id}"]
    if job.status in ("failed", "cancelled"):
        return [f"Let it do the rest: tablewright vibejudge resume {job.hack_id}"]
    return []


async def _trouble(courtroom: Courtroom, job: AnalysisJob) -> list[dict[str, object]]:
    from tablewright.systems.vibejudge import job_reads
    from tablewright.systems.vibejudge.cli.following import submissions_of

    every = courtroom.db.iterate(job_reads.tasks_of_job(job.job_id))
    tasks = {each.sub_id: each async for each in every if each.state in ("failed", "blocked")}
    return [
        {
            "sub_id": each.sub_id,
            "team_name": each.team_name,
            "state": tasks[each.sub_id].state,
            "error_code": tasks[each.sub_id].error_code,
            "error_message": each.error_message,
        }
        for each in await submissions_of(courtroom, job.hack_id, tasks)
    ]


def _troubles(trouble: list[dict[str, object]]) -> list[Line]:
    if not trouble:
        return []
    rows = [
        (plain(str(each["team_name"])), str(each["error_code"]), plain(str(each["error_message"])))
        for each in trouble[:_SHOWN]
    ]
    more = len(trouble) - len(rows)
    return [
        Styled(
            several(len(trouble), "submission was not analysed:", "submissions were not analysed:"),
            "yellow",
        ),
        *columns(("team", "code", "why"), rows),
        *([f"and {several(more, 'other')}"] if more else []),
    ]
