"""Who looks at a page.

Whether somebody may see it was decided by whoever serves it, with every check there is; here it is
only read from the cookie again, for the name in the corner, the navigation and the forms' token.
"""

from __future__ import annotations

from starlette.requests import Request

from tablewright.console.renderer import Visit
from tablewright.service.auth import Identity, Principal

_KEY = "tablewright.visit"


class Visitors:
    """Reads visits from requests."""

    def __init__(self, identity: Identity | None) -> None:
        #: None where there is no system, and so nobody to know.
        self.identity = identity

    def visit(self, request: Request) -> Visit:
        """What is known without asking the database."""
        known = request.scope.get(_KEY)
        if isinstance(known, Visit):
            return known
        identity = self.identity
        cookie = request.cookies.get(identity.cookie) if identity else None
        if identity is None or cookie is None:
            return Visit()
        session = identity.seen_session(cookie)
        if session is None:
            return Visit()
        return Visit(session.principal, identity.sessions.csrf(session))

    async def look(self, request: Request) -> Principal | None:
        """Who it is, also if the session has been ended elsewhere."""
        identity = self.identity
        if identity is None:
            return None
        session = await identity.session(request.cookies.get(identity.cookie))
        visit = Visit()
        if session is not None:
            visit = Visit(session.principal, identity.sessions.csrf(session))
        request.scope[_KEY] = visit
        return visit.visitor
