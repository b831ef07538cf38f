"""`tablewright <system> sessions ...`: end the browser sessions of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App

from tablewright.service.commands import Answer, Desk

if TYPE_CHECKING:
    from tablewright.service.runtime import Runtime
else:
    # Help evaluates annotations, and must not import a service for that.
    Runtime = object


def sessions_app(system: str) -> App:
    """Make the commands for one system."""
    app = App(name="sessions", help="End the browser sessions of a user.")
    app.command(
        end,
        help_epilogue=f"Example: tablewright {system} sessions end asha@example.org --data data",
    )
    return app


async def end(runtime: Runtime, desk: Desk, /, user: str) -> Answer:
    """End all browser sessions of a user, at once and in every process.

    Parameters
    ----------
    user
        The e-mail address they sign in with, or their user id.
    """
    await runtime.auth.end_sessions(desk.by, user)
    return Answer([f"All sessions of {user} have ended."], {"user": user})
