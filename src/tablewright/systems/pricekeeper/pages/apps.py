"""One app: its chain and limits as they stand, closing labels by hand, checking the counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.api.selection import body_of
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.pages.history import TITLES, spend_chart, window_of
from tablewright.systems.pricekeeper.pages.live import LiveParts
from tablewright.systems.pricekeeper.pages.overriding import override
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights, app_path, org_path
from tablewright.systems.pricekeeper.pages.standing import app_line
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.ids import client_id
from tablewright.systems.pricekeeper.service.aggregates import Sheet

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/orgs/{org_id}/apps/{app_id}")
    anyone = Depends(keeper.runtime.auth.require())
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))
    parts = LiveParts(keeper.runtime.events)

    async def found(org_id: str, app_id: str) -> tuple[Org, App]:
        return await keeper.orgs.get(org_id), await keeper.orgs.apps.get(org_id, app_id)

    async def standing(org: Org, app: App) -> dict[str, object]:
        """What the live part shows."""
        line = await app_line(keeper, org, app)
        chosen = line.selection
        selection = None if chosen is None else await body_of(keeper, chosen)
        states = [] if selection is None else selection.models_status
        return {
            "org": org,
            "app": app,
            "line": line,
            "selection": selection,
            "models": {each.label: each.bedrock_model_id for each in states},
            "limits": line.limits,
        }

    async def shown(
        request: Request,
        org: Org,
        app: App,
        who: Principal,
        *,
        window: str | None = None,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        chosen = window_of(window)
        return pages.render(
            request,
            "pricekeeper/app.html",
            status=problem.status if problem else 200,
            problem=problem,
            values=values,
            **await standing(org, app),
            account=Account(org, app),
            chart=await spend_chart(keeper, Sheet(org, app), chosen),
            windows=[(title, f"?window={title.lower()}") for title in TITLES],
            window=next(title for title, each in TITLES.items() if each == chosen),
            client_id=client_id(org.org_id, app.app_id),
            url=f"{keeper.runtime.settings.url}{BASE}",
            may=Rights.of(who),
            crumbs=[("Organisations", f"{BASE}/orgs"), (org.org_name, org_path(org.org_id))],
        )

    @routes.get("")
    async def one(
        request: Request,
        org_id: str,
        app_id: str,
        window: str | None = None,
        who: Principal = anyone,
    ) -> Response:
        return await shown(request, *await found(org_id, app_id), who, window=window)

    @routes.get("/live")
    async def live(request: Request, org_id: str, app_id: str, who: Principal = anyone) -> Response:
        org, app = await found(org_id, app_id)

        async def html() -> str:
            now = await keeper.directory.org(org.org_id) or org
            same = await keeper.directory.app(org.org_id, app.app_id) or app
            return pages.fragment("pricekeeper/app_part.html", **await standing(now, same))

        return parts.stream(request, f"app.{org.org_id}.{app.app_id}", html)

    @routes.post("/override")
    async def overridden(
        request: Request, org_id: str, app_id: str, who: Principal = operator
    ) -> Response:
        values = await typed(request)
        org, app = await found(org_id, app_id)
        try:
            message = await override(keeper, org.org_id, app.app_id, values, who)
        except Problem as problem:
            return await shown(request, org, app, who, problem=problem, values=values)
        return pages.done(request, app_path(org.org_id, app.app_id), message)

    @routes.post("/check")
    async def checked(
        request: Request, org_id: str, app_id: str, who: Principal = operator
    ) -> Response:
        """Look at the counters themselves, as a caller does with ``force_check``."""
        account = await keeper.directory.account(org_id, app_id)
        choice = (await keeper.selector.select(account, force=True)).choice
        answer = f"Use {choice.recommended}." if choice.recommended else "No label is open."
        message = f"The counters were summed just now. {answer}"
        return pages.done(request, app_path(account.org_id, account.app_id), message)

    return routes
