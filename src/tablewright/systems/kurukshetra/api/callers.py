"""Who calls a route, as FastAPI knows it; and the ids in its path.

An id that cannot be one is not refused here: like somebody else's, it is not there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import Depends, Path, Request, Response

from tablewright.service.auth import Principal
from tablewright.service.auth.auth import address_of
from tablewright.service.limits import Rate, RatePolicy
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

_EVENT, _UUID = "kurukshetra-2026", "4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10"
EventId: TypeAlias = Annotated[str, Path(description="The event.", examples=[_EVENT])]
TeamId: TypeAlias = Annotated[str, Path(description="The team.", examples=[_UUID])]
ParticipantId: TypeAlias = Annotated[str, Path(description="The participant.", examples=[_UUID])]
PaymentId: TypeAlias = Annotated[str, Path(description="The payment.", examples=[_UUID])]

CallerOf: TypeAlias = Callable[..., Awaitable[Caller]]


def caller_of(festival: Festival) -> CallerOf:
    """A dependency: whoever has signed in, at the event of the path ``{e}``.

    ``by: Caller = Depends(caller_of(festival))``
    """
    principal = Depends(festival.runtime.auth.require_anybody())

    async def caller(e: EventId, response: Response, by: Principal = principal) -> Caller:
        found = await festival.access.caller(by, e)
        await _limited(festival, found, response)
        return found

    return caller


async def check_registrations(festival: Festival, by: Caller, request: Request) -> dict[str, str]:
    """Limit how often somebody registers: tightly for one user, generously for one address.

    Hundreds of students may register behind one address. The API and the pages count together.
    """
    options = festival.options
    policy = RatePolicy(
        user=Rate(options.registrations_per_minute),
        address=Rate(options.registrations_per_minute_from_address),
    )
    limits, address = festival.runtime.limits, address_of(request)
    return await limits.check_caller("register", policy, user=by.uid_hash, address=address)


def role_of(festival: Festival, *roles: RoleName) -> CallerOf:
    """A dependency: somebody with one of these roles at the event, or an administrator."""
    known = Depends(caller_of(festival))

    async def caller(by: Caller = known) -> Caller:
        by.require(*roles)
        return by

    return caller


def user_of(festival: Festival) -> CallerOf:
    """A dependency: whoever has signed in, at no event in particular."""
    principal = Depends(festival.runtime.auth.require_anybody())

    async def user(response: Response, by: Principal = principal) -> Caller:
        found = await festival.access.user(by)
        await _limited(festival, found, response)
        return found

    return user


def visitor_of(festival: Festival) -> Callable[..., Awaitable[None]]:
    """A dependency of routes that are everybody's: not too often from one address."""
    limits, rate = festival.runtime.limits, Rate(festival.options.requests_per_minute)

    async def visitor(request: Request, response: Response) -> None:
        response.headers.update(await limits.check("visitors", address_of(request), rate))

    return visitor


async def _limited(festival: Festival, by: Caller, response: Response) -> None:
    """So many requests a minute, more for who has a role."""
    options = festival.options
    often = options.admin_requests_per_minute if by.roles else options.requests_per_minute
    bucket = "admin" if by.roles else "general"
    checked = await festival.runtime.limits.check(bucket, by.uid_hash, Rate(often))
    response.headers.update(checked)
