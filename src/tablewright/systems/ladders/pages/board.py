"""How far everybody in a review is, live; who is reminded, and which reports are released."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem, told
from tablewright.systems.ladders import ids
from tablewright.systems.ladders.api.callers import PlanId, caller_of
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.due import due
from tablewright.systems.ladders.pages.framing import REFUSED, shown
from tablewright.systems.ladders.pages.names import initials
from tablewright.systems.ladders.pages.row_pages import PageNumber, RowPage, page_of_rows
from tablewright.systems.ladders.reads import AssessmentLine, ReportLine
from tablewright.systems.ladders.rules import rights
from tablewright.systems.ladders.rules.rights import Who
from tablewright.systems.ladders.service.boards import Board, BoardRow
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.members import relations_in
from tablewright.systems.ladders.service.watching import Watching

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: What is on the board: both sides of a member.
Side: TypeAlias = Literal["self", "manager"]


@dataclass(frozen=True)
class Cell:
    """How far one side is."""

    line: AssessmentLine | None
    path: str

    @property
    def status(self) -> str:
        return "not_started" if self.line is None else self.line.status

    @property
    def percent(self) -> float:
        if self.line is None or not self.line.total:
            return 0.0
        return 100 * self.line.answered / self.line.total

    @property
    def late(self) -> bool:
        return self.line is not None and bool(self.line.late)


@dataclass(frozen=True)
class MemberRow:
    """One member, as the board shows them."""

    row: BoardRow
    own: Cell
    manager: Cell
    report: ReportLine | None
    report_path: str
    #: What the reader is to this member's review.
    who: frozenset[Who]

    @property
    def initials(self) -> str:
        return initials(self.row.name)

    @property
    def both(self) -> bool:
        """Nothing is to be written any more."""
        return self.own.status == self.manager.status == "submitted"

    @property
    def waiting(self) -> bool:
        """Both are in, there is no report that is up to date, and the reader may make it."""
        lacks = self.report is None or self.report.status == "stale"
        return self.both and lacks and rights.may("build_report", self.who)


@dataclass(frozen=True)
class BoardView:
    """The board, with what the reader may open on it."""

    board: Board
    #: Everybody who takes part.
    rows: list[MemberRow]
    #: Those who were searched for, on one page.
    shown: RowPage[MemberRow]
    q: str
    #: Where what changes is fetched again.
    part: str

    @property
    def percent(self) -> float:
        """Of assessments, how many are submitted."""
        whole = 2 * self.board.progress.members
        return 100 * self.board.progress.submitted / whole if whole else 0.0

    @property
    def open(self) -> int:
        """Assessments that are not submitted."""
        return 2 * self.board.progress.members - self.board.progress.submitted

    @property
    def ready(self) -> int:
        """Reports that wait for being released."""
        return sum(
            each.report is not None and each.report.status == "generated" for each in self.rows
        )


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/plans/{plan_id}/board")
    caller = Depends(caller_of(company))
    watching = Watching(company)
    zone = company.options.zone

    async def whole(by: Caller, plan_id: str) -> Board:
        """All members, by name: what is fetched again has to be all that is shown."""
        board = await company.boards.board(by, plan_id)
        rows, cursor = [*board.rows], board.cursor
        while cursor is not None:
            more = await company.boards.board(by, plan_id, cursor=cursor)
            rows += more.rows
            cursor = more.cursor
        rows.sort(key=lambda each: (each.name.casefold(), each.user_id))
        return replace(board, rows=tuple(rows), cursor=None)

    async def view_of(by: Caller, plan_id: str, q: str = "", page: int = 1) -> BoardView:
        board = await whole(by, plan_id)
        reports = {each.team_member_id: each for each in await company.reports.of_plan(by, plan_id)}
        members = [each.user_id for each in board.rows]
        who = await relations_in(company, by, board.team, members)
        rows = [_member(plan_id, each, reports, who[each.user_id]) for each in board.rows]
        here = paths.board_path(plan_id)
        shown_now = page_of_rows(rows, lambda row: (row.row.name,), here, q=q, page=page)
        part = with_query(f"{here}/part", q=q, page=page if page > 1 else None)
        return BoardView(board, rows, shown_now, q, part)

    def context(view: BoardView) -> dict[str, object]:
        plan_id = view.board.plan.plan_id
        here = paths.board_path(plan_id)
        return {
            "view": view,
            "plan": view.board.plan,
            "here": here,
            "plan_path": paths.plan_path(plan_id),
            "live": f"{here}/live",
            "part": view.part,
        }

    @routes.get("")
    async def board(
        request: Request, plan_id: PlanId, q: str = "", page: PageNumber = 1, by: Caller = caller
    ) -> Response:
        view = await view_of(by, plan_id, q[:200], page)
        plan, team = view.board.plan, view.board.team
        return shown(
            pages,
            request,
            "ladders/board.html",
            by,
            **context(view),
            team=team,
            zone=zone,
            due=due(plan.end_date, company.now(), zone),
            heatmap=paths.heatmap_path(team.team_id, plan_id),
            crumbs=[
                ("Teams", paths.TEAMS),
                (team.team_name, paths.team_path(team.team_id)),
                (plan.plan_name, paths.plan_path(plan_id)),
            ],
        )

    @routes.get("/part")
    async def part(
        request: Request, plan_id: PlanId, q: str = "", page: PageNumber = 1, by: Caller = caller
    ) -> Response:
        """What changes, as it is now."""
        view = await view_of(by, plan_id, q[:200], page)
        return shown(pages, request, "ladders/_board.html", by, **context(view))

    @routes.get("/live")
    async def live(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        return await watching.stream(request, by, plan_id)

    @routes.post("/remind")
    async def remind(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        """Everybody who is late, or one of them."""
        chosen = (await typed(request)).get("user_id", "")
        here = paths.board_path(plan_id)
        try:
            asked = await company.boards.remind(by, plan_id, [chosen] if chosen else None)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, here, told(problem), tone="danger")
        if asked.told:
            people = "1 person gets" if asked.told == 1 else f"{asked.told} people get"
            return pages.done(request, here, f"{people} a mail.")
        quiet = "Nobody has anything open." if not asked.open else "All were told today already."
        return pages.done(request, here, quiet, tone="info")

    @routes.post("/build")
    async def build(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        """A report that the system has not made yet."""
        member = (await typed(request)).get("user_id", "")
        here = paths.board_path(plan_id)
        try:
            found = await company.reports.build(by, plan_id, member)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, here, told(problem), tone="danger")
        return pages.done(request, paths.report_path(found.report.report_id), "Here is the report.")

    @routes.post("/release")
    async def release(request: Request, plan_id: PlanId, by: Caller = caller) -> Response:
        """All reports that wait for it, each by itself: a repetition goes on."""
        here = paths.board_path(plan_id)
        waiting = [
            each
            for each in await company.reports.of_plan(by, plan_id)
            if each.status == "generated"
        ]
        done = 0
        for each in waiting:
            try:
                await company.reports.release(by, each.report_id)
            except Problem as problem:
                if problem.status not in REFUSED:
                    raise
                continue
            done += 1
        if done < len(waiting):
            left = (
                f"{done} of {len(waiting)} reports are released. Look at the others, and try again."
            )
            return pages.done(request, here, left, tone="warning")
        reports = "1 report is" if done == 1 else f"{done} reports are"
        return pages.done(request, here, f"{reports} released: the members can read them.")

    return routes


def _member(
    plan_id: str, row: BoardRow, reports: dict[str, ReportLine], who: frozenset[Who]
) -> MemberRow:
    """What the reader may not open has no link."""
    report = reports.get(row.user_id)
    return MemberRow(
        row,
        Cell(row.own, _path(plan_id, row, "self", opens=_opens(row.own, who, report))),
        Cell(row.manager, _path(plan_id, row, "manager", opens=_opens(row.manager, who, report))),
        report,
        "" if report is None else paths.report_path(report.report_id),
        who,
    )


def _opens(line: AssessmentLine | None, who: frozenset[Who], report: ReportLine | None) -> bool:
    if line is None:
        return False
    facts = rights.assessment_facts(line.status, None if report is None else report.status)
    return rights.may(f"read_{line.assessment_type}_assessment", who, facts)


def _path(plan_id: str, row: BoardRow, side: Side, *, opens: bool) -> str:
    return paths.assessment_path(ids.assessment_id(plan_id, row.user_id, side)) if opens else ""
