"""``auth.require`` as FastAPI knows it: the check, and what OpenAPI says about it."""

# FastAPI reads the annotations of a dependency, so they are not postponed here.
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Request, Security
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPBearer

from tablewright.service.auth.claims import CALLED
from tablewright.service.auth.principal import Principal

if TYPE_CHECKING:
    from tablewright.service.auth.auth import Auth

_HEADER = APIKeyHeader(name="X-API-Key", scheme_name="key", auto_error=False)
_STREAM_TOKEN = "Of `POST /stream-token`, where no header can be sent; good for a minute."


def dependency(auth: "Auth", roles: Sequence[str]) -> Callable[..., Awaitable[Principal]]:
    """The principal of a request, if they may."""
    bearer, cookie = _bearer(auth), _cookie(auth)

    async def principal(
        request: Request,
        _bearer: Annotated[object, Security(bearer)],
        _key: Annotated[object, Security(_HEADER)],
        _session: Annotated[object, Security(cookie)],
    ) -> Principal:
        return await auth.permitted(request, *roles)

    return principal


def anybody_dependency(auth: "Auth") -> Callable[..., Awaitable[Principal]]:
    """The principal of a request, whatever their roles."""
    bearer, cookie = _bearer(auth), _cookie(auth)

    async def principal(
        request: Request,
        _bearer: Annotated[object, Security(bearer)],
        _key: Annotated[object, Security(_HEADER)],
        _session: Annotated[object, Security(cookie)],
    ) -> Principal:
        return await auth.known(request)

    return principal


def stream_dependency(auth: "Auth", roles: Sequence[str]) -> Callable[..., Awaitable[Principal]]:
    """The principal who opens a stream, if they may."""
    bearer, cookie = _bearer(auth), _cookie(auth)

    async def principal(
        request: Request,
        _bearer: Annotated[object, Security(bearer)],
        _key: Annotated[object, Security(_HEADER)],
        _session: Annotated[object, Security(cookie)],
        stream_token: Annotated[str | None, Query(description=_STREAM_TOKEN)] = None,
    ) -> Principal:
        return auth.allow(await auth.stream_principal(request), *roles)

    return principal


def _bearer(auth: "Auth") -> HTTPBearer:
    token = CALLED[auth.tokens]
    described = f"{token[0].upper()}{token[1:]} of the issuer, or an API key."
    return HTTPBearer(scheme_name="bearer", description=described, auto_error=False)


def _cookie(auth: "Auth") -> APIKeyCookie:
    return APIKeyCookie(name=auth.identity.cookie, scheme_name="session", auto_error=False)
