"""Who judges what in a round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import RETRIES, busy, refused, settled
from tablewright.service.problems import conflict
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.judging import Assignment, Judge, Round
from tablewright.systems.vibejudge.rules.assigning import Bench, Duty, plan, successor

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Of one transaction, which holds at most a hundred.
_AT_ONCE = 98


@dataclass(frozen=True)
class Duties:
    """A round with all that it was given out from."""

    judges: tuple[Judge, ...]
    submissions: tuple[Submission, ...]
    assignments: tuple[Assignment, ...]

    @property
    def bench(self) -> Bench:
        return bench_of(self.judges)


def bench_of(judges: Iterable[Judge]) -> Bench:
    """Those who were invited are counted on; those who were removed are not."""
    there = [each for each in judges if each.state != "removed"]
    return Bench({each.judge_id: each.conflicts for each in there})


def takes_part(submission: Submission) -> bool:
    """Whether judges look at a submission."""
    return submission.status != "withdrawn" and submission.disqualified_reason is None


class Assigning:
    """Gives judges what to judge."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def duties(self, round_: Round) -> Duties:
        """How a round is given out at this moment."""
        found = self._courtroom.db.iterate(reads.submissions(round_.hack_id))
        submissions = tuple([each async for each in found if takes_part(each)])
        return Duties(await self._judges(round_), submissions, await self._given(round_))

    async def _judges(self, round_: Round) -> tuple[Judge, ...]:
        return tuple(await self._courtroom.judging.judges.all(round_.hack_id))

    async def _given(self, round_: Round) -> tuple[Assignment, ...]:
        op = patterns.assignments(round_.hack_id, round_.round_number)
        return tuple([each async for each in self._courtroom.db.iterate(op)])

    async def give_out(self, round_: Round) -> Duties:
        """Three judges for each submission, as evenly as can be; what is missing is given out, and
        what nobody has begun may go to somebody else. Done again, it changes nothing.

        Transactions of up to 98: each new assignment on condition that there is none, each that is
        dropped on condition that nobody has begun it. What others change meanwhile is read again.
        """
        _check(await self.duties(round_))
        return await self.hand_over(round_)

    async def hand_over(self, round_: Round) -> Duties:
        """The same for a round that was given out before, if anybody is left to take it."""
        for _ in range(RETRIES + 1):
            duties = await self.duties(round_)
            try:
                if not await self._written(round_, duties):
                    return duties
            except TransactionCancelled as cancelled:
                if not refused(cancelled):
                    raise
        raise busy()

    async def _written(self, round_: Round, duties: Duties) -> bool:
        """Whether there was anything to write."""
        added, dropped = self._changes(round_, duties)
        for some, others in _batches(added, dropped):
            op = patterns.assign(some, others)
            await settled(self._courtroom.db, lambda op=op: op)  # type: ignore[misc]
        return bool(added or dropped)

    def _changes(self, round_: Round, duties: Duties) -> tuple[list[Assignment], list[Assignment]]:
        stored = {_duty(each): each for each in duties.assignments}
        made = plan(
            duties.bench,
            [each.sub_id for each in duties.submissions],
            begun=_with_state(duties, "done") - _conflicted(duties),
            waiting=_with_state(duties, "assigned"),
            refused=_with_state(duties, "skipped") | _conflicted(duties),
        )
        added = [self.assignment(round_, judge_id, sub_id) for judge_id, sub_id in made.added]
        return added, [stored[duty] for duty in made.dropped]

    def assignment(self, round_: Round, judge_id: str, sub_id: str) -> Assignment:
        now = self._courtroom.now()
        return Assignment(
            hack_id=round_.hack_id,
            round_number=round_.round_number,
            judge_id=judge_id,
            sub_id=sub_id,
            created_at=now,
            updated_at=now,
        )

    async def instead(self, round_: Round, skipped: Assignment) -> Assignment | None:
        """Who looks at what somebody skips; None if everybody was asked, or has a conflict."""
        taken = [_duty(each) for each in await self._given(round_)]
        judge_id = successor(bench_of(await self._judges(round_)), skipped.sub_id, taken)
        return None if judge_id is None else self.assignment(round_, judge_id, skipped.sub_id)


def _duty(assignment: Assignment) -> Duty:
    return assignment.judge_id, assignment.sub_id


def _with_state(duties: Duties, state: str) -> set[Duty]:
    return {_duty(each) for each in duties.assignments if each.state == state}


def _conflicted(duties: Duties) -> set[Duty]:
    """What a judge has done, and is not heard about any more."""
    conflicts = {each.judge_id: each.conflicts for each in duties.judges}
    done = _with_state(duties, "done")
    return {(judge, sub) for judge, sub in done if sub in conflicts.get(judge, ())}


def _check(duties: Duties) -> None:
    if not duties.bench.conflicts:
        raise conflict("NO_JUDGES", "There is nobody to judge: invite judges first.")
    if not duties.submissions:
        raise conflict("NO_SUBMISSIONS", "There is nothing to judge.")


def _batches(
    added: Sequence[Assignment], dropped: Sequence[Assignment]
) -> Iterable[tuple[list[Assignment], list[Assignment]]]:
    """So that what is taken from one judge is given to another with it, mostly."""
    changes = [
        each
        for pair in zip_longest(((a, True) for a in added), ((d, False) for d in dropped))
        for each in pair
        if each is not None
    ]
    for at in range(0, len(changes), _AT_ONCE):
        some = changes[at : at + _AT_ONCE]
        yield [each for each, new in some if new], [each for each, new in some if not new]
