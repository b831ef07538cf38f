"""Rounds: set up, opened, paused, closed, locked.

What judges say counts once a round is closed. Several rounds count by their weights; how they are
combined is told in :func:`tablewright.systems.vibejudge.rules.human.combined`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tablewright.model import Op, Put, together
from tablewright.model.errors import TransactionCancelled
from tablewright.service.conflicts import refused, settled
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import Problem, conflict, not_found
from tablewright.systems.vibejudge import judging_patterns as patterns
from tablewright.systems.vibejudge.bodies.judges import RoundChange, RoundIn
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.judging import Judge, Round, RoundState
from tablewright.systems.vibejudge.release_patterns import keep_scores_open
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.assigning import Duties
from tablewright.systems.vibejudge.service.judging.judges import Work
from tablewright.systems.vibejudge.service.judging.latest import (
    check_judged,
    check_scores_open,
    on_latest,
)

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: What a round can become.
_NEXT: Final[Mapping[RoundState, frozenset[RoundState]]] = {
    "setup": frozenset({"open"}),
    "open": frozenset({"paused", "closed"}),
    "paused": frozenset({"open", "closed"}),
    "closed": frozenset({"locked"}),
    "locked": frozenset(),
}
#: What judges said in these counts.
OVER: Final[frozenset[RoundState]] = frozenset({"closed", "locked"})
_MOST_ROUNDS: Final = 99


@dataclass(frozen=True)
class RoundProgress:
    """A round, how far each judge is, and how often each submission was looked at."""

    round: Round
    judges: tuple[tuple[Judge, Work], ...]
    submissions: tuple[tuple[Submission, Work], ...]


class Rounds:
    """The rounds of hackathons."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    # --- looking ---------------------------------------------------------------------------------

    async def all(self, hack_id: str) -> list[Round]:
        """In the order of their numbers."""
        return [each async for each in self._courtroom.db.iterate(patterns.rounds(hack_id))]

    async def of(self, caller: Caller, hack_id: str) -> list[Round]:
        await self._courtroom.hackathons.owned(caller, hack_id)
        return await self.all(hack_id)

    async def one(self, caller: Caller, hack_id: str, number: int) -> Round:
        """A problem 404 if there is none, or the hackathon is not the caller's."""
        await self._courtroom.hackathons.owned(caller, hack_id)
        found = [each for each in await self.all(hack_id) if each.round_number == number]
        if not found:
            raise not_found("round")
        return found[0]

    async def progress(self, caller: Caller, hack_id: str, number: int) -> RoundProgress:
        """How far it is."""
        round_ = await self.one(caller, hack_id, number)
        return _progress(round_, await self._courtroom.judging.assigning.duties(round_))

    # --- changing --------------------------------------------------------------------------------

    async def add(self, caller: Caller, hack_id: str, body: RoundIn) -> Round:
        """The next one. One transaction: the round, if its number is free, and the audit entry."""

        async def added() -> Op[tuple[object, ...]]:
            check_scores_open(await self._courtroom.hackathons.owned(caller, hack_id))
            number = max([each.round_number for each in await self.all(hack_id)], default=0) + 1
            if number > _MOST_ROUNDS:
                raise conflict("ROUNDS_FULL", f"A hackathon has up to {_MOST_ROUNDS} rounds.")
            now = self._courtroom.now()
            made = Round(
                hack_id=hack_id,
                round_number=number,
                method=body.method,
                weight=body.weight,
                created_at=now,
                updated_at=now,
            )
            noted = self._noted(caller, "round.add", made, {"method": made.method})
            return together(patterns.add_round(made), noted)

        stored = await on_latest(self._courtroom.db, added)
        return next(each for each in stored if isinstance(each, Round))

    async def change(
        self,
        caller: Caller,
        hack_id: str,
        number: int,
        body: RoundChange,
        said: Precondition = UNSAID,
    ) -> Round:
        """Another method or weight, and then another state."""
        check_judged(await self._courtroom.hackathons.owned(caller, hack_id))
        before = await self.one(caller, hack_id, number)
        said.check_if_given(before.version)
        if body.state is not None and body.state != before.state:
            _check_move(before, body.state)
        if body.method is not None or body.weight is not None:
            before = await self._set_up(caller, before, body)
        if body.state is not None and body.state != before.state:
            await self._move(caller, before, body.state)
        return await self.one(caller, hack_id, number)

    async def _set_up(self, caller: Caller, seen: Round, body: RoundChange) -> Round:
        """One transaction: the round, on condition that it is the latest, and the audit entry."""
        given = body.model_dump(exclude_none=True, include={"method", "weight"})

        async def changed() -> Op[tuple[object, ...]]:
            before = await self.one(caller, seen.hack_id, seen.round_number)
            after = before.model_copy(update={**given, "updated_at": self._courtroom.now()})
            _check_settled(before, after)
            noted = self._noted(
                caller, "round.change", before, {k: str(v) for k, v in given.items()}
            )
            return together(patterns.change_round(after), noted)

        stored = await on_latest(self._courtroom.db, changed)
        return next(each for each in stored if isinstance(each, Round))

    async def _move(self, caller: Caller, round_: Round, state: RoundState) -> None:
        """Opened, paused, closed or locked.

        What judges get is given out before a round opens: a crash in between leaves a round that
        is opened again, and then given out as far as it was not. One transaction: the round, on
        condition that it is in the state that was read; when it opens, the hackathon, on condition
        that scores are not final; when it closes, the request for final scores; and the audit
        entry.
        """
        judging, now = self._courtroom.judging, self._courtroom.now()
        if state == "open":
            await judging.assigning.give_out(round_)
            check_scores_open(await self._courtroom.hackathons.owned(caller, round_.hack_id))
        moved = patterns.move_round(round_.hack_id, round_.round_number, state, round_.state, now)
        noted = self._noted(caller, f"round.{state}", round_, {"was": round_.state})
        over = [judging.blending.request(round_.hack_id)] if state == "closed" else []
        opened = [keep_scores_open(round_.hack_id, now)] if state == "open" else []
        try:
            await settled(self._courtroom.db, lambda: together(moved, noted, *over, *opened))
        except TransactionCancelled as cancelled:
            if refused(cancelled):
                raise _moved_meanwhile() from None
            raise
        if over:
            judging.blending.nudge(round_.hack_id)

    async def give_out(self, caller: Caller, hack_id: str, number: int) -> RoundProgress:
        """Give out what came late: submissions, and judges."""
        check_judged(await self._courtroom.hackathons.owned(caller, hack_id))
        round_ = await self.one(caller, hack_id, number)
        if round_.state in OVER:
            raise round_over(round_)
        return _progress(round_, await self._courtroom.judging.assigning.give_out(round_))

    def _noted(
        self, caller: Caller, action: str, round_: Round, detail: Mapping[str, object]
    ) -> Put[AuditEntry]:
        subject = f"hackathon/{round_.hack_id}/round/{round_.round_number}"
        now = self._courtroom.now()
        return audit.record(caller.principal, action, subject, at=now, detail=detail)


def _progress(round_: Round, duties: Duties) -> RoundProgress:
    by_judge = {each.judge_id: [] for each in duties.judges}  # type: ignore[var-annotated]
    by_sub = {each.sub_id: [] for each in duties.submissions}  # type: ignore[var-annotated]
    for each in duties.assignments:
        by_judge.setdefault(each.judge_id, []).append(each)
        by_sub.setdefault(each.sub_id, []).append(each)
    return RoundProgress(
        round_,
        tuple((each, Work.of(by_judge[each.judge_id])) for each in duties.judges),
        tuple((each, Work.of(by_sub[each.sub_id])) for each in duties.submissions),
    )


def _check_move(round_: Round, state: RoundState) -> None:
    if state not in _NEXT[round_.state]:
        if round_.state in OVER:
            raise round_over(round_)
        raise conflict("WRONG_STATE", f"A round that is in {round_.state} cannot become {state}.")


def _check_settled(before: Round, after: Round) -> None:
    if before.state in OVER:
        raise round_over(before)
    if before.state != "setup" and after.method != before.method:
        raise conflict("METHOD_SETTLED", "Judges have begun; the method stays as it is.")


def round_over(round_: Round) -> Problem:
    return conflict(f"ROUND_{round_.state.upper()}", f"The round is {round_.state}.")


def _moved_meanwhile() -> Problem:
    return conflict("WRONG_STATE", "Somebody has moved the round on a moment ago. Look again.")
