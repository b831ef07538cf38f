"""``../submissions``: handing in, listing, taking out; freezing; and the export."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

import orjson
from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import RedirectResponse, StreamingResponse
from starlette.datastructures import UploadFile
from starlette.responses import Response

from tablewright.service.handlers import malformed, unsupported
from tablewright.service.jsons import Json
from tablewright.service.limits import Rate
from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.problem_answers import LIMITED, Responses, refusals
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.request_bodies import takes
from tablewright.service.streaming import begun
from tablewright.systems.vibejudge.api.callers import HackId, SubId, organizer_of
from tablewright.systems.vibejudge.bodies.submissions import (
    MOST_ROWS,
    FrozenOut,
    ImportOut,
    RowsOut,
    SubmissionOut,
    SubmissionPatch,
    SubmissionsIn,
    TokenOut,
    submission_out,
)
from tablewright.systems.vibejudge.bodies.submitted import frozen_out, import_out, rows_out
from tablewright.systems.vibejudge.entities import SubmissionStatus
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.submissions.files import read_file
from tablewright.systems.vibejudge.service.submissions.rows import Given, read_row

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_CSV: Final = ("text/csv", "text/plain", "application/vnd.ms-excel")
_FORM: Final = "multipart/form-data"
_FILE: Final = "team_name,repo_url\nNight Owls,https://github.com/night-owls/lantern\n"
#: Rows of one organiser.
_ROWS: Final = Rate(1000, 5000)
#: Each asks the hosts of all repositories, or reads all results.
_FREEZES, _EXPORTS = Rate(6), Rate(20)
_EXPORTED: Responses = {
    200: {
        "description": "CSV; a cell that a spreadsheet would take for a formula has a ' before it.",
        "content": {"text/csv": {"schema": {"type": "string"}}},
        "headers": {"Content-Disposition": {"required": True, "schema": {"type": "string"}}},
    },
    **refusals(404),
}
_SUBMITTED: Responses = {
    207: {"description": "What became of each row.", "headers": LIMITED},
    202: {
        "description": "The rows are stored by and by; ask at the Location how far it is.",
        "model": ImportOut,
        "headers": {"Location": {"required": True, "schema": {"type": "string"}}},
    },
    **refusals(
        404,
        {
            409: "`HACKATHON_CLOSED`: it is not open.",
            413: "`TOO_LARGE`.",
            422: "`BAD_FILE`: nothing of the file can be understood; `INVALID`; `TOO_MANY_ROWS`.",
        },
    ),
}


def router(courtroom: Courtroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["submissions"])
    organizer = Depends(organizer_of(courtroom))
    submissions, limits = courtroom.submissions, courtroom.runtime.limits

    @routes.post(
        "/hackathons/{hack_id}/submissions",
        status_code=207,
        response_model=RowsOut,
        responses=_SUBMITTED,
        openapi_extra=_takes_rows(),
    )
    async def submit(
        hack_id: HackId,
        request: Request,
        prefer: Annotated[
            str | None, Header(description="`respond-async`: answer at once, with 202.")
        ] = None,
        by: Caller = organizer,
    ) -> Response:
        """Hand in up to 500 repositories: JSON, or a CSV file of ours or of Devpost's.

        Each row is answered by itself. Rows that are sent again are told as there already. With a
        table of few write units, more than 20 rows are stored by and by.
        """
        rows, lines = await _rows(request)
        headers = await limits.check("rows", by.principal.id, _ROWS, amount=len(rows))
        beside = "respond-async" in (prefer or "").lower() or submissions.takes_long(len(rows))
        if beside:
            begun = await submissions.submit_beside(by, hack_id, rows, lines)
            place = f"{request.url.path}/imports/{begun.import_id}"
            answer = import_out(begun).model_dump(mode="json")
            return Json(answer, 202, {**headers, "Location": place})
        results = await submissions.submit(by, hack_id, rows, lines)
        return Json(rows_out(results).model_dump(mode="json"), 207, headers)

    @routes.get("/hackathons/{hack_id}/submissions", responses=refusals(404))
    async def list_submissions(
        hack_id: HackId,
        paging: Paging,
        status: Annotated[SubmissionStatus | None, Query(description="In this state.")] = None,
        q: Annotated[
            str,
            Query(
                max_length=200,
                description="Words to find in the team's name, the repository or the external id; "
                "case and accents do not matter.",
            ),
        ] = "",
        by: Caller = organizer,
    ) -> PageBody[SubmissionOut]:
        """List the submissions of a hackathon, in the order they came."""
        page = await submissions.list(by, hack_id, status, paging.limit, paging.cursor, text=q)
        return page_body(page, [submission_out(each) for each in page])

    @routes.get("/hackathons/{hack_id}/submissions/imports/{import_id}", responses=refusals(404))
    async def get_import(
        hack_id: HackId,
        import_id: Annotated[str, Path(description="The import.")],
        by: Caller = organizer,
    ) -> ImportOut:
        """How far an import is. It is known for an hour, to the process that has begun it."""
        return import_out(await submissions.import_(by, hack_id, import_id))

    @routes.get("/hackathons/{hack_id}/submissions/{sub_id}", responses=refusals(404))
    async def get_submission(
        hack_id: HackId, sub_id: SubId, by: Caller = organizer
    ) -> SubmissionOut:
        """One submission."""
        return submission_out(await submissions.read(by, hack_id, sub_id))

    @routes.patch(
        "/hackathons/{hack_id}/submissions/{sub_id}",
        responses=refusals(
            404,
            {
                409: "`WITHDRAWN`; `NOT_DISQUALIFIED`; `ARCHIVED`; `RELEASED`; `IN_WORK`: it is "
                "being analysed; `DUPLICATE_REPO`; `DUPLICATE_TEAM`.",
                422: "`BAD_REPO_URL`; `INVALID`.",
            },
        ),
    )
    async def change_submission(
        hack_id: HackId, sub_id: SubId, body: SubmissionPatch, by: Caller = organizer
    ) -> SubmissionOut:
        """Correct the team name or the repository; or disqualify a submission, or reinstate it.

        A submission with another repository waits for its first analysis.
        """
        if body.disqualified is None:
            return submission_out(await submissions.correct(by, hack_id, sub_id, body))
        if body.disqualified and body.reason is not None:
            return submission_out(await submissions.disqualify(by, hack_id, sub_id, body.reason))
        return submission_out(await submissions.reinstate(by, hack_id, sub_id))

    @routes.delete(
        "/hackathons/{hack_id}/submissions/{sub_id}",
        status_code=204,
        responses=refusals(404, {409: "`WITHDRAWN`: it is already; `ARCHIVED`; `RELEASED`."}),
    )
    async def withdraw_submission(hack_id: HackId, sub_id: SubId, by: Caller = organizer) -> None:
        """Withdraw a submission: its place, its name and its repository are free again."""
        await submissions.withdraw(by, hack_id, sub_id)

    @routes.post("/hackathons/{hack_id}/submissions/{sub_id}/token", responses=refusals(404))
    async def new_token(hack_id: HackId, sub_id: SubId, by: Caller = organizer) -> TokenOut:
        """Another token for a team that has lost its own, which is void then."""
        return TokenOut(result_token=await submissions.new_token(by, hack_id, sub_id))

    @routes.get(
        "/submissions/{sub_id}",
        status_code=307,
        response_class=RedirectResponse,
        responses={
            307: {"headers": {"Location": {"required": True, "schema": {"type": "string"}}}},
            **refusals(404),
        },
    )
    async def find_submission(sub_id: SubId, request: Request, by: Caller = organizer) -> Response:
        """Where a submission is, if only its id is known."""
        hack_id = await submissions.find(by, sub_id)
        root = request.scope.get("root_path", "")
        return RedirectResponse(f"{root}/api/v1/hackathons/{hack_id}/submissions/{sub_id}", 307)

    @routes.post(
        "/hackathons/{hack_id}/freeze",
        responses=refusals(404, {409: "`NOT_NOW`: it is neither open nor completed."}),
    )
    async def freeze(hack_id: HackId, by: Caller = organizer) -> FrozenOut:
        """Pin the head of each repository now: what is analysed is that commit.

        It happens by itself at the end. A commit that is pinned stays so. What takes longer than
        this request is tried again by and by.
        """
        await limits.check("freezes", by.principal.id, _FREEZES)
        return frozen_out(await courtroom.freezing.now(by, hack_id))

    @routes.get(
        "/hackathons/{hack_id}/export.csv", response_class=StreamingResponse, responses=_EXPORTED
    )
    async def export(hack_id: HackId, by: Caller = organizer) -> StreamingResponse:
        """All submissions with their results: by rank, then those that have none."""
        await limits.check("exports", by.principal.id, _EXPORTS)
        pieces = await courtroom.exports.csv(by, hack_id)
        headers = {"Content-Disposition": f'attachment; filename="hackathon-{hack_id}.csv"'}
        return StreamingResponse(await begun(pieces), media_type="text/csv", headers=headers)

    return routes


# --- what is sent --------------------------------------------------------------------------------


async def _rows(request: Request) -> tuple[Sequence[Given], Sequence[int]]:
    """The rows of a request, and where they are in a file."""
    kind = request.headers.get("content-type", "application/json")
    kind = kind.partition(";")[0].strip().lower()
    if kind in _CSV:
        return await asyncio.to_thread(read_file, await request.body())
    if kind == _FORM:
        async with request.form(max_files=1, max_fields=10) as form:
            file = next((each for each in form.values() if isinstance(each, UploadFile)), None)
            if file is None:
                raise invalid(FieldError("body.file", "is missing"))
            return await asyncio.to_thread(read_file, await file.read())
    if "json" not in kind:
        raise unsupported(("application/json", *_CSV, _FORM))
    return [read_row(each) for each in await _sent(request)], ()


async def _sent(request: Request) -> list[Any]:
    try:
        sent = orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        raise malformed() from None
    if not isinstance(sent, dict) or not isinstance(sent.get("submissions"), list):
        raise invalid(FieldError("body.submissions", "has to be a list of submissions"))
    unknown = sorted(set(sent) - {"submissions"})
    if unknown:
        raise invalid(FieldError(f"body.{unknown[0][:100]}", "is not known"))
    rows: list[Any] = sent["submissions"]
    if not rows:
        raise invalid(FieldError("body.submissions", "has no submission"))
    if len(rows) > MOST_ROWS:
        raise Problem(
            422, "TOO_MANY_ROWS", f"{MOST_ROWS} are taken at once, these are {len(rows)}."
        )
    return rows


def _takes_rows() -> dict[str, Any]:
    taken = takes(SubmissionsIn)
    text = {"schema": {"type": "string", "examples": [_FILE]}}
    form = {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    }
    taken["requestBody"]["content"] |= {"text/csv": text, _FORM: form}
    return taken
