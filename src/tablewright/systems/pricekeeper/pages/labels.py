"""Labels: the names that callers know, and the models behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages, Tone
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.bodies import LabelIn
from tablewright.systems.pricekeeper.config import Label
from tablewright.systems.pricekeeper.pages.paths import BASE

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


class Message(NamedTuple):
    """What to show after a label was saved."""

    text: str
    tone: Tone


_FIELDS = ("bedrock_model_id", "region_class", "tier", "family", "description")


def router(keeper: Keeper, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/labels")
    admin = Depends(keeper.runtime.auth.require("admin"))

    async def shown(
        request: Request,
        label: Label | None,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        models = await keeper.prices.models()
        return pages.render(
            request,
            "pricekeeper/label_form.html",
            status=problem.status if problem else 200,
            label=label,
            models=[each.model_id for each in models],
            problem=problem,
            values=values,
            crumbs=[("Prices", f"{BASE}/prices")],
        )

    async def put(name: str, values: Typed, who: Principal) -> Message:
        given = {field: values[field] for field in _FIELDS if values.get(field)}
        body = built(LabelIn, given)
        saved = await keeper.labels.put(name, body, who)
        done = f"Label “{name}” {'created' if saved.created else 'changed'}."
        if await keeper.prices.of_label(saved.label) is not None:
            return Message(done, "success")
        return Message(
            f"{done} {saved.label.bedrock_model_id} has no price: usage counts as $0.00 unless "
            "apps report what they pay, so limits on the label may have no effect. Set a price "
            "for the model, or block models without a price in the organisation's settings.",
            "warning",
        )

    @routes.get("/new")
    async def new(request: Request, who: Principal = admin) -> Response:
        return await shown(request, None)

    @routes.post("/new")
    async def create(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        name = values.get("label", "")
        try:
            if await keeper.directory.label(name) is not None:
                raise _taken()
            message = await put(name, values, who)
        except Problem as problem:
            return await shown(request, None, problem=_at_the_name(problem), values=values)
        return pages.done(request, f"{BASE}/prices", message.text, tone=message.tone)

    @routes.get("/{name}/edit")
    async def edit(request: Request, name: str, who: Principal = admin) -> Response:
        return await shown(request, await keeper.labels.get(name))

    @routes.post("/{name}/edit")
    async def save(request: Request, name: str, who: Principal = admin) -> Response:
        values = await typed(request)
        label = await keeper.labels.get(name)
        try:
            message = await put(label.label, values, who)
        except Problem as problem:
            return await shown(request, label, problem=problem, values=values)
        return pages.done(request, f"{BASE}/prices", message.text, tone=message.tone)

    return routes


def _taken() -> Problem:
    detail = "A label with this name already exists. Choose another name."
    return Problem(409, "ALREADY_EXISTS", detail, errors=[FieldError("body.label", detail)])


def _at_the_name(problem: Problem) -> Problem:
    if problem.code != "BAD_LABEL":
        return problem
    errors = [FieldError("body.label", problem.detail)]
    return Problem(422, problem.code, problem.detail, errors=errors)
