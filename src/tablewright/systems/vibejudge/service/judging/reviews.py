"""What judges have said of one submission, for its organiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge.judging import HumanScore, Round

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import Submission
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


@dataclass(frozen=True)
class Review:
    """What one judge gave in one round."""

    score: HumanScore
    judge: str
    #: None if the round is not there any more.
    round: Round | None


class Reviews:
    """What judges have said."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def of(self, submission: Submission) -> list[Review]:
        """All that judges gave a submission, round by round; also in rounds that are still open.

        For those who may see the submission: whoever asks has made sure of it.
        """
        op = patterns.human_scores(submission.sub_id)
        found = [each async for each in self._courtroom.db.iterate(op)]
        if not found:
            return []
        judging, hack_id = self._courtroom.judging, submission.hack_id
        names = {each.judge_id: each.name for each in await judging.judges.all(hack_id)}
        rounds = {each.round_number: each for each in await judging.rounds.all(hack_id)}
        return [
            Review(each, names.get(each.judge_id, "A judge"), rounds.get(each.round_number))
            for each in found
        ]
