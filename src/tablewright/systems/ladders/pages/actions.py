"""Growth actions: forms on the page of a report and on that of growth, which both lead here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.ladders.api.callers import ActionId, ReportId, caller_of
from tablewright.systems.ladders.bodies.growth import ActionChange, ActionIn
from tablewright.systems.ladders.pages import paths
from tablewright.systems.ladders.pages.form_fields import ACTION, describe_problem, read_form
from tablewright.systems.ladders.pages.framing import REFUSED
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

#: The last second of a day is still in time.
_END = time(23, 59, 59)


def router(company: Company, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/reports/{r}/actions")
    somebody, growth, zone = Depends(caller_of(company)), company.growth, company.options.zone

    async def acted(
        request: Request, r: str, act: Callable[[Typed], Awaitable[object]], said: str
    ) -> Response:
        """Back to where the form was; what is wrong is said there."""
        values = await typed(request)
        to = paths.GROWTH if values.get("back") == "growth" else paths.report_path(r)
        place = f"{to}#actions"
        try:
            await act(values)
        except Problem as problem:
            if problem.status not in REFUSED:
                raise
            return pages.done(request, place, describe_problem(problem, ACTION), tone="warning")
        return pages.done(request, place, said)

    @routes.post("")
    async def add(request: Request, r: ReportId, by: Caller = somebody) -> Response:
        async def act(values: Typed) -> object:
            return await growth.add_action(by, r, read_form(ActionIn, _given(values, zone), ACTION))

        return await acted(request, r, act, "The growth action is added.")

    @routes.post("/{x}")
    async def change(request: Request, r: ReportId, x: ActionId, by: Caller = somebody) -> Response:
        async def act(values: Typed) -> object:
            body = read_form(ActionChange, _given(values, zone), ACTION)
            return await growth.change_action(by, r, x, body)

        return await acted(request, r, act, "Saved.")

    @routes.post("/{x}/remove")
    async def remove(request: Request, r: ReportId, x: ActionId, by: Caller = somebody) -> Response:
        async def act(_: Typed) -> object:
            return await growth.drop_action(by, r, x)

        return await acted(request, r, act, "The growth action is removed.")

    return routes


def _given(values: Typed, zone: str) -> dict[str, object]:
    """What the form has; a day means its end, where the company is."""
    found: dict[str, object] = {
        name: values[name] for name in ("title", "note", "status") if name in values
    }
    if not values.get("title", "unchanged"):
        raise invalid(FieldError("body.title", f"Is missing. {ACTION['body.title'].help}"))
    if "due" in values:
        found["due_at"] = _moment(values["due"], zone)
    return found


def _moment(text: str, zone: str) -> datetime:
    try:
        day = date.fromisoformat(text)
        return datetime.combine(day, _END, ZoneInfo(zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid(FieldError("body.due", ACTION["body.due"].help)) from None
