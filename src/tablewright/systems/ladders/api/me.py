"""``me``: profile, tasks, one's own data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.problem_answers import Responses
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.bodies.people import MeOut, MyDataOut, me_out, my_data_out
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_FILE: Responses = {
    200: {"headers": {"Content-Disposition": {"required": True, "schema": {"type": "string"}}}}
}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Me"])
    signed_in = Depends(caller_of(company))

    @routes.get("/me")
    async def get_me(by: Caller = signed_in) -> MeOut:
        """Who the caller is, and what they may do."""
        return me_out(by)

    @routes.get("/me/export", responses=_FILE)
    async def export_my_data(response: Response, by: Caller = signed_in) -> MyDataOut:
        """All that is about the caller, as far as it was released to them."""
        response.headers["Content-Disposition"] = 'attachment; filename="my-data.json"'
        return my_data_out(await company.people.export(by))

    return routes
