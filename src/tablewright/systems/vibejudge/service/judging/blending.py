"""What judges say and what agents say, made one score.

Closing a round leaves a request. Whoever works on it computes all final scores of the hackathon
from all rounds that are over, and writes those that are different; then the request goes, unless
there is a later one. Being killed in between loses nothing: the request is there, and what was
written is computed to the same again.

A submission keeps what its judges say (``human_score``) and how much of it counts
(``human_share``). So an analysis or another rubric that changes the agents' score blends anew, in
its own transaction, without reading what judges said.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tablewright.model import Put
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.conflicts import RETRIES, busy, refused, refused_at, settled
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.judging import (
    BlendRequest,
    Comparison,
    HumanScore,
    Judge,
    Round,
)
from tablewright.systems.vibejudge.rules.human import (
    Given,
    Human,
    Reviewed,
    combined,
    human_share,
    points_of,
    rubric_round,
)
from tablewright.systems.vibejudge.rules.pairs import pairwise_points
from tablewright.systems.vibejudge.rules.scoring import effective_weights, recommend
from tablewright.systems.vibejudge.service.judging.desk import win_of
from tablewright.systems.vibejudge.service.judging.rounds import OVER
from tablewright.systems.vibejudge.table import DUE_SHARDS
from tablewright.systems.vibejudge.task_writes import final_score

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

log = logging.getLogger("tablewright.vibejudge")

#: Seconds between looks for requests of other processes, or of those that are gone.
_SWEEP_SECS = 30
#: Submissions whose scores are read at once.
_AT_ONCE = 8


class Superseded(Exception):
    """Another process has finished this request, or a later request has replaced it."""


@dataclass(frozen=True)
class Said:
    """All that judges have said in rounds that are over."""

    hackathon: HackathonDetail
    rounds: tuple[Round, ...]
    judges: tuple[Judge, ...]
    scores: tuple[HumanScore, ...]
    comparisons: tuple[Comparison, ...]


class Blending:
    """Final scores."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._nudged: set[str] = set()
        self._swept: float | None = None

    # --- asking for it ---------------------------------------------------------------------------

    def request(self, hack_id: str) -> Put[BlendRequest]:
        """Joins the transaction that makes it necessary; :meth:`nudge` afterwards makes it soon."""
        return patterns.request_blend(
            BlendRequest(hack_id=hack_id, created_at=self._courtroom.now())
        )

    def nudge(self, hack_id: str) -> None:
        """There is a request that need not wait for the next sweep, if this process works on it."""
        self._nudged.add(hack_id)

    # --- doing it --------------------------------------------------------------------------------

    async def work(self) -> int:
        """What was asked for here, at once; and now and then what was asked for elsewhere.

        Gives the number of hackathons that were done.
        """
        now = self._courtroom.runtime.clock.now()
        due = self._swept is None or not 0 <= now - self._swept < _SWEEP_SECS
        if not due and not self._nudged:
            return 0
        nudged, self._nudged = self._nudged, set()
        requests = [each for each in await self._due() if due or each.hack_id in nudged]
        if due:
            self._swept = now
        done = [await self._answered(each) for each in requests]
        return sum(done)

    async def _due(self) -> list[BlendRequest]:
        now, db = self._courtroom.now(), self._courtroom.db
        pages = await asyncio.gather(
            *(db.run(patterns.blends_due(shard, now)) for shard in range(DUE_SHARDS))
        )
        return [each for page in pages for each in page]

    async def _answered(self, request: BlendRequest) -> bool:
        """Whether it is done. One that fails stays, and does not hold up the others."""
        try:
            return await self.blend(request)
        except Exception:
            log.exception("the final scores of hackathon %s are not done", request.hack_id)
            return False

    async def blend_now(self, hack_id: str) -> bool:
        """Compute the final scores if that is still to be done; whether they are up to date."""
        request = await self._courtroom.db.run(patterns.blend_request(hack_id))
        return request is None or await self.blend(request)

    async def blend(self, request: BlendRequest) -> bool:
        """Compute all final scores of a hackathon; whether that is done.

        One transaction for each: what judges say, the final score and the rank, on condition that
        the submission has not changed since it was read, else it is read and computed again; and
        the request, on condition that no later one has replaced it. Then the request goes.
        """
        hack_id = request.hack_id
        hackathon = await self._courtroom.db.run(reads.hackathon(hack_id))
        if hackathon is not None:
            found = self._courtroom.db.iterate(reads.submissions(hack_id))
            submissions = [each async for each in found]
            said = await self._said(hackathon, submissions)
            humans = await asyncio.to_thread(human_scores, said)
            try:
                for each in submissions:
                    await self._written(request, hackathon, each, humans.get(each.sub_id))
            except Superseded:
                return await self._courtroom.db.run(patterns.blend_request(hack_id)) is None
            finally:
                self._courtroom.standings.changed(hack_id)
        try:
            await self._courtroom.db.run(patterns.finish_blend(request))
        except ConditionFailed:
            return False  # Somebody has made another request meanwhile: that is done next.
        return True

    async def _said(self, hackathon: HackathonDetail, submissions: Sequence[Submission]) -> Said:
        judging, hack_id = self._courtroom.judging, hackathon.hack_id
        rounds = [each for each in await judging.rounds.all(hack_id) if each.state in OVER]
        scores: list[HumanScore] = []
        if any(each.method == "rubric" for each in rounds):
            for at in range(0, len(submissions), _AT_ONCE):
                some = [self._scores(each) for each in submissions[at : at + _AT_ONCE]]
                scores += [each for found in await asyncio.gather(*some) for each in found]
        pairwise = [each.round_number for each in rounds if each.method == "pairwise"]
        comparisons = [each for number in pairwise for each in await self._pairs(hack_id, number)]
        return Said(
            hackathon,
            tuple(rounds),
            tuple(await judging.judges.all(hack_id)),
            tuple(scores),
            tuple(comparisons),
        )

    async def _scores(self, submission: Submission) -> list[HumanScore]:
        op = patterns.human_scores(submission.sub_id)
        return [each async for each in self._courtroom.db.iterate(op)]

    async def _pairs(self, hack_id: str, number: int) -> list[Comparison]:
        op = patterns.comparisons(hack_id, number)
        return [each async for each in self._courtroom.db.iterate(op)]

    async def _written(
        self,
        request: BlendRequest,
        hackathon: HackathonDetail,
        listed: Submission,
        human: Human | None,
    ) -> None:
        # The list may be a moment old: what is right there may not be so any more.
        db = self._courtroom.db
        share = human_share(human, hackathon.human_weight, hackathon.min_reviews)
        score = None if human is None else human.score
        for _ in range(RETRIES + 1):
            found = await db.run(reads.submission(listed.hack_id, listed.sub_id))
            if found is None:
                return
            after = found.model_copy(update={"human_score": score, "human_share": share})
            final = final_score(after, found.overall_score)
            after = after.model_copy(
                update={
                    "final_score": final,
                    "recommendation": recommend(found.overall_score, final),
                }
            )
            if after == found:
                return
            op = patterns.blend_score(request, found, score, share, self._courtroom.now())
            try:
                await settled(db, lambda op=op: op)  # type: ignore[misc]
            except TransactionCancelled as cancelled:
                if refused_at(cancelled, BlendRequest):
                    raise Superseded from None
                if not refused(cancelled):
                    raise
                continue
            return
        raise busy()


# --- the sums ------------------------------------------------------------------------------------


def human_scores(said: Said) -> dict[str, Human]:
    """What judges say of each submission, over all rounds that are over. Pure.

    A judge who has to do with a submission is not heard about it, whenever that was found out.
    """
    conflicts = {each.judge_id: each.conflicts for each in said.judges}
    rounds = [(each.weight, _reviewed(said, each, conflicts)) for each in said.rounds]
    reviewed = {sub_id for _, found in rounds for sub_id in found}
    humans = {
        sub_id: combined([(weight, found.get(sub_id)) for weight, found in rounds])
        for sub_id in reviewed
    }
    return {sub_id: human for sub_id, human in humans.items() if human is not None}


def _reviewed(said: Said, round_: Round, conflicts: Mapping[str, set[str]]) -> dict[str, Reviewed]:
    if round_.method == "rubric":
        return rubric_round(_given(said, round_, conflicts))
    return _compared(said, round_, conflicts)


def _given(said: Said, round_: Round, conflicts: Mapping[str, set[str]]) -> list[Given]:
    """The dimensions weigh what they weigh for agents: the policy on AI is one for all."""
    config = said.hackathon.ai_policy_config
    weights: dict[str, Fraction] = effective_weights(
        said.hackathon.rubric.dimensions,
        said.hackathon.ai_policy_mode,
        None if config is None else config.authenticity_weight,
    )
    found = []
    for each in said.scores:
        points = points_of(each.scores, weights)
        heard = each.sub_id not in conflicts.get(each.judge_id, ())
        if each.round_number == round_.round_number and heard and points is not None:
            found.append(Given(each.judge_id, each.sub_id, points))
    return found


def _compared(said: Said, round_: Round, conflicts: Mapping[str, set[str]]) -> dict[str, Reviewed]:
    """Each judge who has compared a submission, however often, is one review of it."""
    heard = [
        each
        for each in said.comparisons
        if each.round_number == round_.round_number
        and not {each.first_id, each.second_id} & conflicts.get(each.judge_id, set())
    ]
    reviewers: dict[str, set[str]] = {}
    for each in heard:
        for sub_id in (each.first_id, each.second_id):
            reviewers.setdefault(sub_id, set()).add(each.judge_id)
    points = pairwise_points((), [win_of(each) for each in heard])
    return {sub_id: Reviewed(points[sub_id], len(those)) for sub_id, those in reviewers.items()}
