"""Adding submissions: one by a form, some as lines that were pasted, many from a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from tablewright.service.csv_cells import lines
from tablewright.service.forms import built
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.repo_urls import HOSTS
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.bodies.submissions import (
    MOST_ROWS,
    PublicSubmissionIn,
    SubmissionIn,
)
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import result_path, scorecard_path, tab_path
from tablewright.systems.vibejudge.rules.phases import takes_submissions
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.submissions import Import, RowResult
from tablewright.systems.vibejudge.service.submissions.files import read_file
from tablewright.systems.vibejudge.service.submissions.rows import Given, body_of, read_row

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Rows of one organiser; the API and the pages count together.
_ROWS: Final = Rate(1000, 5000)
#: Whatever a spreadsheet or a mail puts between a team and its address.
_LINE: Final = re.compile(r"([^\t,;]{1,200}?)[\s,;|]{1,20}(\S{1,600})")
_COLUMNS: Final = ("team_name", "repo_url")


@dataclass(frozen=True)
class Rows:
    """What was sent, and the line that each row begins at."""

    given: Sequence[Given]
    lines: Sequence[int] = ()


@dataclass(frozen=True)
class ResultLine:
    """What became of a row, as the page shows it."""

    result: RowResult
    team: str
    #: The team's own, shown once.
    link: str
    #: The submission, or the one that is in its way.
    path: str

    @property
    def place(self) -> int:
        return self.result.index + 1 if self.result.line is None else self.result.line


@dataclass(frozen=True)
class Outcome:
    """What became of all rows so far."""

    lines: list[ResultLine]
    total: int
    running: bool = False
    failed: bool = False

    @property
    def added(self) -> int:
        return sum(each.result.status == 201 for each in self.lines)

    @property
    def unchanged(self) -> int:
        return sum(each.result.status == 200 for each in self.lines)

    @property
    def refused(self) -> int:
        return len(self.lines) - self.added - self.unchanged

    @property
    def links_csv(self) -> str:
        """The result links as a file, in an address that the browser itself makes a download of."""
        rows = [(each.team, each.link) for each in self.lines if each.link]
        return "data:text/csv;charset=utf-8," + quote(
            lines([("team", "result_link"), *rows]), safe=""
        )

    @property
    def links(self) -> str:
        """All result links, to be sent to the teams; a spreadsheet takes them as they are."""
        return "\n".join(f"{each.team}\t{each.link}" for each in self.lines if each.link)


# --- what is sent --------------------------------------------------------------------------------


def read_handed_in(values: Mapping[str, object]) -> PublicSubmissionIn:
    """A team and its repository, as a form has them; or a problem at its fields."""
    given = {name: str(values.get(name, "")).strip() for name in _COLUMNS}
    try:
        return built(PublicSubmissionIn, given)
    except Problem as problem:
        errors = [_in_words(each) for each in problem.errors]
        raise invalid(*errors) from None


def _in_words(error: FieldError) -> FieldError:
    if "letter or digit" not in error.message:
        return error
    return FieldError(error.field, "Enter a name with at least one letter or digit.")


def read_one(form: FormData) -> Rows:
    return Rows([SubmissionIn(**read_handed_in(form).model_dump())])


def read_pasted(text: str) -> Rows:
    """Lines of a team and an address; or a table, with the names of its columns above."""
    lines = [(at, line) for at, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise invalid(FieldError("body.pasted", "Is missing."))
    if not any(_names_repository(line) for _, line in lines[:1]):
        return _file(text.encode())
    if len(lines) > MOST_ROWS:
        raise Problem(422, "TOO_MANY_ROWS", f"{MOST_ROWS} are taken at once.")
    return Rows([_pasted(line) for _, line in lines], [at for at, _ in lines])


def _names_repository(line: str) -> bool:
    """Tell whether a line ends with the address of a repository, rather than names columns."""
    return "://" in line or any(host in line for host in HOSTS)


def _pasted(line: str) -> Given:
    found = _LINE.fullmatch(line.strip())
    if found is None:
        told = "The line has no team and address: Night Owls, https://github.com/owls/lantern"
        return RowResult.refused(Problem(422, "INVALID", told))
    return read_row({"team_name": found[1].strip("\"' "), "repo_url": found[2].strip("\"'")})


async def read_upload(form: FormData) -> Rows:
    file = form.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        raise invalid(FieldError("body.file", "Choose a file."))
    return _file(await file.read())


def _file(data: bytes) -> Rows:
    return Rows(*read_file(data))


async def rows_in(form: FormData) -> Rows:
    way = form.get("way")
    if way == "one":
        return read_one(form)
    return read_pasted(str(form.get("pasted", ""))) if way == "pasted" else await read_upload(form)


# --- what becomes of it --------------------------------------------------------------------------


def teams_of(given: Sequence[Given]) -> list[str]:
    return [body.team_name if (body := body_of(each)) else "" for each in given]


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/submissions")
    organizer = Depends(organizer_of(courtroom))
    submissions = courtroom.submissions
    #: The names of teams in imports that this process has begun, beside what is known of them.
    teams: dict[str, list[str]] = {}

    def line(hack_id: str, result: RowResult, names: Sequence[str]) -> ResultLine:
        base, token = courtroom.runtime.settings.url, result.result_token
        return ResultLine(
            result,
            names[result.index] if result.index < len(names) else "",
            base + result_path(token) if token else "",
            scorecard_path(hack_id, result.sub_id) if result.sub_id else "",
        )

    async def asked(request: Request, hack_id: str, by: Caller, **context: object) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        problem = context.get("problem")
        return shown(
            pages,
            request,
            "vibejudge/adding.html",
            hackathon,
            "Submissions",
            status=problem.status if isinstance(problem, Problem) else 200,
            heading="Add submissions",
            may_add=takes_submissions(hackathon, courtroom.now(), by_owner=True),
            **context,
        )

    async def told(
        request: Request, hack_id: str, by: Caller, outcome: Outcome, place: str = ""
    ) -> Response:
        part = bool(request.headers.get("hx-request"))
        template = "vibejudge/added_part.html" if part else "vibejudge/added.html"
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        return shown(
            pages,
            request,
            template,
            hackathon,
            "Submissions",
            heading="Added submissions",
            outcome=outcome,
            place=place,
        )

    @routes.get("/add")
    async def form(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        return await asked(request, hack_id, by)

    @routes.post("/add")
    async def add(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        async with request.form(max_files=1, max_fields=10) as sent:
            values = {name: each for name, each in sent.items() if isinstance(each, str)}
            try:
                rows = await rows_in(sent)
                size = len(rows.given)
                await courtroom.runtime.limits.check("rows", by.principal.id, _ROWS, amount=size)
                if submissions.takes_long(size):
                    begun = await submissions.submit_beside(by, hack_id, rows.given, rows.lines)
                    _remember(begun, rows)
                    return RedirectResponse(_import_path(hack_id, begun.import_id), 303)
                results = await submissions.submit(by, hack_id, rows.given, rows.lines)
                _check_one(values, results)
            except Problem as problem:
                if problem.status == 404:
                    raise
                return await asked(request, hack_id, by, problem=problem, values=values)
        names = teams_of(rows.given)
        outcome = Outcome([line(hack_id, each, names) for each in results], size)
        return await told(request, hack_id, by, outcome)

    @routes.get("/imports/{import_id}")
    async def imported(
        request: Request, hack_id: str, import_id: str, by: Caller = organizer
    ) -> Response:
        """How far many rows are that are stored beside requests."""
        found = await submissions.import_(by, hack_id, import_id)
        names = teams.get(import_id, [])
        outcome = Outcome(
            [line(hack_id, each, names) for each in found.results],
            found.total,
            found.state == "running",
            found.state == "failed",
        )
        return await told(request, hack_id, by, outcome, _import_path(hack_id, import_id))

    def _remember(begun: Import, rows: Rows) -> None:
        teams[begun.import_id] = teams_of(rows.given)
        while len(teams) > 200:
            teams.pop(next(iter(teams)))

    return routes


def _import_path(hack_id: str, import_id: str) -> str:
    return f"{tab_path(hack_id, 'Submissions')}/imports/{import_id}"


def _check_one(values: dict[str, str], results: Sequence[RowResult]) -> None:
    """Of a single one it is said at the form what is in its way."""
    problem = results[0].problem if results else None
    if values.get("way") != "one" or problem is None:
        return
    raise at_its_field(problem)


def at_its_field(problem: Problem) -> Problem:
    """What is wrong with the team's name or the address stands there."""
    place = {"DUPLICATE_TEAM": "team_name", "DUPLICATE_REPO": "repo_url"}.get(problem.code)
    place = "repo_url" if problem.code == "BAD_REPO_URL" else place
    if place is None:
        return problem
    text = problem.detail.removeprefix("Repository: ")
    told = f"{text[0].upper()}{text[1:]}" + ("" if text.endswith(".") else ".")
    return Problem(problem.status, problem.code, told, errors=[FieldError(f"body.{place}", told)])
