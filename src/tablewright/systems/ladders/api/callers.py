"""Who calls a route, as FastAPI knows it; and the ids in its path.

An id that cannot be one is not refused here: like somebody else's, it is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import Depends, Path, Request, Response

from tablewright.service.auth import Principal
from tablewright.service.buckets import Rate
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_UUID = "4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10"
UserId: TypeAlias = Annotated[str, Path(description="The user.", examples=[_UUID])]
TeamId: TypeAlias = Annotated[str, Path(description="The team.", examples=[_UUID])]
PlanId: TypeAlias = Annotated[str, Path(description="The plan.", examples=[_UUID])]
AssessmentId: TypeAlias = Annotated[str, Path(description="The assessment.", examples=[_UUID])]
ReportId: TypeAlias = Annotated[str, Path(description="The report.", examples=[_UUID])]
ActionId: TypeAlias = Annotated[str, Path(description="The growth action.", examples=[_UUID])]
ConfigId: TypeAlias = Annotated[
    str, Path(description="The version of the ladder.", examples=[_UUID])
]

CallerOf: TypeAlias = Callable[..., Awaitable[Caller]]


def caller_of(company: Company) -> CallerOf:
    """A dependency: whoever has signed in and is a user of the company, or an operator.

    ``by: Caller = Depends(caller_of(company))``
    """
    principal = Depends(company.runtime.auth.require_anybody())
    limits, rate = company.runtime.limits, Rate(company.options.requests_per_minute)

    async def caller(request: Request, response: Response, by: Principal = principal) -> Caller:
        response.headers.update(await limits.check("general", by.id, rate))
        found = await company.people.caller(by)
        # What the navigation has goes by them: the sign-in knows nothing of the company's roles.
        request.state.own_roles = found.user.roles
        return found

    return caller
