"""``demo``: something to look at, and to try things with."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Afterwards, Answer, Desk, Line, Needs, columns, needs
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.rules.spoken import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tablewright.systems.vibejudge.entities import HackathonDetail
    from tablewright.systems.vibejudge.service.standings import Ranked

#: For all repositories together: longer than that, something else is the matter.
_SECS = 300.0
_PAUSE_SECS = 0.2


@needs(Needs.NOTHING)
async def demo(
    courtroom: Courtroom,
    desk: Desk,
    /,
    *,
    fill_only: bool = False,
    port: Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))] = None,
) -> Answer:
    """Fill a place with four hackathons and nine repositories, and run it, until Ctrl-C.

    Nothing is fetched: the repositories come with the program. They are judged while it runs. The
    place is made if it is not there. What is there already is left alone, so it can be run again.
    A place that runs already is only filled, and so is one with --json.

    Parameters
    ----------
    fill_only
        Do not run it: judge here, and end.
    port
        Port to listen on, 8080 if nothing is said; 0 takes a free one.
    """
    from tablewright.systems.vibejudge.live_demo import fill

    if courtroom.runtime.settings.data is None:
        # Whoever works on them later would not find them.
        detail = "The demo's repositories are kept in a data folder, and there is none."
        raise Problem(409, "NO_DATA_FOLDER", detail, extra={"hint": "Give --data DIR as well."})
    desk.tick("filling the place with four hackathons and nine repositories")
    async with courtroom.lifespan():
        await fill(courtroom)
        # What runs here, or will, judges by itself while somebody looks on.
        if (fill_only or desk.json) and not desk.joined:
            await _judged(courtroom, desk)
        told = await _told(courtroom)
    if desk.joined:
        return Answer([*told.lines, "It runs already: look at it in the browser."], told.data)
    if fill_only or desk.json:
        return Answer([*told.lines, "See it in the browser: tablewright up"], told.data)
    return Answer(told.lines, told.data, then=Afterwards(nullcontext({}), port))


async def _judged(courtroom: Courtroom, desk: Desk) -> None:
    """Do the jobs here: nobody else is there who would."""
    import asyncio

    from tablewright.systems.vibejudge.live_demo import go_on

    async with asyncio.timeout(_SECS):
        while not await go_on(courtroom):
            work = asyncio.create_task(courtroom.analyst.work_once())
            try:
                while not work.done():
                    desk.tick(f"judging: {await _progress(courtroom)}")
                    await asyncio.wait([work], timeout=_PAUSE_SECS)
                await work
            finally:
                work.cancel()
            # Nothing was due, if somebody else has begun it and not come to the end.
            await asyncio.sleep(_PAUSE_SECS)


async def _progress(courtroom: Courtroom) -> str:
    from tablewright.systems.vibejudge import job_reads

    jobs = [each async for each in courtroom.db.iterate(job_reads.jobs_by_status("running"))]
    done = sum(each.completed_submissions for each in jobs)
    return f"{done} of {sum(each.total_submissions for each in jobs)} submissions"


async def _told(courtroom: Courtroom) -> Answer:
    """The hackathons, and who is ahead in the one that is released."""
    from tablewright.systems.vibejudge.live_demo.cast import PLANS, RELEASED
    from tablewright.systems.vibejudge.live_demo.filling import hackathons, who

    caller = await who(courtroom)
    assert caller is not None, "it has just been filled"
    known = await hackathons(courtroom, caller)
    made = [known[plan.name] for plan in PLANS]
    board = await courtroom.standings.leaderboard(known[RELEASED.name], limit=50)
    lines = [*_hackathon_lines(made), *_board_lines(RELEASED.name, board.items)]
    return Answer(lines, {"hackathons": _hackathon_data(made), "leaderboard": _board_data(board)})


def _hackathon_lines(made: Sequence[HackathonDetail]) -> list[Line]:
    rows = [(each.name, _state(each), f"{each.submission_count}", each.hack_id) for each in made]
    return columns(("hackathon", "state", "submissions", "id"), rows, right=("submissions",))


def _state(hackathon: HackathonDetail) -> str:
    return "released" if hackathon.released_at is not None else hackathon.status


def _board_lines(name: str, board: Sequence[Ranked]) -> list[Line]:
    if not board:
        return []
    rows = [
        (
            f"{each.rank}",
            each.row.team_name,
            f"{each.row.rank_score:.2f}",
            spoken(each.row.recommendation or ""),
        )
        for each in board
    ]
    return ["", name, *columns(("rank", "team", "score", "says"), rows, right=("rank", "score"))]


def _hackathon_data(made: Sequence[HackathonDetail]) -> list[dict[str, object]]:
    return [
        {
            "hack_id": each.hack_id,
            "name": each.name,
            "state": _state(each),
            "submission_count": each.submission_count,
        }
        for each in made
    ]


def _board_data(board: Iterable[Ranked]) -> list[dict[str, object]]:
    return [
        {
            "rank": each.rank,
            "sub_id": each.row.sub_id,
            "team_name": each.row.team_name,
            "score": float(each.row.rank_score),
            "recommendation": each.row.recommendation,
        }
        for each in board
    ]
