"""Costs: what analyses have cost, what is set aside, and another budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import Reservation
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.hackathon_form import read_budget
from tablewright.systems.vibejudge.pages.paths import scorecard_path, tab_path
from tablewright.systems.vibejudge.service.budgets import Books
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.hackathons import revision

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_LISTED = 50
#: Calls that are under way are few; a list of more would tell nobody anything.
_WAITING = 50


@dataclass(frozen=True)
class Share:
    """What one agent or one model has cost."""

    name: str
    amount: Decimal
    #: Of all, in percent.
    percent: float


@dataclass(frozen=True)
class CostLine:
    """A submission, and what it has cost."""

    submission: Submission

    @property
    def path(self) -> str:
        return scorecard_path(self.submission.hack_id, self.submission.sub_id) + "#costs"


@dataclass(frozen=True)
class HeldLine:
    """Money that is set aside for a call."""

    held: Reservation
    name: str

    @property
    def path(self) -> str:
        return scorecard_path(self.held.hack_id, self.held.sub_id)


@dataclass(frozen=True)
class Purse:
    """A budget, and where it is."""

    limit: Decimal
    spent: Decimal
    held: Decimal
    remaining: Decimal

    @classmethod
    def of(cls, books: Books) -> Purse:
        held = sum((each.amount_usd for each in books.reservations), Decimal(0))
        cost = books.cost
        limit = books.hackathon.budget_limit_usd
        return cls(limit, cost.total_cost_usd, held, cost.budget_remaining_usd)

    @property
    def limit_text(self) -> str:
        """As somebody would type it."""
        return f"{max(self.limit, Decimal(0)).normalize():f}"

    @property
    def percent(self) -> float:
        """Spent or set aside, of all."""
        return float(100 * (self.spent + self.held) / self.limit) if self.limit else 100.0


def shares(costs: Mapping[str, Decimal]) -> list[Share]:
    """The largest first."""
    whole = sum(costs.values(), Decimal(0))
    ordered = sorted(costs.items(), key=lambda each: -each[1])
    return [Share(name, spent, float(100 * spent / whole)) for name, spent in ordered if spent]


def with_budget(hackathon: HackathonDetail, values: Typed) -> HackathonIn:
    """The hackathon as it is, but for its budget; or a problem at the field."""
    now = hackathon.model_dump(include=set(HackathonIn.model_fields))
    amount, errors = read_budget(values)
    return built(HackathonIn, {**now, "budget_limit_usd": amount}, errors)


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/costs")
    owner = Depends(organizer_of(courtroom))

    async def page(
        request: Request,
        by: Caller,
        hack_id: str,
        cursor: str | None = None,
        *,
        status: int = 200,
        **more: object,
    ) -> Response:
        books = await courtroom.budgets.costs(by, hack_id)
        listed = await courtroom.submissions.list(by, hack_id, limit=_LISTED, cursor=cursor)
        path = tab_path(hack_id, "Costs")
        context: dict[str, object] = {
            "purse": Purse.of(books),
            "cost": books.cost,
            "agents": shares({str(name): each for name, each in books.cost.cost_by_agent.items()}),
            "models": shares(books.cost.cost_by_model),
            "lines": [CostLine(each) for each in listed],
            "more": with_query(path, cursor=listed.cursor) if listed.cursor else "",
            "held": await held(hack_id, books),
            "costs_path": path,
        }
        return shown(
            pages,
            request,
            "vibejudge/costs.html",
            books.hackathon,
            "Costs",
            status=status,
            **{**context, **more},
        )

    async def held(hack_id: str, books: Books) -> list[HeldLine]:
        some = books.reservations[:_WAITING]
        ids = list(dict.fromkeys(each.sub_id for each in some))
        if not ids:
            return []
        found = await courtroom.db.run(reads.submissions_exported(hack_id, ids))
        names = {each.sub_id: each.team_name for each in found if isinstance(each, Submission)}
        return [HeldLine(each, names.get(each.sub_id, each.sub_id)) for each in some]

    @routes.get("")
    async def costs(
        request: Request, hack_id: HackId, cursor: str | None = None, by: Caller = owner
    ) -> Response:
        return await page(request, by, hack_id, cursor)

    @routes.post("/budget")
    async def budget(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        values = await typed(request)
        before = await courtroom.hackathons.owned(by, hack_id)
        # Nothing else is changed by it, whoever edits the hackathon at the same time.
        seen = Precondition(if_match=f'"{revision(before)}"')
        try:
            after = await courtroom.hackathons.edit(by, hack_id, with_budget(before, values), seen)
        except Problem as problem:
            if problem.status not in (409, 412, 422):
                raise
            status = problem.status
            return await page(request, by, hack_id, status=status, problem=problem, values=values)
        said = f"The budget is ${after.budget_limit_usd:,.2f} now."
        return pages.done(request, tab_path(hack_id, "Costs"), said)

    return routes
