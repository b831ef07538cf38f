"""How far a review has come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.client import AsyncDb
from tablewright.client.cursors import read_cursor, write_cursor
from tablewright.model.ops import Query
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Plan, Team, User
from tablewright.systems.ladders.reads import AssessmentLine
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.reminders import Reminding

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: Members on one page: their names are one request.
MOST_ROWS = 100


@dataclass(frozen=True)
class BoardRow:
    """One member: how far both sides are."""

    user_id: str
    name: str
    own: AssessmentLine | None
    manager: AssessmentLine | None


@dataclass(frozen=True)
class Progress:
    """All who take part, in numbers."""

    members: int
    #: Of assessments: two for each.
    not_started: int = 0
    in_progress: int = 0
    submitted: int = 0
    late: int = 0
    #: Members of whom both are submitted.
    done: int = 0


@dataclass(frozen=True)
class Board:
    plan: Plan
    team: Team
    progress: Progress
    #: By name, on one page.
    rows: tuple[BoardRow, ...]
    #: Where the next page begins.
    cursor: str | None = None


class Boards:
    """How far a review has come, and who is asked to go on."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def board(
        self, by: Caller, plan_id: str, *, limit: int = MOST_ROWS, cursor: str | None = None
    ) -> Board:
        """Everybody who takes part: four requests, however many they are. [A6]

        The plan, its team, a line for each assessment, and the names of one page of members. Before
        a plan is active there is nothing on it.
        """
        found = await self._company.plans.found(by, plan_id, "read_board")
        plan, team = found.plan, found.team
        roster = () if plan.status == "draft" else tuple(sorted(plan.member_ids))
        lines = await self._lines(plan) if roster else ()
        begin = None if cursor is None else _member_in(self._company.db, plan_id, cursor)
        shown, last = _page(roster, min(limit, MOST_ROWS), begin)
        rows = await self._rows(shown, lines)
        after = None if last is None else _cursor_after(self._company.db, plan_id, last)
        return Board(plan, team, _progress(roster, lines), rows, after)

    async def remind(
        self, by: Caller, plan_id: str, user_ids: Sequence[str] | None = None
    ) -> Reminding:
        """Ask those who have not submitted, or some of them; nobody twice on one day."""
        return await self._company.reminders.ask(by, plan_id, user_ids)

    # --- inside ----------------------------------------------------------------------------------

    async def _lines(self, plan: Plan) -> tuple[AssessmentLine, ...]:
        """Of those who take part; who was withdrawn is left out."""
        lines = self._company.db.iterate(reads.board(plan.plan_id))
        return tuple([each async for each in lines if each.team_member_id in plan.member_ids])

    async def _rows(
        self, user_ids: Sequence[str], lines: Iterable[AssessmentLine]
    ) -> tuple[BoardRow, ...]:
        users = await self._company.db.run(reads.users(user_ids)) if user_ids else ()
        names = {each.user_id: each for each in users if each is not None}
        found = {(each.team_member_id, each.assessment_type): each for each in lines}
        rows = [
            BoardRow(
                each,
                _name(names.get(each)),
                found.get((each, "self")),
                found.get((each, "manager")),
            )
            for each in user_ids
        ]
        return tuple(sorted(rows, key=lambda each: (each.name.casefold(), each.user_id)))


def _page(roster: Sequence[str], limit: int, after: str | None) -> tuple[Sequence[str], str | None]:
    """The members after another one, in the order of their ids, and the last if there are more."""
    left = [each for each in roster if after is None or each > after]
    return left[:limit], left[limit - 1] if len(left) > limit else None


def _cursor_after(db: AsyncDb, plan_id: str, user_id: str) -> str:
    """Signed, and bound to the plan, as all cursors are."""
    op = _listed(plan_id)
    return write_cursor(db.context.cursor_key, op.pattern, op.selection, {"after": {"S": user_id}})


def _member_in(db: AsyncDb, plan_id: str, cursor: str) -> str:
    """After whom the next page begins; raises CursorError."""
    op = _listed(plan_id)
    start = read_cursor(db.context.cursor_key, op.pattern, op.selection, cursor)
    return str(start["after"]["S"])


def _listed(plan_id: str) -> Query[AssessmentLine]:
    op = reads.board(plan_id)
    assert isinstance(op, Query)
    return op


def _name(user: User | None) -> str:
    return "" if user is None else user.name


def _progress(roster: Sequence[str], lines: Iterable[AssessmentLine]) -> Progress:
    states: dict[str, int] = {}
    submitted: dict[str, int] = {}
    late = 0
    for each in lines:
        states[each.status] = states.get(each.status, 0) + 1
        late += bool(each.late)
        if each.status == "submitted":
            submitted[each.team_member_id] = submitted.get(each.team_member_id, 0) + 1
    done = sum(sides == len(ids.ASSESSMENT_KINDS) for sides in submitted.values())
    return Progress(len(roster), **states, late=late, done=done)
