"""Rounds: given out fairly, judged while they are open, and made scores when they are closed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal

import pytest
from tests.systems.vibejudge.judging.support import RUBRIC, World, analysed, judge, world
from tests.systems.vibejudge.support import audited, courtroom_on, refused, run, wanted

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.preconditions import Precondition
from tablewright.service.workers import run_once
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import SubmissionSummary
from tablewright.systems.vibejudge.bodies.judges import JudgeChange, OverrideIn
from tablewright.systems.vibejudge.bodies.judging import ScoreIn, SkipIn
from tablewright.systems.vibejudge.bodies.scorecards import scorecard_out
from tablewright.systems.vibejudge.judging import Assignment
from tablewright.systems.vibejudge.rules import scoring
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.service.hackathons import revision
from tablewright.systems.vibejudge.task_writes import rescore
from tablewright.systems.vibejudge.workers.blend import worker
from tablewright.testing import Backend


async def given(court: World, number: int = 1) -> list[Assignment]:
    return list(await court.courtroom.db.run(patterns.assignments(court.hack_id, number)))


def test_scenario_19_harsh_and_lenient_judges(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """(H) Harsh and lenient judges, same order: equal; closed round 409."""

    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, human_weight="1", min_reviews=1)
            round_ = await court.opened()
            (harsh, lenient), subs = court.judges, court.submissions
            for sub, low, high in zip(subs, (10, 20, 30), (70, 80, 90), strict=True):
                await court.score(harsh, sub, low)
                await court.score(lenient, sub, high)
            await court.moved(round_, "closed")
            assert await courtroom.judging.blending.work() == 1
            worst, middle, best = await court.finals()
            assert worst is not None
            assert middle == Decimal("50.00")
            assert worst < middle
            assert best == 100 - worst
            # Each of them alone says the same as both.
            for sub, own in ((subs[0], harsh), (subs[0], lenient)):
                other = lenient if own is harsh else harsh
                assert other.judge is not None
                change = JudgeChange(conflicts=[sub.sub_id])
                judges = courtroom.judging.judges
                await judges.change(court.olga, court.hack_id, other.judge[1], change)
                await courtroom.judging.blending.work()
                alone = (await court.now(sub)).human_score
                assert alone is not None
                assert alone < middle
                change = JudgeChange(conflicts=[])
                await judges.change(court.olga, court.hack_id, other.judge[1], change)
            problem = await refused(court.score(harsh, subs[0], 50))
            assert (problem.status, problem.code) == (409, "ROUND_CLOSED")

    run(main())


def test_a_round_goes_its_way_and_no_other(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, judges=1)
            sub = court.submissions[0]
            round_ = await court.opened()
            await court.moved(round_, "paused")
            assert (await refused(court.score(court.judges[0], sub, 50))).code == "ROUND_PAUSED"
            assert (await refused(court.moved(round_, "locked"))).code == "WRONG_STATE"
            await court.moved(round_, "open")
            await court.score(court.judges[0], sub, 50)
            closings = [court.moved(round_, "closed") for _ in range(3)]
            done = await asyncio.gather(*closings, return_exceptions=True)
            assert sum(not isinstance(each, Exception) for each in done) >= 1
            for state in ("open", "paused"):
                problem = await refused(court.moved(round_, state))
                assert (problem.status, problem.code) == (409, "ROUND_CLOSED")
            await court.moved(round_, "locked")
            assert (await refused(court.score(court.judges[0], sub, 50))).code == "ROUND_LOCKED"
            actions = Counter(action for action, _ in await audited(courtroom))
            assert actions["round.open"] == 2
            assert actions["round.closed"] == 1

    run(main())


def test_everybody_gets_three_judges_without_conflicts_and_a_skip_goes_to_another(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"] * 8, judges=4)
            biased = await judge(
                courtroom, court.olga, court.hackathon, "Mother", court.submissions[0].sub_id
            )
            await court.opened()
            found = await given(court)
            assert set(Counter(each.sub_id for each in found).values()) == {3}
            shares = Counter(each.judge_id for each in found)
            assert max(shares.values()) - min(shares.values()) <= 1
            assert (biased.judge and biased.judge[1], court.submissions[0].sub_id) not in {
                (each.judge_id, each.sub_id) for each in found
            }
            first = court.judges[0]
            shown = await courtroom.judging.desk.next(first, court.hack_id)
            (seen,) = shown.submissions
            skip = SkipIn(round_number=1, sub_id=seen.sub_id, reason="I know them", conflict=True)
            await courtroom.judging.desk.skip(first, court.hack_id, skip)
            after = await given(court)
            live = [
                each for each in after if each.sub_id == seen.sub_id and each.state != "skipped"
            ]
            assert len(live) == 3
            assert first.judge is not None
            assert first.judge[1] not in {each.judge_id for each in live}
            assert (await refused(court.score(first, seen, 50))).code == "SKIPPED"
            mine = await courtroom.db.require(patterns.judge(*first.judge))
            assert mine.conflicts == {seen.sub_id}
            then = await courtroom.judging.desk.next(first, court.hack_id)
            assert then.submissions[0].sub_id != seen.sub_id
            # It is nobody's but theirs: another judge's work is not there.
            theirs = {each.sub_id for each in after if each.judge_id == first.judge[1]}
            other = next(each for each in court.submissions if each.sub_id not in theirs)
            assert (await refused(court.score(first, other, 50))).status == 404

    run(main())


def test_who_comes_late_gets_a_share_and_who_goes_leaves_theirs(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"] * 6, judges=3)
            round_ = await court.opened()
            await court.score(court.judges[0], court.submissions[0], 70)
            late = await judge(courtroom, court.olga, court.hackathon, "Late")
            await analysed(courtroom, court.hackathon, "50")
            rounds = courtroom.judging.rounds
            progress = await rounds.give_out(court.olga, court.hack_id, round_.round_number)
            assert [work.assigned for _, work in progress.submissions] == [3] * 7
            assert sorted(work.assigned for _, work in progress.judges) == [5, 5, 5, 6]
            assert (await rounds.progress(court.olga, court.hack_id, 1)) == progress
            assert late.judge is not None
            gone = JudgeChange(state="removed")
            await courtroom.judging.judges.change(court.olga, court.hack_id, late.judge[1], gone)
            assert (await refused(courtroom.judging.desk.next(late, court.hack_id))).status == 403
            progress = await rounds.progress(court.olga, court.hack_id, 1)
            works = {each.judge_id: work for each, work in progress.judges}
            assert works[late.judge[1]].assigned == 0
            assert sum(work.assigned for work in works.values()) == 7 * 3
            assert sum(work.done for work in works.values()) == 1

    run(main())


def test_pairs_are_shown_until_enough_and_the_preferred_one_is_ahead(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["50"] * 4, judges=3)
            round_ = await court.opened("pairwise")
            order = [each.sub_id for each in court.submissions]
            for each in court.judges:
                while True:
                    shown = await courtroom.judging.desk.next(each, court.hack_id)
                    if not shown.submissions:
                        break
                    better, worse = sorted((s.sub_id for s in shown.submissions), key=order.index)
                    await court.prefer(each, better, worse)
                assert (shown.assigned, shown.done) == (4, 4)
                assert len(await courtroom.judging.desk.comparisons(each, court.hack_id)) == 6
            await court.moved(round_, "closed")
            await courtroom.judging.blending.work()
            finals = [each for each in await court.finals() if each is not None]
            assert finals == sorted(finals, reverse=True)
            assert len(set(finals)) == 4
            assert finals[0] + finals[3] == 100  # each is half 50, half what its mirror lacks
            board = await courtroom.db.run(reads.leaderboard(court.hack_id))
            assert [each.sub_id for each in board] == order

    run(main())


def test_judges_see_nothing_of_what_others_say(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom)
            await court.opened()
            await court.score(court.judges[0], court.submissions[0], 77)
            (own,) = await courtroom.judging.desk.scores(court.judges[0], court.hack_id)
            assert own.scores["idea"] == Decimal("7.7")
            assert await courtroom.judging.desk.scores(court.judges[1], court.hack_id) == []
            stranger = Caller(court.judges[0].principal, judge=("0" * 26, "0" * 26))
            assert (
                await refused(courtroom.judging.desk.next(stranger, court.hack_id))
            ).status == 404

    run(main())


def test_scores_are_for_the_rubric(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom)
            await court.opened()
            sub = court.submissions[0].sub_id
            for scores in (
                {"idea": Decimal(5)},
                {"idea": Decimal(5), "code": Decimal(5), "charm": Decimal(5)},
                {"idea": None, "code": None},
            ):
                body = ScoreIn(round_number=1, sub_id=sub, scores=scores)
                work = courtroom.judging.desk.score(court.judges[0], court.hack_id, body)
                assert (await refused(work)).status == 422

    run(main())


# --- final scores --------------------------------------------------------------------------------


def test_a_blend_begins_with_enough_reviews_and_rounds_count_by_weight(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60", "60"], human_weight="0.5", min_reviews=3)
            one, two = court.judges
            first, other = court.submissions
            round_ = await court.opened(weight="0.75")
            await court.score(one, first, 80)
            await court.score(two, first, 100)
            await court.score(one, other, 40)
            await court.moved(round_, "closed")
            await courtroom.judging.blending.work()
            assert await court.finals() == [None, None]
            assert (await court.now(first)).human_score == Decimal("90.00")
            second = await court.opened(weight="0.25")
            await court.score(one, first, 50, 2)
            await court.moved(second, "closed")
            await courtroom.judging.blending.work()
            # (3 x 90 + 50) / 4 = 80, and half of it with half of 60.
            assert await court.finals() == [Decimal("70.00"), None]
            assert (await court.now(first)).rank_score == Decimal("70.00")

    run(main())


def test_other_weights_blend_anew(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"])
            round_ = await court.opened()
            for each in court.judges:
                await court.score(each, court.submissions[0], 80)
            await court.moved(round_, "closed")
            await run_once(worker(courtroom))
            assert await court.finals() == [Decimal("70.00")]
            for said, final in (({"human_weight": "0.9"}, "78.00"), ({"min_reviews": 3}, None)):
                before = await courtroom.hackathons.owned(court.olga, court.hack_id)
                body = wanted(rubric=RUBRIC, **said)
                seen = Precondition.seen(revision(before))
                await courtroom.hackathons.edit(court.olga, court.hack_id, body, seen)
                await run_once(worker(courtroom))
                assert await court.finals() == [None if final is None else Decimal(final)]

    run(main())


def test_final_scores_stay_right_when_agents_look_again_and_organisers_decide(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ["60"], judges=2)
            (sub,) = court.submissions
            round_ = await court.opened()
            for each in court.judges:
                await court.score(each, sub, 80)
            await court.moved(round_, "closed")
            await courtroom.judging.blending.work()
            assert await court.finals() == [Decimal("70.00")]
            overrides = courtroom.judging.overrides
            for score in ("95", "96"):
                body = OverrideIn(score=Decimal(score), reason="Shown live, and it worked")
                await overrides.set(court.olga, court.hack_id, sub.sub_id, body)
            await _rescored(court, "50")
            found = await court.now(sub)
            assert (found.overall_score, found.final_score, found.rank_score) == (50, 96, 96)
            await courtroom.db.run(courtroom.judging.blending.request(court.hack_id))
            courtroom.judging.blending.nudge(court.hack_id)
            assert await courtroom.judging.blending.work() == 1
            assert await court.finals() == [Decimal("96")]
            await overrides.revoke(court.olga, court.hack_id, sub.sub_id)
            assert await court.finals() == [Decimal("65.00")]
            work = overrides.revoke(court.olga, court.hack_id, sub.sub_id)
            assert (await refused(work)).code == "NOT_OVERRIDDEN"
            history = await overrides.of(court.olga, court.hack_id, sub.sub_id)
            assert all(each.revoked_at is not None for each in history)
            await _rescored(court, "70")
            assert await court.finals() == [Decimal("75.00")]

    run(main())


async def _rescored(court: World, score: str) -> None:
    sub = await court.now(court.submissions[0])
    summary: SubmissionSummary = await court.courtroom.db.require(
        reads.submission_summary(sub.sub_id)
    )
    after = summary.model_copy(update={"overall_score": Decimal(score)})
    await court.courtroom.db.run(rescore(sub, after, court.courtroom.now()))


@contextmanager
def killed_after(courtroom: Courtroom, pattern: str, times: int) -> Iterator[None]:
    """The process ends with so many writes of a pattern."""
    before, seen = courtroom.db.context, Counter[str]()

    def count(event: RequestEvent) -> None:
        seen[event.pattern or ""] += 1
        if seen[pattern] == times:
            raise asyncio.CancelledError

    courtroom.db.context = replace(before, hook=count)
    yield
    courtroom.db.context = before


def test_a_blend_that_breaks_off_is_finished_by_another_process(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def main() -> None:
        async with (
            courtroom_on(tablewright_backend, clock) as courtroom,
            courtroom_on(tablewright_backend, clock) as other,
        ):
            court = await world(courtroom, ["60"] * 12, judges=1, min_reviews=1)
            round_ = await court.opened()
            for sub in court.submissions:
                await court.score(court.judges[0], sub, 80)
            await court.moved(round_, "closed")
            with killed_after(courtroom, "blend_score", 3), pytest.raises(asyncio.CancelledError):
                await courtroom.judging.blending.work()
            assert (await court.finals()).count(None) == 9
            assert await other.judging.blending.work() == 1
            assert await court.finals() == [Decimal("70.00")] * 12
            clock.advance(60)
            assert await courtroom.judging.blending.work() == 0

    run(main())


def test_recommendation_follows_the_final_score_of_judges_and_organiser(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    """40 points by the agents is a concern; 90 by the judges or 99 by decision is not."""

    async def main() -> None:
        async with courtroom_on(tablewright_backend, clock) as courtroom:
            court = await world(courtroom, ai=["40"], judges=1, human_weight="1", min_reviews=1)
            (sub,) = court.submissions

            async def shown() -> tuple[str | None, str | None, str]:
                rows = await courtroom.db.run(reads.leaderboard(court.hack_id))
                (row,) = list(rows)
                card = await courtroom.scorecards.scorecard(court.olga, court.hack_id, sub.sub_id)
                stored = (await court.now(sub)).recommendation
                return stored, row.recommendation, scorecard_out(card).recommendation

            decide = OverrideIn(score=Decimal(99), reason="The jury agreed on it.")
            overrides = courtroom.judging.overrides
            await overrides.set(court.olga, court.hack_id, sub.sub_id, decide)
            assert await shown() == ("strong_contender",) * 3
            await overrides.revoke(court.olga, court.hack_id, sub.sub_id)
            assert await shown() == ("concerns_flagged",) * 3
            round_ = await court.opened()
            await court.score(court.judges[0], sub, 70)
            await court.moved(round_, "closed")
            await courtroom.judging.blending.work()
            # One judge alone has no spread to compare with: the pool's mean is the score.
            assert (await court.now(sub)).final_score is not None
            expected = scoring.recommendation((await court.now(sub)).final_score or Decimal(0))
            assert await shown() == (expected,) * 3
            summary = await courtroom.db.require(reads.submission_summary(sub.sub_id))
            await courtroom.db.run(rescore(await court.now(sub), summary, courtroom.now()))
            assert await shown() == (expected,) * 3
            assert expected == "solid_submission"

    run(main())
