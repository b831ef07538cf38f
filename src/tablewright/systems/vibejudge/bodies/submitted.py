"""What became of rows and of freezing, as answers say it."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.bodies.submissions import (
    FrozenOut,
    ImportOut,
    RowOut,
    RowProblem,
    RowsOut,
    UnfrozenOut,
)
from tablewright.systems.vibejudge.service.freezing import Frozen
from tablewright.systems.vibejudge.service.submissions import Import, RowResult


def rows_out(results: Sequence[RowResult]) -> RowsOut:
    return RowsOut(**_counted(results), results=[_row(each) for each in results])


def import_out(begun: Import) -> ImportOut:
    results = begun.results
    return ImportOut(
        import_id=begun.import_id,
        state=begun.state,
        total=begun.total,
        done=len(results),
        **_counted(results),
        results=[_row(each) for each in results],
    )


def frozen_out(report: Frozen) -> FrozenOut:
    return FrozenOut(
        frozen=report.frozen,
        before=report.before,
        left=report.left,
        unfrozen=[
            UnfrozenOut(
                sub_id=each.submission.sub_id,
                team_name=each.submission.team_name,
                code=each.code,
                reason=each.reason,
            )
            for each in report.unfrozen
        ],
    )


def _counted(results: Sequence[RowResult]) -> dict[str, int]:
    created = sum(each.status == 201 for each in results)
    unchanged = sum(each.status == 200 for each in results)
    return {
        "created": created,
        "unchanged": unchanged,
        "refused": len(results) - created - unchanged,
    }


def _told(problem: Problem) -> RowProblem:
    return RowProblem(code=problem.code, detail=problem.detail)


def _row(result: RowResult) -> RowOut:
    problem = result.problem
    return RowOut(
        index=result.index,
        line=result.line,
        status=result.status,
        sub_id=result.sub_id,
        result_token=result.result_token,
        problem=None if problem is None else _told(problem),
        note=result.note,
    )
