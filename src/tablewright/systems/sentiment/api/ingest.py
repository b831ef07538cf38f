"""``/ingest`` and ``/uploads``: records that programs and people send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from tablewright.service.auth import Principal
from tablewright.service.handlers import unsupported
from tablewright.service.jsons import Json
from tablewright.service.limits import Rate
from tablewright.service.problem_answers import LIMITED, refusals
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.request_bodies import json_of, takes
from tablewright.systems.sentiment.bodies.ingest import (
    MAX_RECORDS,
    IngestIn,
    IngestOut,
    IngestResult,
    LineErrorOut,
    RecordIn,
    UploadOut,
    reason_of,
)
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.rules.lines import FileKind
from tablewright.systems.sentiment.service.intake import Outcome, Upload

if TYPE_CHECKING:
    from tablewright.systems.sentiment.rules.records import Record
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: What files are called when they are sent.
_KINDS: Final[dict[str, FileKind]] = {
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/x-jsonlines": "jsonl",
    "text/csv": "csv",
}
_ENDINGS: Final[dict[str, FileKind]] = {"jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}
_FORM: Final = "multipart/form-data"
#: Files as the reference shows them.
_FILES: Final[dict[FileKind, str]] = {
    "jsonl": '{"title": "Wind farm beats its forecast", "url": "https://news.example/wind-farm"}\n',
    "csv": "title,url\nWind farm beats its forecast,https://news.example/wind-farm\n",
}
_PIECE: Final = 65_536
_AS_PUBLISHED: Final = "Count articles when they were published, up to 30 days back, not now."

AsPublished = Annotated[bool, Query(description=_AS_PUBLISHED)]


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["ingest"])
    sender = Depends(newsroom.runtime.auth.require("ingest", "admin"))
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))
    limits, rate = newsroom.runtime.limits, Rate(newsroom.options.records_per_minute)

    @routes.post(
        "/ingest",
        status_code=207,
        response_model=IngestOut,
        responses={
            207: {"headers": LIMITED},
            **refusals(422, {413: "`TOO_MANY_RECORDS`: more than 100; `TOO_LARGE`."}),
        },
        openapi_extra=takes(IngestIn),
    )
    async def ingest(request: Request, by: Principal = sender) -> Json:
        """Take up to 100 records; each is answered by itself, in their order.

        Send them again after a timeout or a 503: what was taken is a duplicate then.
        """
        sent = await json_of(request)
        head, records = _parts(sent)
        headers = await limits.check("records", by.id, rate, amount=len(records))
        read = [_read(each) for each in records]
        newsroom.intake.note_rejected(sum(isinstance(each, Outcome) for each in read))
        taken = iter(
            await newsroom.intake.take(
                [each for each in read if not isinstance(each, Outcome)],
                source_type=head.source_type,
                as_published=head.as_published,
            )
        )
        results = [_told(each if isinstance(each, Outcome) else next(taken)) for each in read]
        return Json(IngestOut(results=results).model_dump(mode="json"), 207, headers)

    @routes.post(
        "/uploads",
        responses=refusals(
            {
                413: "`TOO_LARGE`: more than 20 MB.",
                422: "`BAD_RECORD`: nothing of the file can be understood.",
            }
        ),
        openapi_extra=_takes_files(),
    )
    async def upload(
        request: Request, as_published: AsPublished = False, _: Principal = operator
    ) -> UploadOut:
        """Take a file of records: JSON lines, or CSV with the names of its columns.

        Bad lines are told with their numbers, and do not end the reading. A file that broke off can
        be sent again: what was taken is a duplicate then.
        """
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == _FORM:
            async with request.form(max_files=1, max_fields=10) as form:
                return _upload_out(await take_file(newsroom, form, as_published))
        if kind not in _KINDS:
            raise unsupported((*_KINDS, _FORM))
        uploads = newsroom.intake.uploads
        done = await uploads.take(request.stream(), _KINDS[kind], as_published=as_published)
        return _upload_out(done)

    return routes


# --- records -------------------------------------------------------------------------------------


class _Head(IngestIn):
    """What is said of all records; they are looked at one by one."""

    records: list[Any]


def _parts(sent: object) -> tuple[_Head, list[Any]]:
    given = sent.get("records") if isinstance(sent, dict) else None
    if isinstance(given, list) and len(given) > MAX_RECORDS:
        detail = f"A request has {MAX_RECORDS} records at most, this one has {len(given)}."
        raise Problem(413, "TOO_MANY_RECORDS", detail)
    try:
        head = _Head.model_validate(sent)
    except ValidationError as error:
        raise invalid(FieldError("body", reason_of(error))) from None
    if not head.records:
        raise invalid(FieldError("body.records", "has no record"))
    return head, head.records


def _read(sent: object) -> Record | Outcome:
    try:
        return RecordIn.model_validate(sent).record()
    except ValidationError as error:
        return Outcome("rejected", reason=reason_of(error))


def _told(outcome: Outcome) -> IngestResult:
    shown = None if outcome.article_id is None else shown_id(outcome.article_id)
    return IngestResult(
        status={"ingested": 201, "rejected": 422}.get(outcome.result, 200),  # type: ignore[arg-type]
        result=outcome.result,
        article_id=shown,
        reason=outcome.reason,
    )


# --- files ---------------------------------------------------------------------------------------


async def take_file(newsroom: Newsroom, form: FormData, as_published: bool) -> Upload:
    """The file of a form, as browsers send it."""
    file = next((each for each in form.values() if isinstance(each, UploadFile)), None)
    if file is None or not file.filename:
        raise invalid(FieldError("body.file", "is missing"))
    kind = _ENDINGS.get(file.filename.rpartition(".")[2].lower())
    kind = kind or _KINDS.get((file.content_type or "").partition(";")[0].lower())
    if kind is None:
        raise invalid(FieldError("body.file", "has to be called .jsonl or .csv"))
    return await newsroom.intake.uploads.take(pieces_of(file), kind, as_published=as_published)


async def pieces_of(file: UploadFile) -> AsyncIterator[bytes]:
    """A file of a form, piece by piece."""
    while piece := await file.read(_PIECE):
        yield piece


def _upload_out(upload: Upload) -> UploadOut:
    results = upload.results
    return UploadOut(
        records=upload.records,
        ingested=results["ingested"],
        tagged=results["tagged"],
        duplicate=results["duplicate"],
        unmatched=results["unmatched"],
        gone=results["gone"],
        rejected=results["rejected"],
        errors=[LineErrorOut(line=each.line, reason=each.reason) for each in upload.errors],
    )


# --- the reference -------------------------------------------------------------------------------


def _takes_files() -> dict[str, Any]:
    texts = {kind: {"schema": {"type": "string", "examples": [_FILES[kind]]}} for kind in _FILES}
    form = {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    }
    content = {**{name: texts[kind] for name, kind in _KINDS.items()}, _FORM: form}
    return {"requestBody": {"required": True, "content": content}}
