"""Creating an app, changing what it has of its own, and deleting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import AppIn
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.pages import limit_table
from tablewright.systems.pricekeeper.pages.forms import locale_of
from tablewright.systems.pricekeeper.pages.merging import merged, packed
from tablewright.systems.pricekeeper.pages.org_forms import in_order
from tablewright.systems.pricekeeper.pages.paths import BASE, app_path, org_path
from tablewright.systems.pricekeeper.service.settings import Saved

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: What an app may have otherwise than its organisation; empty is as that has it.
_OWN = (
    "tight_mode_threshold_pct",
    "refresh_interval_normal_secs",
    "refresh_interval_tight_secs",
)
#: The parts of the table that it has of its own, or not.
_PARTS: Mapping[str, str] = {
    "own_ordering": "chain",
    **{f"own_{field}": field for field in limit_table.QUOTAS},
}


def values_of(app: App, locale: str | None = None) -> dict[str, str]:
    """An app's settings as the form shows them."""
    numbers = {name: getattr(app, name) for name in _OWN}
    return {
        "app_name": app.app_name,
        "status": app.status,
        "own_ordering": "" if app.model_ordering is None else "1",
        **{
            f"own_{field}": "" if getattr(app, field) is None else "1"
            for field in limit_table.QUOTAS
        },
        **{name: "" if each is None else str(each) for name, each in numbers.items()},
        **limit_table.shown(
            app.model_ordering,
            {field: getattr(app, field) for field in limit_table.QUOTAS},
            locale,
        ),
    }


def read_app(
    values: Typed, labels: Sequence[str], locale: str | None = None
) -> tuple[AppIn, limit_table.Read]:
    """The body that a form makes, or a problem at its fields."""
    table = limit_table.read(values, labels, locale)
    errors = [*table.errors, *_unused(values, table)]
    own = {part: values.get(part) == "1" for part in _PARTS}
    if own["own_ordering"] and not table.ordering and not table.errors:
        errors.append(FieldError("body.order", "Give at least one label a place in the chain."))
    given = {
        "app_name": values.get("app_name", ""),
        "status": values.get("status") or None,
        "model_ordering": (table.ordering or ["none"]) if own["own_ordering"] else None,
        **{
            field: table.quotas[field] if own[f"own_{field}"] else None
            for field in limit_table.QUOTAS
        },
        **{name: values.get(name) or None for name in _OWN},
    }
    return built(AppIn, given, errors), table


def _unused(values: Typed, table: limit_table.Read) -> list[FieldError]:
    """What was typed and would not count: nobody means that."""
    typed_parts = {"own_ordering": bool(table.ordering)} | {
        f"own_{field}": bool(table.quotas[field]) for field in limit_table.QUOTAS
    }
    message = "Something is filled in below that does not count: choose “its own”, or empty it."
    return [
        FieldError(f"body.{part}", message)
        for part, filled in typed_parts.items()
        if filled and values.get(part) != "1"
    ]


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/orgs/{org_id}")
    admin = Depends(keeper.runtime.auth.require("admin"))

    async def shown(
        request: Request, org: Org, app: App | None, *, status: int = 200, **context: object
    ) -> Response:
        first = values_of(app, locale_of(request)) if app else {"status": "ACTIVE"}
        ordering = (app.model_ordering if app else None) or org.model_ordering
        crumbs = [("Organisations", f"{BASE}/orgs"), (org.org_name, org_path(org.org_id))]
        if app:
            crumbs.append((app.app_name, app_path(org.org_id, app.app_id)))
        given: dict[str, object] = {
            "org": org,
            "app": app,
            "first": first,
            "seen": packed(first),
            "version": app.version if app else "",
            "labels": in_order(await keeper.directory.labels(), ordering),
            "crumbs": crumbs,
        }
        return pages.render(
            request, "pricekeeper/app_form.html", status=status, **{**given, **context}
        )

    async def put(
        org: Org,
        app_id: str,
        values: Typed,
        who: Principal,
        locale: str | None,
        when: Precondition = UNSAID,
    ) -> Saved[App]:
        labels = [each.label for each in await keeper.directory.labels()]
        body, table = read_app(values, labels, locale)
        try:
            return await keeper.orgs.apps.put(org.org_id, app_id, body, who, when)
        except Problem as problem:
            raise table.told(problem) from problem

    @routes.get("/new-app")
    async def new(request: Request, org_id: str, who: Principal = admin) -> Response:
        return await shown(request, await keeper.orgs.get(org_id), None)

    @routes.post("/new-app")
    async def create(request: Request, org_id: str, who: Principal = admin) -> Response:
        values = await typed(request)
        org = await keeper.orgs.get(org_id)
        app_id = values.get("app_id", "")
        try:
            saved = await put(org, app_id, values, who, locale_of(request))
        except Problem as problem:
            told = _at_the_id(problem)
            again = {"problem": told, "values": values}
            return await shown(request, org, None, status=told.status, **again)
        assert saved.issued is not None  # it is new
        return pages.render(
            request,
            "pricekeeper/created.html",
            status=201,
            name=saved.entity.app_name,
            what="app",
            path=app_path(org.org_id, app_id),
            next_path="",
            client_id=saved.issued.credential.client_id,
            token=saved.issued.token,
            until=saved.issued.retrieval.expires_at_epoch,
            crumbs=[("Organisations", f"{BASE}/orgs"), (org.org_name, org_path(org.org_id))],
        )

    @routes.get("/apps/{app_id}/edit")
    async def edit(request: Request, org_id: str, app_id: str, who: Principal = admin) -> Response:
        org, app = await keeper.orgs.get(org_id), await keeper.orgs.apps.get(org_id, app_id)
        return await shown(request, org, app)

    @routes.post("/apps/{app_id}/edit")
    async def save(request: Request, org_id: str, app_id: str, who: Principal = admin) -> Response:
        values = await typed(request)
        org = await keeper.orgs.get(org_id)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            await put(org, app_id, values, who, locale_of(request), seen)
        except Problem as problem:
            app = await keeper.orgs.apps.get(org_id, app_id)
            if problem.status == 412:
                clash = merged(values, values_of(app, locale_of(request)))
                return await shown(request, org, app, status=412, values=clash.values, clash=clash)
            kept = {name: values.get(name, "") for name in ("version", "seen")}
            again = {"problem": problem, "values": values, **kept}
            return await shown(request, org, app, status=problem.status, **again)
        return pages.done(request, app_path(org.org_id, app_id), "The settings are saved.")

    @routes.post("/apps/{app_id}/delete")
    async def delete(
        request: Request, org_id: str, app_id: str, who: Principal = admin
    ) -> Response:
        values = await typed(request)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        await keeper.orgs.apps.delete(org_id, app_id, who, seen)
        return pages.done(request, org_path(org_id), "The app is deleted.", tone="info")

    return routes


def _at_the_id(problem: Problem) -> Problem:
    """An id that cannot be, or that is taken, is wrong at its field."""
    said = {
        "BAD_APP_ID": problem.detail,
        "PRECONDITION_REQUIRED": "There is an app with this id already.",
        "ALREADY_EXISTS": "There is an app with this id already.",
        "DELETED": problem.detail,
    }
    message = said.get(problem.code)
    if message is None:
        return problem
    errors = [FieldError("body.app_id", message)]
    return Problem(422, problem.code, message, errors=errors)
