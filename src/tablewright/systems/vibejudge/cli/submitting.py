"""``submit``: repositories are handed in, one or a file of them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from tablewright.service.commands import Answer, Desk, Line, Styled, columns
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import STDIN, checked, file_name
from tablewright.service.wording import plain, several
from tablewright.systems.vibejudge.cli import meant
from tablewright.systems.vibejudge.cli.given import Courtroom

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import HackathonDetail
    from tablewright.systems.vibejudge.service.submissions import RowResult
    from tablewright.systems.vibejudge.service.submissions.rows import Given

_MOST_BYTES = 20 * 1024 * 1024
_LOOK_SECS = 0.1
InFile = Annotated[Path | None, Parameter(name="--csv", allow_leading_hyphen=True)]


async def submit(
    courtroom: Courtroom,
    desk: Desk,
    /,
    hackathon: str,
    url: str | None = None,
    *,
    team: str | None = None,
    external_id: str | None = None,
    file: InFile = None,
    tokens: Path | None = None,
) -> Answer:
    """Hand in a repository for a team, or a file of them.

    It is safe to run again: a repository and a team take part once. If a row is refused, the
    exit code is 1; the others are handed in.

    Parameters
    ----------
    hackathon
        Its id, or its name.
    url
        The repository, as https://github.com/OWNER/NAME (also GitLab, Bitbucket, Codeberg).
    team
        The name of the team, up to 50 characters.
    external_id
        What another system calls the submission; sent again it is the same one.
    file
        A CSV file with the columns team_name and repo_url (and external_id), or as Devpost exports
        it; - is standard input. Up to 500 rows.
    tokens
        Write the tokens that teams see their results with to this CSV file, which only you can
        read. Else they are printed. They are shown this once.
    """
    rows, lines = _given(desk, url, team, external_id, file)
    found = await meant.hackathon(courtroom, desk, hackathon)
    async with courtroom.lifespan():
        results = await _stored(courtroom, desk, found, rows, lines)
    names = [_team(each) for each in rows]
    if tokens is not None:
        _write_tokens(tokens, results, names)
    return _answer(found, results, names, tokens, single=file is None)


# --- what is typed -------------------------------------------------------------------------------


def _given(
    desk: Desk, url: str | None, team: str | None, external_id: str | None, file: Path | None
) -> tuple[list[Given], list[int]]:
    """The rows, and the lines of a file that they begin at."""
    from tablewright.systems.vibejudge.bodies.submissions import SubmissionIn
    from tablewright.systems.vibejudge.service.submissions.files import read_file

    if (file is None) == (url is None):
        raise invalid(FieldError("url", "a repository, or --csv FILE: one of both is needed"))
    if file is not None:
        if team is not None or external_id is not None:
            raise invalid(FieldError("--team", "goes with a repository; a file names its teams"))
        return read_file(_data(desk, file))
    if team is None:
        raise invalid(FieldError("--team", "is needed: whose repository is it?"))
    sent = {"team_name": team, "repo_url": url, "external_id": external_id}
    return [checked(SubmissionIn, sent)], []


def _data(desk: Desk, file: Path) -> bytes:
    try:
        if file == STDIN:
            data = desk.stdin.read(_MOST_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"{file_name(file)}: {error.strerror or error}"
        raise invalid(FieldError("--csv", message)) from None
    if len(data) > _MOST_BYTES:
        raise invalid(FieldError("--csv", f"{file_name(file)} is larger than 20 MB"))
    return data


def _team(row: Given) -> str:
    from tablewright.systems.vibejudge.service.submissions.rows import body_of

    body = body_of(row)
    return "-" if body is None else body.team_name


# --- what becomes of it --------------------------------------------------------------------------


async def _stored(
    courtroom: Courtroom,
    desk: Desk,
    found: HackathonDetail,
    rows: Sequence[Given],
    lines: Sequence[int],
) -> list[RowResult]:
    """Beside this command, which says how far it is."""
    begun = await courtroom.submissions.submit_beside(
        meant.typist(desk), found.hack_id, rows, lines
    )
    while begun.state == "running":
        desk.tick(f"handing in: {len(begun.found):,} of {several(begun.total, 'row')}")
        await asyncio.sleep(_LOOK_SECS if begun.total > 1 else _LOOK_SECS / 10)
    if begun.state == "failed" and len(begun.found) < begun.total:
        detail = f"It broke off after {len(begun.found):,} of {several(begun.total, 'row')}."
        hint = "Run it again: what is stored is there already, and the rest is handed in."
        raise Problem(503, "STORE_UNAVAILABLE", detail, extra={"hint": hint})
    return begun.results


def _write_tokens(file: Path, results: Sequence[RowResult], names: Sequence[str]) -> None:
    """All of it or nothing, and for nobody else's eyes."""
    from tablewright.service.csv_cells import lines

    rows = [
        (names[each.index], each.sub_id, each.result_token)
        for each in results
        if each.result_token is not None
    ]
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(lines([("team_name", "sub_id", "result_token"), *rows]))
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _answer(
    found: HackathonDetail,
    results: Sequence[RowResult],
    names: Sequence[str],
    tokens: Path | None,
    *,
    single: bool,
) -> Answer:
    from tablewright.systems.vibejudge.bodies.submitted import rows_out

    told = rows_out(results)
    if single and results[0].problem is not None:
        raise results[0].problem
    lines: list[Line] = [*_table(results, names, tokens is None), *_notes(results, names)]
    lines.append(
        f"{plain(found.name)}: {told.created:,} new, {told.unchanged:,} there already, "
        f"{told.refused:,} refused."
    )
    if tokens is not None:
        lines.append(f"{tokens}: what teams see their results with")
    elif told.created:
        lines.append("With a token its team sees the result. They are shown this once.")
    return Answer(lines, told.model_dump(mode="json"), ok=not told.refused)


def _notes(results: Sequence[RowResult], names: Sequence[str]) -> list[Line]:
    """List what to check: second repositories, and those that could not be reached."""
    noted = [each for each in results if each.note]
    return [
        Styled(f"{plain(names[each.index])}: {plain(each.note or '')}", "yellow") for each in noted
    ]


def _table(results: Sequence[RowResult], names: Sequence[str], tokens: bool) -> list[Line]:
    of_file = any(each.line is not None for each in results)
    shown = [each for each in results if tokens or each.problem is not None]
    rows = [
        (
            *([str(each.line)] if of_file else []),
            plain(names[each.index]),
            _became(each),
            (each.result_token if tokens else None) or _why(each),
        )
        for each in shown
    ]
    if not rows:
        return []
    head = (
        *(["line"] if of_file else []),
        "team",
        "became",
        "token or reason" if tokens else "why",
    )
    return columns(head, rows, {"line"})


def _became(result: RowResult) -> str:
    if result.problem is not None:
        return result.problem.code
    return result.sub_id or "-"


def _why(result: RowResult) -> str:
    if result.problem is not None:
        return plain(result.problem.detail)
    return "is there already"
