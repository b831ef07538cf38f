"""``demo ...``: something to look at, and to try things with."""

from __future__ import annotations

from cyclopts import App

from tablewright.service.commands import Answer, Desk, Needs, columns, needs
from tablewright.service.problems import Problem
from tablewright.service.wording import plain
from tablewright.systems.ladders.cli import meant
from tablewright.systems.ladders.cli.given import Company
from tablewright.systems.ladders.cli.words import example

app = App(name="demo", help="Something to look at, and to try things with.")


@app.command(help_epilogue=example("demo seed --data tablewright-data"))
@needs(Needs.NOTHING)
async def seed(company: Company, desk: Desk, /) -> Answer:
    """Fill a place with a company of three teams, in the middle of a round of reviews.

    All people are made up. The place is made if it is not there. What is there already is left
    alone, so it can be run again.
    """
    from tablewright.systems.ladders.live_demo import fill, is_there

    desk.tick("filling the place with a company of three teams")
    async with company.lifespan():
        await fill(company)
        if not await is_there(company):
            raise _taken()
        by = await meant.typist(company, desk)
        found = sorted(await company.teams.list(by), key=lambda each: each.team_name)
    rows = [(plain(each.team_name), str(len(each.member_ids))) for each in found]
    told = {
        "teams": [
            {"team_id": each.team_id, "team_name": each.team_name, "members": len(each.member_ids)}
            for each in found
        ]
    }
    hint = "It runs already: look at it in the browser."
    last = hint if desk.joined else "See it in the browser: tablewright up ladders"
    return Answer([*columns(("team", "members"), rows, {"members"}), last], told)


def _taken() -> Problem:
    detail = "There is a ladder here already, and it is not the demo's. Nothing was changed."
    hint = "Give a folder of its own: tablewright ladders demo seed --data demo-data"
    return Problem(409, "NOT_EMPTY", detail, extra={"hint": hint})
