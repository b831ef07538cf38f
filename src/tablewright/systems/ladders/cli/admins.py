"""``admin ...``: who runs people and ladders."""

from __future__ import annotations

from cyclopts import App

from tablewright.service.commands import Answer, Desk
from tablewright.systems.ladders.cli import meant
from tablewright.systems.ladders.cli.given import Company
from tablewright.systems.ladders.cli.words import example

app = App(name="admin", help="Who runs people and ladders.")


@app.command(help_epilogue=example("admin grant --email ines@example.org --name 'Ines Okafor'"))
async def grant(company: Company, desk: Desk, /, *, email: str, name: str = "") -> Answer:
    """Make somebody an administrator; who is nobody yet is invited.

    Parameters
    ----------
    email
        Their address, which they sign in with.
    name
        What they are called, if they are nobody yet.
    """
    by = await meant.typist(company, desk)
    user = await company.people.grant(by, email, "admin", name)
    data = {"user_id": user.user_id, "roles": sorted(user.roles), "is_active": user.is_active}
    line = f"{user.user_id} is an administrator."
    lines = [line] if user.is_active else [line, "They were deactivated, and cannot sign in."]
    return Answer(lines, data)
