"""Pages: the table browser, and PartiQL beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.explorer.browsing import OPERATORS, Asked, item_views, look
from tablewright.console.explorer.executing import execute
from tablewright.console.explorer.explaining import explained
from tablewright.console.explorer.grounds import Ground, ground_for, grounds_for
from tablewright.console.explorer.outcomes import exchange_view, units_of
from tablewright.console.explorer.run_routes import typed_in
from tablewright.console.explorer.running import in_time
from tablewright.console.explorer.stored import Side
from tablewright.console.tools import Tools
from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem, not_found

PAGE = 25


def browse_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def browse(request: Request) -> Response:
        await tools.admit(request)
        given = dict(request.query_params)
        allowed = await grounds_for(tools, request)
        if not allowed:
            return _page(request, "model/browse.html", allowed=allowed, ground=None)
        ground = await ground_for(tools, request, given.get("ground", allowed[0]))
        sides = sides_of(ground)
        # Who changes from live to practice tables may leave one behind that is not there.
        place = given.get("place", "")
        changing = request.headers.get("hx-request") and place not in sides
        side = _side(sides, "" if changing else place)
        asked = asked_for(side, given)
        shown = await _shown(ground, side, asked, given)
        return _page(
            request,
            "model/browse.html",
            status=shown.pop("status"),
            allowed=allowed,
            ground=ground.name,
            sides=list(sides),
            side=side,
            asked=asked,
            operators=list(OPERATORS.items()),
            **shown,
        )

    async def _shown(
        ground: Ground, side: Side, asked: Asked, given: Mapping[str, str]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {"status": 200, "items": (), "next": "", "refusal": None}
        found |= {"problem": None, "values": None}
        try:
            op = look(side, asked)
            await ground.note(f"table/{place_of(side)}", "browse")
            page = await in_time(ground.db.run(op, limit=PAGE, cursor=given.get("cursor") or None))
        except Problem as problem:
            found |= {"status": problem.status, "problem": problem, "values": given}
        except (TablewrightError, TimeoutError) as error:
            found["refusal"] = explained(error)
        else:
            found["items"] = item_views(side, list(page), ground.db.context.clock.now())
            found["next"] = _next(base, given, page.cursor)
        exchanges = ground.recording.exchanges
        found["units"] = units_of(exchanges, ground, None)
        found["exchanges"] = [exchange_view(each) for each in exchanges]
        return found

    async def statement(request: Request) -> Response:
        await tools.admit(request)
        allowed = await grounds_for(tools, request)
        given = request.query_params
        chosen = given.get("ground", next(iter(allowed), ""))
        text = given.get("statement") or _example(tools)
        return _statement_page(request, allowed, chosen, {"statement": text})

    async def run_statement(request: Request) -> Response:
        await tools.admit(request)
        typed = await typed_in(request)
        allowed = await grounds_for(tools, request)
        chosen = typed.get("ground", "practice")
        ground = await ground_for(tools, request, chosen)
        try:
            answer = await execute(ground, typed.get("statement", ""))
        except Problem as problem:
            return _statement_page(request, allowed, chosen, typed, problem=problem)
        return _statement_page(request, allowed, chosen, typed, answer=answer)

    def _statement_page(
        request: Request,
        allowed: Sequence[str],
        ground: str,
        typed: Mapping[str, str],
        *,
        answer: object = None,
        problem: Problem | None = None,
    ) -> Response:
        part = bool(request.headers.get("hx-request"))
        return _page(
            request,
            "model/_statement.html" if part else "model/statement.html",
            status=problem.status if problem is not None and not part else 200,
            part=part,
            allowed=allowed,
            ground=ground,
            values=dict(typed),
            problem=problem,
            answer=answer,
            tables=list(tools.system.model.tables.values()),
        )

    def _page(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
        crumbs = [("Data model", base)]
        return tools.pages.render(
            request, template, status=status, base=base, tab="Browse", crumbs=crumbs, **context
        )

    router.add_api_route("/model/browse", browse, methods=["GET"])
    router.add_api_route("/model/partiql", statement, methods=["GET"])
    router.add_api_route("/model/partiql", run_statement, methods=["POST"])
    return router


def sides_of(ground: Ground) -> dict[str, Side]:
    """What can be looked at, by the names that the form gives: tables with their indexes."""
    found: dict[str, Side] = {}
    for table in ground.tables.values():
        sides = (Side(table), *(Side(table, each) for each in table.indexes.values()))
        found |= {place_of(each): each for each in sides}
    return found


def place_of(side: Side) -> str:
    """A table, or a table and its index."""
    return side.table.name if side.index is None else f"{side.table.name}/{side.index.name}"


def _side(sides: Mapping[str, Side], name: str) -> Side:
    found = sides.get(name) if name else next(iter(sides.values()), None)
    if found is None:
        raise not_found("table or index")
    return found


def asked_for(side: Side, given: Mapping[str, str]) -> Asked:
    """What the query of the page's address asks for."""
    return Asked(
        partition=tuple(given.get(f"p{place}", "") for place in range(len(side.partition))),
        operator=given.get("operator", ""),
        sort=given.get("sort", ""),
        upper=given.get("upper", ""),
        backwards=given.get("backwards") == "1",
    )


def _next(base: str, given: Mapping[str, str], cursor: str | None) -> str:
    if cursor is None:
        return ""
    return f"{base}/browse?{urlencode({**given, 'cursor': cursor})}"


def _example(tools: Tools) -> str:
    first = next(iter(tools.system.model.tables), "Table")
    return f'SELECT * FROM "{first}"'
