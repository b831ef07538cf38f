"""Submissions that resemble each other are flagged once, when a job ends."""

from __future__ import annotations

from decimal import Decimal

from tests.systems.vibejudge.standings.support import Scored, scored
from tests.systems.vibejudge.support import courtroom_on, hackathon, organizer, run

from tablewright.clock import ManualClock
from tablewright.systems.vibejudge import reads, task_writes
from tablewright.systems.vibejudge.analysis import Fingerprint, SubmissionSummary
from tablewright.systems.vibejudge.rules.flags import said, similar, similar_in
from tablewright.systems.vibejudge.rules.minhash import minhash
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.testing.backends import Backend


async def _marked(courtroom: Courtroom, found: Scored, span: range) -> None:
    mark = Fingerprint(
        hack_id=found.submission.hack_id,
        sub_id=found.submission.sub_id,
        minhash=minhash(each * 0x9E3779B97F4A7C15 % 2**64 for each in span),
        created_at=courtroom.now(),
    )
    await courtroom.db.run(task_writes.store_fingerprint(mark))


def test_flags_of_those_that_are_alike(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            made = await hackathon(courtroom, await organizer(courtroom))
            teams = [
                await scored(courtroom, made, flags=("commits_outside_dates:1",)) for _ in range(3)
            ]
            first, second, alone = (each.submission.sub_id for each in teams)
            for team, span in zip(
                teams, (range(1000), range(1000), range(5000, 6000)), strict=True
            ):
                await _marked(courtroom, team, span)

            async def cards() -> list[SubmissionSummary]:
                ids = (first, second, alone)
                return [await courtroom.db.require(reads.submission_summary(id_)) for id_ in ids]

            await courtroom.jobs.comparing.compare(made.hack_id)
            flagged = await cards()
            assert [each.flags for each in flagged] == [
                ["commits_outside_dates:1", f"similar:{second}:100"],
                ["commits_outside_dates:1", f"similar:{first}:100"],
                ["commits_outside_dates:1"],
            ]
            await courtroom.jobs.comparing.compare(made.hack_id)
            assert await cards() == flagged
            shown = await courtroom.standings.resembling(made.hack_id, flagged[0].flags)
            assert [(each.sub_id, percent) for each, percent in shown] == [(second, 100)]

    run(main())


def test_the_flag() -> None:
    flag = similar("01KAGM5W00000000000000000A", Decimal("0.674"))
    assert similar_in(["human_review", flag]) == [("01KAGM5W00000000000000000A", 67)]
    assert said(flag) == "Code that is the same as another submission's by 67 %."
