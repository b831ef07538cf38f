"""One record of the ledger: looked up by its id, and corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from uuid import uuid4

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.pricekeeper.api.corrections import read_correction
from tablewright.systems.pricekeeper.api.rows import row_out
from tablewright.systems.pricekeeper.bodies import CorrectionIn
from tablewright.systems.pricekeeper.pages.forms import locale_of, parse_count, parse_dollars
from tablewright.systems.pricekeeper.pages.paths import BASE, Rights, app_path, org_path
from tablewright.systems.pricekeeper.rules.ids import is_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def record_path(org_id: str, app_id: str, request_id: str) -> str:
    return with_query(f"{BASE}/usage/record", org=org_id, app=app_id, request_id=request_id)


def read_form(values: Typed, request_id: str, locale: str | None = None) -> CorrectionIn:
    """The body that a form makes, or a problem at its fields."""
    errors: list[FieldError] = []
    given: dict[str, object] = {
        "request_id": request_id,
        "correction_id": values.get("correction_id", ""),
        "reason": values.get("reason", ""),
        **_tokens(values, errors, locale),
    }
    if text := values.get("cost_usd_micros", ""):
        try:
            given["cost_usd_micros"] = parse_dollars(text, locale, signed=True)
        except ValueError as wrong:
            errors.append(FieldError("body.cost_usd_micros", str(wrong)))
    if not errors and not any(given.get(name) for name in (*_TOKENS, "cost_usd_micros")):
        errors.append(
            FieldError(
                "body.input_tokens",
                "Enter the tokens or the cost to add, or a negative number to subtract.",
            )
        )
    return built(CorrectionIn, given, errors)


def _tokens(values: Typed, errors: list[FieldError], locale: str | None) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for name in _TOKENS:
        text = values.get(name, "")
        if not text:
            continue
        try:
            found[name] = parse_count(text, locale)
        except ValueError:
            message = "Enter a whole number, such as 500; -500 subtracts 500."
            errors.append(FieldError(f"body.{name}", message))
    return found


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/usage")
    anyone = Depends(keeper.runtime.auth.require("admin", "operator", "auditor"))
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))

    async def shown(
        request: Request,
        org_id: str,
        app_id: str,
        request_id: str,
        who: Principal,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        org = await keeper.orgs.get(org_id)
        app = await keeper.orgs.apps.get(org_id, app_id, deleted=True)
        record = await keeper.ledger.record(org.org_id, app.app_id, _checked(request_id))
        return pages.render(
            request,
            "pricekeeper/record.html",
            status=problem.status if problem else 200,
            org=org,
            app=app,
            row=record.row,
            out=row_out(record.row),
            corrections=[(each, row_out(each)) for each in record.corrections],
            correction_id=(values or {}).get("correction_id") or str(uuid4()),
            original=record_path(org.org_id, app.app_id, record.row.corrects or ""),
            may=Rights.of(who),
            problem=problem,
            values=values,
            crumbs=[
                ("Usage", with_query(f"{BASE}/usage", org=org.org_id, app=app.app_id)),
                (org.org_name, org_path(org.org_id)),
                (app.app_name, app_path(org.org_id, app.app_id)),
            ],
        )

    @routes.get("/record")
    async def record(
        request: Request, org: str, app: str, request_id: str, who: Principal = anyone
    ) -> Response:
        return await shown(request, org, app, request_id.strip(), who)

    @routes.post("/record")
    async def correct(
        request: Request, org: str, app: str, request_id: str, who: Principal = operator
    ) -> Response:
        values = await typed(request)
        account = await keeper.directory.account(org, app, even_disabled=True)
        try:
            body = read_form(values, _checked(request_id), locale_of(request))
            done = await keeper.corrections.correct(
                account, body.request_id, read_correction(body), who
            )
        except Problem as problem:
            if problem.status == 404:
                raise
            return await shown(request, org, app, request_id, who, problem=problem, values=values)
        message = "The record is corrected."
        if done.result == "duplicate":
            message = "That correction was made before; nothing is counted twice."
        return pages.done(request, record_path(account.org_id, account.app_id, request_id), message)

    return routes


def _checked(request_id: str) -> str:
    found = request_id.lower()
    if not is_org_id(found):
        message = "A UUID such as 0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55."
        raise invalid(FieldError("query.request_id", message))
    return found
