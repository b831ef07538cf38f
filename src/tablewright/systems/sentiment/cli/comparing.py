"""``reanalyse``, ``compare``, ``promote``: another model beside the active one, and in its place.

A job is worked on by the process that runs here. If there is none, the command does it, and shows
how far it is; who interrupts it loses nothing: whoever comes next goes on.
"""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import Problem, missing
from tablewright.service.typed import facts, moment, number
from tablewright.service.wording import several
from tablewright.systems.sentiment.cli import reading
from tablewright.systems.sentiment.cli.given import Newsroom
from tablewright.systems.sentiment.cli.words import Since, Until

if TYPE_CHECKING:
    from tablewright.systems.sentiment.bodies.reanalyses import ComparisonOut
    from tablewright.systems.sentiment.config import Job

NoWait = Annotated[bool, Parameter(name="--no-wait")]
WORKER = "reanalyse"
#: Compared if nobody says of which time.
_DEFAULT = timedelta(days=7)
#: How often is looked how far it is: here, and elsewhere.
_LOOK_SECS, _FAR_SECS = 0.2, 1.0
_LABELS = ("positive", "neutral", "negative")
_BUSY = ("running", "promoting")
_JOB_ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")


async def reanalyse(
    newsroom: Newsroom,
    desk: Desk,
    /,
    model: str,
    *,
    since: Since = None,
    until: Until = None,
    no_wait: NoWait = False,
) -> Answer:
    """Let another model judge the articles of some time, and compare it with the active one.

    Nothing changes for readers: its results are kept beside the others.

    Parameters
    ----------
    model
        A version, as `models list` shows it.
    since
        The first moment, such as 2026-11-15, or 7d for seven days ago, which is the default.
    until
        The moment after the last; now if nothing is said.
    no_wait
        Do not wait for the end: `compare` shows it later.
    """
    now = newsroom.now()
    begin, end = reading.ends(since, until, now, _DEFAULT)
    async with newsroom.lifespan():
        try:
            job = await newsroom.jobs.start(model, begin, end, desk.by)
        except Problem as problem:
            if problem.code == "MODEL_UNAVAILABLE":
                problem.extra["hint"] = "tablewright sentiment models list shows which there are."
            raise
        if not no_wait:
            job = await finished(newsroom, desk, job)
    return _answer(job)


async def compare(newsroom: Newsroom, /, job: str | None = None, *, all: bool = False) -> Answer:
    """Show how two models agree: the report of a job.

    Parameters
    ----------
    job
        The job's id; the latest one if nothing is said.
    all
        List all jobs instead.
    """
    if all:
        return await _listed(newsroom)
    if job is not None:
        return _answer(await _job(newsroom, job))
    latest = await newsroom.jobs.list(limit=1)
    if not latest:
        hint = "tablewright sentiment reanalyse MODEL makes one."
        raise missing("There is no comparison yet.", hint)
    return _answer(latest[0])


async def promote(
    newsroom: Newsroom,
    desk: Desk,
    /,
    job: str,
    *,
    rollback: bool = False,
    no_wait: NoWait = False,
) -> Answer:
    """Put a job's model in the place of the active one; all articles follow.

    Verdicts of people stay. Processes hear of it within seconds, and articles are changed after
    that: about a minute. It goes on after an interruption.

    Parameters
    ----------
    job
        The job's id, as `compare --all` shows it.
    rollback
        Put the model back that was active before the job's.
    no_wait
        Do not wait for the end.
    """
    found = await _job(newsroom, job)
    async with newsroom.lifespan():
        act = newsroom.jobs.rollback if rollback else newsroom.jobs.promote
        begun = await act(found.job_id, desk.by)
        if not no_wait:
            begun = await finished(newsroom, desk, begun)
    return _answer(begun)


# --- waiting -------------------------------------------------------------------------------------


async def finished(newsroom: Newsroom, desk: Desk, job: Job) -> Job:
    """The job at its end. If nobody else works on jobs, it is worked on here."""
    from tablewright.systems.sentiment.cli.analysing import is_led

    working: asyncio.Task[None] | None = None
    try:
        while job.state in _BUSY:
            if working is None and not await is_led(newsroom, WORKER):
                working = asyncio.create_task(newsroom.jobs.work())
            await asyncio.sleep(_FAR_SECS if working is None else _LOOK_SECS)
            if working is not None and working.done():
                working.result()
                working = None
            job = await newsroom.jobs.get(job.job_id)
            desk.tick(f"{job.state}: {several(job.done, 'article')}")
    finally:
        if working is not None:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
        newsroom.analyst.judging.close()
    return job


# --- showing -------------------------------------------------------------------------------------


async def _job(newsroom: Newsroom, job_id: str) -> Job:
    """The job that is meant; what cannot be an id is none."""
    try:
        if _JOB_ID.match(job_id.upper()):
            return await newsroom.jobs.get(job_id.upper())
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
    hint = "tablewright sentiment compare --all shows which there are."
    raise missing(f"There is no job {job_id!r}.", hint)


async def _listed(newsroom: Newsroom) -> Answer:
    from tablewright.systems.sentiment.bodies.reanalyses import job_out

    told = [job_out(each) for each in await newsroom.jobs.list(limit=100)]
    if not told:
        return Answer(["There is no comparison yet."], [])
    rows = [
        (
            each.job_id,
            each.state,
            each.model_version,
            each.old_version,
            number(each.done),
            "-" if each.report is None else f"{each.report.agreement:.1%}",
        )
        for each in told
    ]
    head = ("job", "state", "model", "instead of", "articles", "agreement")
    lines = columns(head, rows, {"articles", "agreement"})
    return Answer(lines, [each.model_dump(mode="json") for each in told])


def _answer(job: Job) -> Answer:
    from tablewright.systems.sentiment.bodies.reanalyses import job_out

    told = job_out(job)
    pairs: list[tuple[str, object]] = [
        ("job", told.job_id),
        ("state", told.state),
        ("model", told.model_version),
        ("beside", told.old_version),
        ("from", moment(told.since)),
        ("to", moment(told.until)),
        ("articles", number(told.done)),
    ]
    if told.skipped:
        pairs.append(("skipped", number(told.skipped)))
    if told.report is not None:
        pairs += _agreement(told.report)
    lines: list[Line] = [*facts(pairs)]
    if told.report is not None:
        lines += ["", *_matrix(told.report, f"{told.old_version} \\ {told.model_version}"), ""]
    if told.state == "compared":
        lines.append(f"Put it in the other's place: tablewright sentiment promote {told.job_id}")
    elif told.state == "failed":
        lines.append(Styled("It came to nothing: another model has become active.", "yellow"))
    return Answer(lines, told.model_dump(mode="json"), ok=told.state != "failed")


def _agreement(report: ComparisonOut) -> list[tuple[str, object]]:
    pairs: list[tuple[str, object]] = [
        ("agreement", f"{report.agreement:.1%}, kappa {report.kappa:.2f}")
    ]
    if report.accuracy_on_overrides is not None and report.old_accuracy_on_overrides is not None:
        before, after = report.old_accuracy_on_overrides, report.accuracy_on_overrides
        told = f"{after:.1%}, before {before:.1%}, of {several(report.overrides, 'verdict')}"
        pairs.append(("as people say", told))
    return [*pairs, ("changed", several(report.changed, "article"))]


def _matrix(report: ComparisonOut, corner: str) -> list[Line]:
    """What the old model said, and what the new one says instead."""
    rows = [
        (label, *(number(report.matrix.get(label, {}).get(each, 0)) for each in _LABELS))
        for label in _LABELS
    ]
    return columns((corner, *_LABELS), rows, set(_LABELS))
