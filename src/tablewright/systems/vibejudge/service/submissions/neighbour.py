"""Repositories that another system of this machine hands in: the port ``SubmissionSink``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tablewright.service.auth import Principal
from tablewright.service.ports import HandedRow
from tablewright.service.ports import RowResult as Answer
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.submissions.rows import RowResult, read_row

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Only systems of one process on its own machine are joined, and they reach everything.
_BY = Caller(
    Principal(
        id="system:neighbour",
        name="Another system",
        kind="system",
        roles=frozenset({"admin"}),
        grants=frozenset({"vibejudge:admin"}),
    )
)


class Neighbour:
    """Takes in what another system hands over, as an organiser would send it."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom

    async def hand_over(self, hack_id: str, rows: Sequence[HandedRow]) -> list[Answer]:
        """Each is answered by itself; the same transactions as for rows of an organiser. [T4]"""
        given = [
            read_row(
                {
                    "team_name": row.team_name,
                    "repo_url": row.repo_url,
                    "external_id": row.external_id,
                }
            )
            for row in rows
        ]
        results = await self._courtroom.submissions.submit(_BY, hack_id, given)
        return [_answer(row, each) for row, each in zip(rows, results, strict=True)]


def _answer(row: HandedRow, result: RowResult) -> Answer:
    if result.problem is not None:
        problem = result.problem
        return Answer(row.external_id, code=problem.code, detail=problem.detail)
    return Answer(row.external_id, result.sub_id, result.status == 201)
