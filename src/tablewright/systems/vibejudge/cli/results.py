"""``leaderboard``, ``scorecard``, ``export``: what a hackathon has come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Line, columns
from tablewright.service.output_files import to_file, to_stream
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom
from tablewright.systems.vibejudge.rules.spoken import spoken

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.bodies.standings import StandingOut
    from tablewright.systems.vibejudge.entities import HackathonDetail

#: Rows of a leaderboard that are read at once.
_PAGE = 100


async def leaderboard(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    *,
    limit: Annotated[int, Parameter(name=("--limit", "-n"), validator=Number(gte=1))] = 50,
    all: Annotated[bool, Parameter(negative=())] = False,
) -> Answer:
    """Show who is ahead. Who has no score yet is not in it; equal scores share a rank.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    limit
        So many of the best.
    all
        All of them.
    """
    found = await meant.hackathon(courtroom, desk, hackathon)
    rows = await _ranked(courtroom, desk, found, None if all else limit)
    told = {
        "hack_id": found.hack_id,
        "name": found.name,
        "released": found.released_at is not None,
        "items": [each.model_dump(mode="json") for each in rows],
    }
    if not rows:
        hint = f"tablewright vibejudge run {found.hack_id} analyses them."
        return Answer([f"Nothing of {plain(found.name)} has a score yet: {hint}"], told)
    head = ("rank", "team", "score", "confidence", "says", "id")
    lines = columns(head, [_row(each) for each in rows], {"rank", "score", "confidence"})
    return Answer([*lines, *_more(found, len(rows), None if all else limit)], told)


async def _ranked(
    courtroom: Courtroom, desk: Desk, found: HackathonDetail, limit: int | None
) -> list[StandingOut]:
    from tablewright.systems.vibejudge.bodies.standings import standing_out

    rows: list[StandingOut] = []
    cursor: str | None = None
    while limit is None or len(rows) < limit:
        size = _PAGE if limit is None else min(_PAGE, limit - len(rows))
        page = await courtroom.standings.leaderboard(found, size, cursor)
        rows += [standing_out(each) for each in page]
        cursor = page.cursor
        if cursor is None:
            break
        desk.tick(f"reading: {several(len(rows), 'row')}")
    return rows


def _row(each: StandingOut) -> tuple[str, ...]:
    partial = ", partial" if each.partial else ""
    return (
        f"{each.rank}",
        plain(each.team_name),
        f"{each.score:.2f}",
        "-" if each.confidence is None else f"{each.confidence:.2f}",
        f"{spoken(each.recommendation or '-')}{partial}",
        each.sub_id,
    )


def _more(found: HackathonDetail, shown: int, limit: int | None) -> list[Line]:
    left = found.submission_count - shown
    if left <= 0:
        return []
    unseen = limit is not None and shown >= limit
    what = "after them, or without a score" if unseen else "without a score"
    return [f"{several(left, 'submission')} {what}."]


async def scorecard(
    courtroom: Courtroom,
    desk: Desk,
    /,
    submission: str,
    *,
    hackathon: str | None = None,
    html: Path | None = None,
) -> Answer:
    """Show what a submission has come to, with the evidence.

    Parameters
    ----------
    submission
        Its id, as the leaderboard shows it; or with --hackathon the name of its team.
    hackathon
        The hackathon, by id or name.
    html
        Write it to this file as well, as a page for a browser.
    """
    from tablewright.systems.vibejudge.bodies.scorecards import scorecard_out
    from tablewright.systems.vibejudge.cli.analysing import coloured, width
    from tablewright.systems.vibejudge.cli.stored_cards import card_of

    found, handed_in = await meant.submission(courtroom, desk, submission, hackathon)
    try:
        stored = await courtroom.scorecards.of(found, handed_in)
    except Problem as problem:
        if problem.code == "NOT_SCORED" and handed_in.error_message:
            problem.detail = f"{problem.detail} {handed_in.error_message}"
        raise
    card = card_of(stored)
    if html is not None:
        from tablewright.systems.vibejudge.cli.card_page import card_page

        html.write_text(card_page(card), encoding="utf-8")
    if desk.json:
        return Answer([], scorecard_out(stored).model_dump(mode="json"))
    from tablewright.systems.vibejudge.cli.card_text import card_text

    text = card_text(card, width=width(), colour=coloured(desk))
    return Answer([text, *([] if html is None else [f" Written to {html}."])])


async def export(
    courtroom: Courtroom, desk: Desk, /, hackathon: str, *, out: Path | None = None
) -> Answer:
    """Write the results as CSV: by rank, then whoever has none.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    out
        A file to write; it is there when it is complete. Else standard output.
    """
    if out is None and desk.json:
        raise invalid(FieldError("--out", "is needed with --json: the rows cannot go there, too"))
    found = await meant.hackathon(courtroom, desk, hackathon)
    pieces = await courtroom.exports.csv(meant.typist(desk), found.hack_id)
    if out is None:
        await to_stream(pieces, desk.stdout)
        return Answer()
    size = await to_file(pieces, out)
    return Answer([f"{out}: {size:,} bytes of CSV"], {"file": str(out), "bytes": size})
