"""Whom and what somebody means who types: organisers, hackathons, jobs, submissions.

Ids are the quickest: one read. An e-mail address is as good as an organiser's id. For the name of a
hackathon all of them are read, which on AWS is paid for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Desk
from tablewright.service.problems import Problem, missing
from tablewright.service.wording import plain
from tablewright.systems.vibejudge.cli.given import Courtroom

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.analysis import AnalysisJob
    from tablewright.systems.vibejudge.entities import HackathonDetail, Organizer, Submission
    from tablewright.systems.vibejudge.service.callers import Caller

#: Of several that are meant, those that are told.
_TOLD = 10


def typist(desk: Desk) -> Caller:
    """Who types may do everything."""
    from tablewright.systems.vibejudge.service.callers import Caller

    return Caller(desk.by)


# --- organisers ----------------------------------------------------------------------------------


async def acting_for(courtroom: Courtroom, desk: Desk, text: str | None) -> Caller:
    """Who types, for an organiser: the one that is named, or the only one there is."""
    from tablewright.systems.vibejudge.service.callers import Caller

    return Caller(desk.by, (await organizer(courtroom, text)).org_id)


async def organizer(courtroom: Courtroom, text: str | None) -> Organizer:
    if text is None:
        return await _only_organizer(courtroom)
    try:
        return await courtroom.organizers.found(text)
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        hint = "tablewright vibejudge organizer list shows which there are."
        raise missing(f"There is no organiser {text!r}.", hint) from None


async def _only_organizer(courtroom: Courtroom) -> Organizer:
    from tablewright.systems.vibejudge.audit_patterns import all_organizers

    found: list[Organizer] = []
    async for each in courtroom.db.iterate(all_organizers()):
        found.append(each)
        if len(found) > 1:
            hint = "Give --organizer EMAIL; tablewright vibejudge organizer list shows them."
            detail = "There are several organisers, and it is not said for whom."
            raise Problem(409, "AMBIGUOUS", detail, extra={"hint": hint})
    if not found:
        hint = "tablewright vibejudge organizer add NAME --email EMAIL makes one."
        raise missing("There is no organiser yet.", hint)
    return found[0]


# --- hackathons ----------------------------------------------------------------------------------


async def hackathon(courtroom: Courtroom, desk: Desk, text: str) -> HackathonDetail:
    """One by its id, or by its name in any case."""
    found = await _by_id(courtroom, desk, text) or await _by_name(courtroom, text)
    if found is None:
        raise _no_hackathon(text)
    return found


async def _by_id(courtroom: Courtroom, desk: Desk, text: str) -> HackathonDetail | None:
    from tablewright.systems.vibejudge.rules.ids import is_id

    if not is_id(text.upper()):
        return None
    try:
        return await courtroom.hackathons.owned(typist(desk), text.upper())
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        return None


async def _by_name(courtroom: Courtroom, text: str) -> HackathonDetail | None:
    from tablewright.systems.vibejudge import erasing_reads, reads

    wanted = " ".join(text.casefold().split())
    every = courtroom.db.iterate(erasing_reads.all_hackathons())
    found = [each async for each in every if " ".join(each.name.casefold().split()) == wanted]
    if len(found) > 1:
        ids = ", ".join(each.hack_id for each in found[:_TOLD])
        detail = f"{len(found)} hackathons are called {plain(text)!r}."
        raise Problem(409, "AMBIGUOUS", detail, extra={"hint": f"Give an id: {ids}"})
    # What was read is a moment old; what is done with it rests on the latest.
    return await courtroom.db.run(reads.hackathon(found[0].hack_id)) if found else None


def _no_hackathon(text: str) -> Problem:
    hint = "tablewright vibejudge hackathon list shows which there are."
    return missing(f"There is no hackathon {plain(text)!r}.", hint)


# --- jobs ----------------------------------------------------------------------------------------


async def job(courtroom: Courtroom, desk: Desk, text: str) -> AnalysisJob:
    """A job by its id; or the one that a hackathon has now, else its latest."""
    from tablewright.systems.vibejudge.rules.ids import is_id

    found = await _by_id(courtroom, desk, text)
    if found is None and is_id(text.upper()):
        wanted = await _job_of_id(courtroom, text.upper())
        if wanted is not None:
            return wanted
        hint = "tablewright vibejudge hackathon list shows what there is; jobs are kept 30 days."
        raise missing(f"There is neither a hackathon nor a job {text!r}.", hint)
    return await _latest(courtroom, desk, found or await hackathon(courtroom, desk, text))


async def _job_of_id(courtroom: Courtroom, job_id: str) -> AnalysisJob | None:
    """A job's tasks say whose it is; one without any is about to get them."""
    from tablewright.systems.vibejudge import job_reads

    db = courtroom.db
    for task in await db.run(job_reads.tasks_of_job(job_id), limit=1):
        return await db.run(job_reads.job(task.hack_id, job_id))
    async for each in db.iterate(job_reads.jobs_by_status("queued")):
        if each.job_id == job_id:
            return each
    return None


async def _latest(courtroom: Courtroom, desk: Desk, found: HackathonDetail) -> AnalysisJob:
    jobs = await courtroom.jobs.of(typist(desk), found.hack_id, limit=1)
    if not jobs:
        hint = f"tablewright vibejudge run {found.hack_id} starts one."
        raise missing(f"{plain(found.name)} was not analysed in the last 30 days.", hint)
    return jobs[0]


# --- submissions ---------------------------------------------------------------------------------


async def submission(
    courtroom: Courtroom, desk: Desk, text: str, within: str | None
) -> tuple[HackathonDetail, Submission]:
    """One by its id, or, within a hackathon, by the name of its team."""
    caller = typist(desk)
    if within is None:
        hack_id = await _hackathon_of(courtroom, caller, text)
        return await courtroom.submissions.owned(caller, hack_id, text.upper())
    found = await hackathon(courtroom, desk, within)
    sub_id = await _of_team(courtroom, found, text)
    return await courtroom.submissions.owned(caller, found.hack_id, sub_id)


async def _hackathon_of(courtroom: Courtroom, caller: Caller, sub_id: str) -> str:
    try:
        return await courtroom.submissions.find(caller, sub_id.upper())
    except Problem as problem:
        if problem.code != "NOT_FOUND":
            raise
        hint = "Ids stand in the leaderboard; a team's name needs --hackathon HACKATHON."
        raise missing(f"There is no submission {sub_id!r}.", hint) from None


async def _of_team(courtroom: Courtroom, found: HackathonDetail, text: str) -> str:
    from tablewright.systems.vibejudge import reads
    from tablewright.systems.vibejudge.rules.ids import is_id
    from tablewright.systems.vibejudge.rules.team_names import team_key

    if is_id(text.upper()):
        return text.upper()
    lock = await courtroom.db.run(reads.team_lock(found.hack_id, team_key(text)))
    if lock is None:
        raise missing(f"No team of {plain(found.name)} is called {plain(text)!r}.", "")
    return lock.sub_id
