"""The page on which administrators of a system end the sessions of a user."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.tools import Tools
from tablewright.service.auth.key_routes import SessionsEnd
from tablewright.service.forms import Typed, built, typed
from tablewright.service.problems import Problem


def session_routes(tools: Tools) -> APIRouter:
    """Make the routes of one system; they are for its administrators."""
    router = APIRouter(include_in_schema=False)
    path = f"{tools.base}/sessions"
    auth = tools.runtime.auth

    def show(
        request: Request, problem: Problem | None = None, values: Typed | None = None
    ) -> Response:
        return tools.pages.render(
            request,
            "sessions.html",
            status=problem.status if problem else 200,
            path=path,
            problem=problem,
            values=values,
            hours=tools.runtime.settings.session_hours,
        )

    async def page(request: Request) -> Response:
        await auth.permitted(request, "admin")
        return show(request)

    async def end(request: Request) -> Response:
        admin = await auth.permitted(request, "admin")
        values = await typed(request)
        try:
            body = built(SessionsEnd, {"user": values.get("user", "")})
            await auth.end_sessions(admin, body.user)
        except Problem as problem:
            return show(request, problem, values)
        return tools.pages.done(request, path, f"All sessions of {body.user} have ended.")

    router.add_api_route("/sessions", page, methods=["GET"])
    router.add_api_route("/sessions", end, methods=["POST"])
    return router
