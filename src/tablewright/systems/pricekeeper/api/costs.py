"""``…/costs``: reports of usage, one by one or many at once.

These routes carry nearly all of the load, so they read and write JSON themselves: a body is parsed
once, an answer is written once. What the OpenAPI document says of them is made from the same bodies
that they are checked with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ValidationError

from tablewright.service.jsons import Json
from tablewright.service.limits import Rate
from tablewright.service.problem_answers import LIMITED, refusals
from tablewright.service.problems import FieldError, Problem, document, invalid, to_response
from tablewright.service.request_bodies import json_of, takes
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId, RequestId
from tablewright.systems.pricekeeper.api.reference import CLIENTS, READERS
from tablewright.systems.pricekeeper.api.rows import row_out
from tablewright.systems.pricekeeper.bodies import (
    MAX_BATCH,
    BatchIn,
    BatchOut,
    CostIn,
    CostOut,
    RecordWithCorrections,
    day_text,
)
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id
from tablewright.systems.pricekeeper.rules.rows import price_used
from tablewright.systems.pricekeeper.service.recording import Outcome
from tablewright.systems.pricekeeper.service.tokens import Caller

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.rules.account import Account
    from tablewright.systems.pricekeeper.rules.usage import Usage
    from tablewright.systems.pricekeeper.service.keeper import Keeper

B = TypeVar("B", bound=BaseModel)

ROLES = ("admin", "operator", "auditor")
_STATUS = {"recorded": 201, "duplicate": 200}


def router(keeper: Keeper) -> APIRouter:
    """The routes of reports."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}/apps/{app_id}", tags=["costs"])
    limits = keeper.runtime.limits
    rate = Rate(per_minute=keeper.runtime.options(Options).records_per_minute)

    @routes.post(
        "/costs",
        status_code=201,
        response_model=CostOut,
        responses={
            201: {"headers": LIMITED},
            200: {
                "model": CostOut,
                "headers": LIMITED,
                "description": "It was counted before, and is not again.",
            },
            **refusals(
                404,
                {
                    400: "`MALFORMED`, `UNKNOWN_LABEL`, or an id that cannot be one.",
                    403: "`FORBIDDEN`, `ORG_DISABLED`, `APP_DISABLED`.",
                    409: "`REQUEST_ID_REUSED`: the id was reported with other figures.",
                    422: "`INVALID`, `OUTSIDE_WINDOW`, `BAD_RESERVATION`, `RECORD_TOO_LARGE`.",
                },
            ),
        },
        openapi_extra=takes(CostIn) | CLIENTS,
    )
    async def record_cost(org_id: OrgId, app_id: AppId, request: Request) -> Response:
        """Record what one call of a model has used. The id counts once, however often it is sent.

        Send it again under the same id after a timeout, a 503 or a lost answer.
        """
        caller, account = await allowed(org_id, app_id, request)
        usage = _checked(CostIn, await json_of(request)).usage()
        headers = await limits.check("records", caller.client_id, rate)
        (outcome,) = await keeper.recorder.record(account, [usage])
        if outcome.problem is not None:
            return to_response(outcome.problem, request)
        guidance = await keeper.selector.guidance(account)
        told = {**_told(outcome), "guidance": guidance.model_dump(mode="json")}
        return Json(told, _STATUS[outcome.result], headers)

    @routes.post(
        "/costs/batch",
        status_code=207,
        response_model=BatchOut,
        responses={
            207: {"headers": LIMITED},
            **refusals(
                404,
                422,
                {
                    400: "`MALFORMED`, or an id that cannot be one.",
                    403: "`FORBIDDEN`, `ORG_DISABLED`, `APP_DISABLED`.",
                    413: "`TOO_MANY_RECORDS`: more than 500; `TOO_LARGE`.",
                },
            ),
        },
        openapi_extra=takes(BatchIn) | CLIENTS,
    )
    async def record_costs(org_id: OrgId, app_id: AppId, request: Request) -> Response:
        """Record up to 500 reports; each is answered by itself, in their order."""
        caller, account = await allowed(org_id, app_id, request)
        reports = _reports(await json_of(request))
        amount = len(reports)
        headers = await limits.check("records", caller.client_id, rate, amount=amount)
        read = [_read(place, report) for place, report in enumerate(reports)]
        usages = [each for each in read if not isinstance(each, Problem)]
        outcomes = iter(await keeper.recorder.record(account, usages))
        told = {
            "results": [
                _refused(report, each) if isinstance(each, Problem) else _result(next(outcomes))
                for report, each in zip(reports, read, strict=True)
            ],
            "guidance": (await keeper.selector.guidance(account)).model_dump(mode="json"),
        }
        return Json(told, 207, headers)

    @routes.get("/costs/{request_id}", responses=refusals(BAD_PLACE, 404), openapi_extra=READERS)
    async def get_record(
        org_id: OrgId, app_id: AppId, request_id: RequestId, request: Request
    ) -> RecordWithCorrections:
        """One record, and the corrections that it has had, the latest first."""
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        reader = await keeper.tokens.reader(request, org_id, app_id, roles=ROLES)
        if isinstance(reader, Caller):
            # Its token may outlive it; people go on looking things up.
            await keeper.directory.account(org_id, app_id, even_disabled=True)
        found = await keeper.ledger.record(org_id, app_id, request_id)
        corrections = [row_out(each) for each in found.corrections]
        return RecordWithCorrections(record=row_out(found.row), corrections=corrections)

    async def allowed(org_id: str, app_id: str, request: Request) -> tuple[Caller, Account]:
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        caller = await keeper.tokens.caller(request)
        caller.check(org_id, app_id)
        return caller, await keeper.directory.account(org_id, app_id)

    return routes


# --- what is sent --------------------------------------------------------------------------------


def _checked(kind: type[B], sent: object) -> B:
    try:
        return kind.model_validate(sent)
    except ValidationError as error:
        raise invalid(*_errors(error, "body")) from None


def _reports(sent: object) -> list[object]:
    """The reports of a batch; each is looked at by itself."""
    records = sent.get("records") if isinstance(sent, dict) else None
    if not isinstance(records, list) or not isinstance(sent, dict) or len(sent) > 1:
        raise invalid(FieldError("body", 'is {"records": [...]} and nothing else'))
    if not records:
        raise invalid(FieldError("body.records", "has no record"))
    if len(records) > MAX_BATCH:
        detail = f"A batch has {MAX_BATCH} records at most, this one has {len(records)}."
        raise Problem(413, "TOO_MANY_RECORDS", detail)
    return records


def _read(place: int, report: object) -> Usage | Problem:
    try:
        return CostIn.model_validate(report).usage()
    except ValidationError as error:
        return invalid(*_errors(error, f"body.records.{place}"))


def _errors(error: ValidationError, place: str) -> list[FieldError]:
    """What is wrong, without what was sent."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return [
        FieldError(
            ".".join((place, *map(str, each["loc"])))[:200],
            each["msg"].removeprefix("Value error, ")[:500],
        )
        for each in found
    ]


# --- what is answered ----------------------------------------------------------------------------


def _told(outcome: Outcome) -> dict[str, object]:
    """How a report was counted; see :class:`Recorded`."""
    row = outcome.row
    assert row is not None
    return {
        "result": outcome.result,
        "request_id": outcome.request_id,
        "label": row.label,
        "day": day_text(row.day),
        "cost_usd_micros": micros(row.cost_usd_picos),
        "cost_usd_picos": row.cost_usd_picos,
        "cost_source": row.cost_source,
        "price_id": price_used(row),
        "flags": sorted(outcome.flags),
    }


def _result(outcome: Outcome) -> dict[str, object]:
    """The answer to one report of a batch; see :class:`BatchResult`."""
    problem = outcome.problem
    if problem is None:
        return {"status": _STATUS[outcome.result], **_told(outcome)}
    told = {"status": problem.status, "request_id": outcome.request_id}
    return {**told, "problem": document(problem)}


def _refused(report: object, problem: Problem) -> dict[str, object]:
    """The answer to a report that cannot be read."""
    sent = report.get("request_id") if isinstance(report, dict) else None
    known = {"request_id": sent[:100]} if isinstance(sent, str) else {}
    return {"status": problem.status, **known, "problem": document(problem)}
