"""A table that has few units: an analysis waits for them."""

from __future__ import annotations

from pathlib import Path

from tests.systems.vibejudge.jobs.support import Hold, case_on, counts, repositories
from tests.systems.vibejudge.support import QUICK, run

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.engine.realism import Fault, Realism
from tablewright.testing.backends import Backend


def test_what_is_refused_for_a_moment_is_not_analysed_again(
    tmp_path: Path,
    tablewright_engine: Engine,
    engine_backend: Backend,
    clock: ManualClock,
    hold: Hold,
) -> None:
    """Refused more often than a request would be repeated that somebody waits for."""
    refusals = Fault(
        operations={"PutItem"},
        error="ProvisionedThroughputExceededException",
        times=4 * QUICK.attempts,
    )

    async def work() -> None:
        async with case_on(engine_backend, clock, repositories(tmp_path, 1), quick=True) as made:
            job = await made.start()
            tablewright_engine.realism = Realism(faults=(refusals,))
            await made.courtroom.analyst.work_once()
            assert counts(await made.job(job.job_id)) == (1, 1, 0, 0, 0)
            (task,) = (await made.tasks(job.job_id)).values()
            assert task.attempt == 1
            assert len(hold.begun) == 1

    run(work())
