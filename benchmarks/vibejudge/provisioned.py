"""The table as it is set up: five units a second for reads, five for writes, and so each index.

Fifty submissions with four agents each, by two processes, while the engine refuses what is more
than these units. That takes minutes, so the time is simulated (:mod:`.simulated`). So are the
analyses: repositories are analysed once in real processes, and each analysis then takes a few
seconds and gives what was found. All else is the service itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from benchmarks.findings import Finding, at_most, exactly
from benchmarks.vibejudge import simulated
from benchmarks.vibejudge.court import Entered, Ran, courtroom_on, entered, ran, readable
from benchmarks.vibejudge.repositories import repositories
from tablewright.client import RequestEvent
from tablewright.engine import Engine
from tablewright.engine.realism import Realism
from tablewright.service.workers import runner
from tablewright.systems.vibejudge import job_reads, reads
from tablewright.systems.vibejudge.analysing import Analysis, Order
from tablewright.systems.vibejudge.analysing import run as analysed
from tablewright.systems.vibejudge.analysis import Task
from tablewright.systems.vibejudge.repos.fetching import Access
from tablewright.systems.vibejudge.service.analyst import attempt
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.table import vibejudge
from tablewright.systems.vibejudge.workers import workers

COUNT, LINES, WANTED_MINUTES = 50, 1_000, 15.0
PROCESSES, SEATS = 2, 2
#: Different ones that are really analysed; the others are as one of them.
_REAL = 4
_ANALYSIS_SECS = 3.0
#: Who waits for the job uses units, too.
_LOOK_SECS = 5.0
#: Seconds' worth of units that a table has saved up which was busy all the time.
_NO_BURST = 1.0
_REFUSED = ("ProvisionedThroughputExceeded", "ThrottlingError", "ThrottlingException")


def measure(*, quick: bool = False, folder: Path | None = None) -> list[Finding]:
    made = repositories(COUNT, LINES)
    known = asyncio.run(_known(made[: 1 if quick else _REAL]))

    async def pretended(order: Order, *, timeout: float) -> Analysis:
        await asyncio.sleep(_ANALYSIS_SECS)
        return known[made.index(Path(order.url)) % len(known)]

    with mock.patch.object(attempt, "analysed", pretended):
        rested = simulated.run(lambda moment: _simulated(moment, made, Realism().burst))
        tired = simulated.run(lambda moment: _simulated(moment, made, _NO_BURST))
    return [
        Finding("submissions", COUNT, note=f"{PROCESSES} processes, {SEATS} at a time in each"),
        *_findings(rested, "after five idle minutes"),
        *_findings(tired, "nothing saved up"),
        Finding("write units a submission", _written(tired.heard, None) / COUNT, note="the table"),
        *(
            Finding(f"the same of {name}", _written(tired.heard, name) / COUNT)
            for name in vibejudge.indexes
        ),
    ]


async def _known(made: Sequence[Path]) -> list[Analysis]:
    access = Access(local_root=made[0].parent)
    return [await analysed(Order(str(each), access=access)) for each in made]


# --- the job -------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What there is when it is over."""

    ran: Ran
    #: Simulated seconds: to hand them in, and for the job.
    entering_secs: float
    job_secs: float
    heard: list[RequestEvent]
    tasks: list[Task]
    runs: Counter[str] = field(default_factory=Counter)
    cards: int = 0
    scores: int = 0
    ranked: int = 0
    counted: int = 0


async def _simulated(
    moment: simulated.SimulatedTime, made: Sequence[Path], burst: float
) -> Outcome:
    heard: list[RequestEvent] = []
    realism = Realism(throughput=True, burst=burst)
    with Engine(None, clock=moment, realism=realism) as engine:
        async with AsyncExitStack() as stack:
            courtrooms = [
                await stack.enter_async_context(
                    courtroom_on(
                        engine,
                        clock=moment,
                        heard=heard,
                        transport=simulated.Distant(engine, moment),
                        processes=SEATS,
                        **readable(made),
                    )
                )
                for _ in range(PROCESSES)
            ]
            first, *others = courtrooms
            handed_in = await entered(first, made, "free", beside=True)
            entering = moment.passed
            for each in others:
                await stack.enter_async_context(runner(each.runtime, workers(each)))
            done = await ran(first, handed_in, _LOOK_SECS)
            job_secs = moment.passed - entering
            asked = list(heard)
            engine.realism = Realism()
            return await _looked(first, handed_in, Outcome(done, entering, job_secs, asked, []))


async def _looked(courtroom: Courtroom, entered: Entered, found: Outcome) -> Outcome:
    db, hackathon = courtroom.db, entered.hackathon
    found.tasks = [e async for e in db.iterate(job_reads.tasks_of_job(found.ran.job.job_id))]
    for sub_id in entered.submissions:
        runs = [each async for each in db.iterate(reads.runs_of_submission(sub_id))]
        found.runs.update(each.status for each in runs)
        card = await db.run(reads.submission_summary(sub_id))
        if card is not None:
            found.cards += 1
            found.scores += len(await db.run(reads.agent_scores(sub_id, card.run_id)))
    board = await courtroom.standings.leaderboard(hackathon, 100)
    found.ranked = len(board)
    found.counted = (await db.require(reads.hackathon_cost(hackathon.hack_id))).submissions_analyzed
    return found


# --- findings ------------------------------------------------------------------------------------


def _findings(found: Outcome, when: str) -> list[Finding]:
    job, heard = found.ran.job, found.heard
    published = [each for each in heard if each.pattern == "publish" and each.error is None]
    codes = Counter(code for each in heard for code in each.failures)
    refused = sum(number for code, number in codes.items() if code.startswith(_REFUSED))
    given_up = sum(1 for each in heard if each.error and each.attempts > 1)
    minutes = found.job_secs / 60
    note = f"simulated; {found.entering_secs:.0f} s before it to hand them in"
    return [
        at_most(f"the job, {when}", minutes, WANTED_MINUTES, "min", note),
        exactly("completed", job.completed_submissions, COUNT, note=f"the job is {job.status}"),
        exactly("scorecards", found.cards, COUNT, note=f"of {found.scores} agents' scores"),
        exactly("published", len(published), COUNT, note="transactions: none of them twice"),
        exactly("counted as analysed", found.counted, COUNT),
        exactly("runs", sum(found.runs.values()), COUNT, note=_told(found.runs)),
        exactly("on the leaderboard", found.ranked, COUNT),
        exactly("analysed a second time", sum(each.attempt > 1 for each in found.tasks), 0),
        Finding("attempts refused for lack of units", refused, note=f"of {_attempts(heard):,}"),
        Finding("requests that were given up", given_up, note="all were made again, later"),
    ]


def _written(heard: Sequence[RequestEvent], index: str | None) -> float:
    return sum(
        each.write_units
        for event in heard
        for each in event.consumed
        if each.index == index and each.table == vibejudge.name
    )


def _attempts(heard: Sequence[RequestEvent]) -> int:
    return sum(each.attempts for each in heard)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
