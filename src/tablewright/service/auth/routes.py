"""What a process mounts at ``/auth``, once: signing in and out, and the local issuer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response
from pydantic import BaseModel
from starlette.responses import RedirectResponse

from tablewright.service.auth.auth import Auth, address_of
from tablewright.service.auth.cookies import drop_cookie, set_cookie
from tablewright.service.auth.local_routes import check_host, local_routes
from tablewright.service.auth.origins import is_ours, safe_path
from tablewright.service.auth.sign_in import LASTS_SECS, SignIn
from tablewright.service.buckets import Rate
from tablewright.service.problems import FieldError, forbidden, invalid, not_found

#: Of one address: each may cost a request to the issuer.
SIGN_INS = Rate(60)

_Next = Annotated[str, Query(alias="next", max_length=2000)]
_NextField = Annotated[str, Form(alias="next", max_length=2000)]


class Me(BaseModel):
    """Who has signed in with this browser."""

    id: str
    name: str
    roles: list[str]
    #: Seconds since the epoch.
    expires_at: int
    #: For the header ``X-CSRF-Token``.
    csrf_token: str


def routers(auth: Auth) -> Sequence[APIRouter]:
    """All of them; those of the local issuer only where it exists."""
    local = auth.identity.local
    given = [_session_routes(auth)]
    if auth.identity.sign_in is not None:
        given.append(_issuer_routes(auth, auth.identity.sign_in))
    if local is not None:
        given.append(local_routes(auth.identity, local))
        given.append(_demo_routes(auth))
    return given


def _session_routes(auth: Auth) -> APIRouter:
    router = APIRouter()

    @router.get("/me")
    async def me(request: Request) -> Me:
        """Who has signed in, and the token for requests of scripts."""
        session = await auth.session(request)
        if session is None:
            raise auth.unauthenticated()
        who = session.principal
        return Me(
            id=who.id,
            name=who.name,
            roles=sorted(who.grants),
            expires_at=session.ends,
            csrf_token=auth.identity.sessions.csrf(session),
        )

    @router.post("/sign-out", status_code=303, response_class=RedirectResponse)
    async def sign_out(request: Request, next: _NextField = "/") -> Response:
        """End the session, here and in every copy of its cookie."""
        # Without the store: signing out works while it is down.
        session = auth.identity.seen_session(request.cookies.get(auth.identity.cookie))
        if session is not None:
            await auth.check_page(request, session)
            await auth.identity.ended.end(session)
        response = _to(request, safe_path(next))
        drop_cookie(response, auth.identity.settings, auth.identity.cookie)
        return response

    return router


def _demo_routes(auth: Auth) -> APIRouter:
    router = APIRouter()

    @router.post("/sign-in", status_code=303, response_class=RedirectResponse)
    async def sign_in(
        request: Request, user: Annotated[str, Form(max_length=254)], next: _NextField = "/"
    ) -> Response:
        """Sign in as a demo user, or with an e-mail address."""
        check_host(request, auth.identity.settings)
        if not is_ours(request.headers, auth.identity.settings):
            raise forbidden("Signing in begins on a page of ours.")
        local = auth.identity.local
        found = local.user(user) if local else None
        if found is None:
            if "@" in user:
                raise invalid(
                    FieldError("body.user", "E-mail address: enter one such as asha@example.org.")
                )
            raise not_found("demo user")
        response = _to(request, safe_path(next))
        return await auth.signed_in(request, response, found.principal())

    return router


def _issuer_routes(auth: Auth, sign_in: SignIn) -> APIRouter:
    router = APIRouter()
    settings = auth.identity.settings

    @router.get("/sign-in", status_code=302, response_class=RedirectResponse)
    async def begin(request: Request, next: _Next = "/") -> Response:
        """Go to the issuer to sign in. A link, since forms may only lead to pages of ours."""
        await auth.limits.check("sign-in", address_of(request), SIGN_INS)
        begun = await sign_in.begin(next)
        response = RedirectResponse(begun.url, 302)
        set_cookie(response, settings, begun.cookie, begun.value, LASTS_SECS)
        return response

    @router.get("/callback", status_code=303, response_class=RedirectResponse)
    async def callback(request: Request) -> Response:
        """Come back from the issuer."""
        await auth.limits.check("sign-in", address_of(request), SIGN_INS)
        finished = await sign_in.finish(request.query_params, request.cookies)
        response = RedirectResponse(finished.target, 303)
        drop_cookie(response, settings, finished.cookie)
        return await auth.signed_in(request, response, finished.principal)

    return router


def _to(request: Request, path: str) -> Response:
    """Go on to a page; htmx follows a header instead."""
    if request.headers.get("hx-request"):
        return Response(status_code=204, headers={"HX-Redirect": path})
    return RedirectResponse(path, 303)
