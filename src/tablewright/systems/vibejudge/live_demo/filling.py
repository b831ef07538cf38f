"""The demo, through the use cases. A second attempt finds what the first one has left."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.live_demo.cast import (
    ADMIN,
    ORGANIZER,
    PLANS,
    PROFILE,
    TEAMS,
    Plan,
)
from tablewright.systems.vibejudge.live_demo.repositories import build, place_of
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger(__name__)


async def fill(courtroom: Courtroom) -> None:
    """An organiser, four hackathons, and jobs for those that are over; they are not waited for."""
    folder = courtroom.access.bundled_root
    if folder is None:
        log.warning("the demo is left out: its repositories are read on one's own machine only")
        return
    await asyncio.to_thread(build, folder)
    caller = await _organizer(courtroom)
    known = await hackathons(courtroom, caller)
    for plan in PLANS:
        made = known.get(plan.name)
        if made is None:
            made = await courtroom.hackathons.create(caller, plan.body(courtroom.now()))
        await _bring(courtroom, caller, made, plan, folder)
    # A command may end now: the tasks of the jobs are to be there, for whoever works on them.
    await courtroom.jobs.settle()


async def who(courtroom: Courtroom) -> Caller | None:
    """The demo's organiser; None where there is no demo."""
    caller = await courtroom.organizers.caller(ORGANIZER)
    return caller if caller.org_id is not None else None


async def hackathons(courtroom: Courtroom, caller: Caller) -> dict[str, HackathonDetail]:
    """The organiser's, by name; of two that are called the same, the older one."""
    rows = await courtroom.hackathons.of(caller, limit=100)
    return {each.name: await courtroom.hackathons.owned(caller, each.hack_id) for each in rows}


async def _organizer(courtroom: Courtroom) -> Caller:
    found = await who(courtroom)
    if found is None:
        made = await courtroom.organizers.register(PROFILE, ORGANIZER)
        found = Caller(ORGANIZER, made.organizer.org_id)
    profile = await courtroom.organizers.me(found)
    if profile.organizer.tier == "free":
        # Which allows three hackathons a year, and here there are four.
        await courtroom.organizers.set_tier(ADMIN, found.registered(), "premium")
    return found


async def _bring(
    courtroom: Courtroom, caller: Caller, made: HackathonDetail, plan: Plan, folder: Path
) -> None:
    """As far as it goes at once. One that somebody has taken further is left alone."""
    if made.status == "draft" and plan.goal != "draft":
        made = await courtroom.hackathons.activate(caller, made.hack_id)
    if made.status != "configured":
        return
    if made.submission_count < len(plan.projects):
        await _submit(courtroom, caller, made.hack_id, plan, folder)
    if plan.analysed and not await courtroom.jobs.of(caller, made.hack_id, limit=1):
        await courtroom.freezing.now(caller, made.hack_id)
        await _start(courtroom, caller, made.hack_id)


async def _submit(
    courtroom: Courtroom, caller: Caller, hack_id: str, plan: Plan, folder: Path
) -> None:
    """Under names of our own, so that one that is there already is not handed in twice."""
    rows = [
        SubmissionIn(
            team_name=TEAMS[each], repo_url=str(place_of(folder, each)), external_id=f"demo-{each}"
        )
        for each in plan.projects
    ]
    for result in await courtroom.submissions.submit(caller, hack_id, rows):
        if result.problem is not None:
            raise result.problem


async def _start(courtroom: Courtroom, caller: Caller, hack_id: str) -> None:
    try:
        await courtroom.jobs.start(caller, hack_id)
    except Problem as problem:
        # Another process fills the same place.
        if problem.status != 409:
            raise
