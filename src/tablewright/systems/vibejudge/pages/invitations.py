"""What a judge's link leads to. Looking at it changes nothing: programs that look into messages
follow links, too. The button makes whoever has the link a judge, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.auth.auth import address_of
from tablewright.service.auth.origins import is_ours
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem, forbidden
from tablewright.systems.vibejudge.pages.paths import desk_path, invitation_path
from tablewright.systems.vibejudge.service.judging.judges import principal_of

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: From one address; the API and the pages count together.
_INVITATIONS: Final = Rate(60)
#: A judge has no other way in than the invitation, which is used up then. Whether they still are
#: a judge is asked with every request.
SESSION_SECS: Final = 14 * 24 * 3600


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/invitations/{token}")
    auth, judges = courtroom.runtime.auth, courtroom.judging.judges

    async def limited(request: Request) -> None:
        await courtroom.runtime.limits.check("invitations", address_of(request), _INVITATIONS)

    def gone(request: Request, problem: Problem) -> Response:
        if problem.status != 404:
            raise problem
        return pages.render(request, "vibejudge/no_invitation.html", status=404)

    @routes.get("")
    async def invitation(request: Request, token: str) -> Response:
        await limited(request)
        try:
            found = await judges.invitation(token)
        except Problem as problem:
            return gone(request, problem)
        session = await auth.session(request)
        return pages.render(
            request,
            "vibejudge/invitation.html",
            invitation=found,
            action=invitation_path(token),
            # One browser has one session: whoever is signed in is not any more, then.
            who=session.principal if session is not None else None,
        )

    @routes.post("")
    async def follow(request: Request, token: str) -> Response:
        """Starts the judge's session, for a page of ours alone: no other makes somebody a judge."""
        await limited(request)
        if not is_ours(request.headers, auth.identity.settings):
            raise forbidden("This begins on a page of ours.")
        try:
            judge = await judges.followed(token)
        except Problem as problem:
            return gone(request, problem)
        answer = RedirectResponse(desk_path(judge.hack_id), 303)
        return await auth.signed_in(request, answer, principal_of(judge), secs=SESSION_SECS)

    return routes
