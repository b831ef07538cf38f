"""Pages: the plan with its sliders, and the heat of partitions by simulation.

The form is sent at every move of a slider; the answer is the plan as a part of the page, with the
address that says the same. The heat takes longer, and comes by a request of its own.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.explorer.plan_controls import groups, overall
from tablewright.console.explorer.plan_outlook import scenario_text
from tablewright.console.explorer.plan_settings import PlanSettings, number_text, read_settings
from tablewright.console.explorer.planning import Planning
from tablewright.console.explorer.views import demo_of
from tablewright.console.tools import Tools
from tablewright.plan.charts import cost_chart
from tablewright.service.limits import Rate
from tablewright.service.problems import Problem

#: Of one person. A simulation takes up to a second of one processor.
PLANS = Rate(per_minute=600, burst=120)
SIMULATIONS = Rate(per_minute=60, burst=20)
_COMMAND = "tablewright plan MODEL --scenario plan.toml"


class _Desk:
    """The plan's pages of one system."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.base = f"{tools.base}/model"
        self.path = f"{self.base}/plan"
        self.planning = Planning(tools.system.model, demo_of(tools.system))
        # One after the other: the processor is there for others, too.
        self.simulating = asyncio.Lock()

    async def settings(self, request: Request) -> PlanSettings:
        """What the address says; the first time the model is planned, beside the loop."""
        known = await asyncio.to_thread(lambda: self.planning.known)
        return read_settings(request.query_params, known)

    async def shown(self, settings: PlanSettings) -> dict[str, Any]:
        """What both the page and its part show."""
        view = await asyncio.to_thread(self.planning.view, settings)
        return {
            "view": view,
            "settings": settings,
            "path": self.path,
            "base": self.base,
            "query": settings.query,
            "scenario": scenario_text(self.planning.outlook(settings), _COMMAND),
            "problem": None,
        }

    def controls(self, settings: PlanSettings) -> dict[str, Any]:
        return {
            "tab": "Plan",
            "crumbs": [("Data model", self.base)],
            "overall": overall(settings),
            "groups": groups(self.planning, settings, self.base),
            "regions": self.planning.known.regions,
            "utilisation": number_text(settings.utilisation),
        }

    def address(self, settings: PlanSettings) -> str:
        return f"{self.path}?{settings.query}" if settings.changed else self.path


def plan_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    desk = _Desk(tools)

    async def plan(request: Request) -> Response:
        who = await tools.admit(request)
        await tools.runtime.limits.check("plan", who.id, PLANS)
        if request.headers.get("hx-request"):
            return await _part(desk, request)
        settings = await desk.settings(request)
        shown = await desk.shown(settings)
        controls = await asyncio.to_thread(desk.controls, settings)
        return tools.pages.render(request, "model/plan.html", **shown, **controls)

    async def heat(request: Request) -> Response:
        who = await tools.admit(request)
        settings = await desk.settings(request)
        await tools.runtime.limits.check("plan-heat", who.id, SIMULATIONS)
        async with desk.simulating:
            simulated = await asyncio.to_thread(desk.planning.simulate, settings)
        part = bool(request.headers.get("hx-request"))
        return tools.pages.render(
            request,
            "model/_plan_heat.html" if part else "model/plan_heat.html",
            simulated=simulated,
            crumbs=[("Data model", desk.base), ("Plan", desk.address(settings))],
        )

    async def chart(request: Request) -> Response:
        await tools.admit(request)
        settings = await desk.settings(request)
        drawn = cost_chart(await asyncio.to_thread(desk.planning.plan, settings))
        saved = f'attachment; filename="{tools.system.name}-cost.svg"'
        headers = {"Content-Disposition": saved}
        return Response(drawn, media_type="image/svg+xml", headers=headers)

    router.add_api_route("/model/plan", plan, methods=["GET"])
    router.add_api_route("/model/plan/heat", heat, methods=["GET"])
    router.add_api_route("/model/plan/cost.svg", chart, methods=["GET"])
    return router


async def _part(desk: _Desk, request: Request) -> Response:
    """The plan alone; what makes no sense is said in its place, since the form stays as it is."""
    try:
        settings = await desk.settings(request)
    except Problem as problem:
        if problem.code != "INVALID":
            raise
        return desk.tools.pages.render(request, "model/_plan.html", problem=problem)
    shown = await desk.shown(settings)
    response = desk.tools.pages.render(request, "model/_plan.html", part=True, **shown)
    response.headers["HX-Replace-Url"] = desk.address(settings)
    return response
