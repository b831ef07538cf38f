"""Routes: what somebody has to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.paging import PageBody
from tablewright.systems.ladders.api.callers import caller_of
from tablewright.systems.ladders.bodies.tasks import TaskOut, task_out
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Me"])
    caller = Depends(caller_of(company))

    @routes.get("/me/tasks")
    async def list_tasks(by: Caller = caller) -> PageBody[TaskOut]:
        """What you have to do, what is due first at the top."""
        return PageBody(items=[task_out(each) for each in await company.tasks.of(by)])

    return routes
