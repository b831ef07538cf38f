"""What follows in the demo when its jobs are done.

Results are released and judges begin only after the agents have spoken, which they do when the
process has long been up. So this looks now and then how far they are, until there is nothing left
to do; a process that was killed in between goes on with what it finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.workers import Held, Worker
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.live_demo.bench import seat_judges
from tablewright.systems.vibejudge.live_demo.cast import PLANS, Plan
from tablewright.systems.vibejudge.live_demo.filling import hackathons, who
from tablewright.systems.vibejudge.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

NAME = "demo"
EVERY_SECS = 3.0


def worker(courtroom: Courtroom) -> Worker:
    return Worker(NAME, EVERY_SECS, GoingOn(courtroom).run)


class GoingOn:
    """Goes on with the demo until it is all there."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._done = False

    async def run(self, held: Held) -> None:
        # Asked again where there is no demo: it may just have been filled.
        self._done = self._done or bool(await go_on(self._courtroom))


async def go_on(courtroom: Courtroom) -> bool | None:
    """Do what can be done by now; whether that is all. None where there is no demo."""
    caller = await who(courtroom)
    if caller is None:
        return None
    known = await hackathons(courtroom, caller)
    if not all(plan.name in known for plan in PLANS):
        return False
    done = [await _went_on(courtroom, caller, known[plan.name], plan) for plan in PLANS]
    return all(done)


async def _went_on(courtroom: Courtroom, caller: Caller, made: HackathonDetail, plan: Plan) -> bool:
    """Whether nothing is left to do for a hackathon."""
    if not plan.analysed or made.status == "archived":
        return True
    jobs = await courtroom.jobs.of(caller, made.hack_id, limit=2)
    if len(jobs) != 1:
        # None yet, or not any more; or somebody has taken it into their own hands.
        return made.status == "completed" or len(jobs) > 1
    (job,) = jobs
    if job.status in ("failed", "cancelled"):
        return True
    if made.status != "completed":
        return False
    if plan.goal == "released":
        await courtroom.releases.release(caller, made.hack_id)
    else:
        await seat_judges(courtroom, caller, made)
    return True
