"""Routes: reading, saving, submitting and reopening assessments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.paging import PageBody
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.ladders.api.callers import AssessmentId, PlanId, UserId, caller_of
from tablewright.systems.ladders.api.keyed import keyed
from tablewright.systems.ladders.bodies.assessments import (
    AssessmentLineOut,
    AssessmentOut,
    AssessmentPageOut,
    ReopenIn,
    SaveIn,
    assessment_line_out,
    assessment_out,
    assessment_page_out,
)
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

_ONE = "/assessments/{assessment_id}"
_ENDED = "`PLAN_NOT_ACTIVE`: the review is not under way."
_BUSY = "`CONFLICT`: others change it all the time."
_LOCKED = "`ASSESSMENT_LOCKED`: it is submitted, or its member was withdrawn. `FORBIDDEN`."
_STALE = "`REVISION_CONFLICT`: somebody has changed it since you read it."
_READ: Responses = {
    200: {"headers": ETAG},
    **refusals(404, {403: "`REPORT_NOT_RELEASED`, `FORBIDDEN`: it is not for your eyes yet."}),
}
_SAVED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        428,
        {
            403: _LOCKED,
            409: f"{_ENDED} {_BUSY}",
            412: _STALE,
            413: "`TOO_LARGE`: of the body, or of the assessment with it.",
        },
    ),
}
_SUBMITTED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404,
        {
            403: _LOCKED,
            409: f"{_ENDED} {_BUSY}",
            412: _STALE,
            422: "`MISSING`: levels or evidence; `missing` says where.",
        },
    ),
}
_REOPENED: Responses = {
    200: {"headers": ETAG},
    **refusals(
        404, {403: _LOCKED, 409: f"`BAD_STATE`: it is not submitted. {_ENDED} {_BUSY}", 412: _STALE}
    ),
}


def router(company: Company) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Assessments"], route_class=keyed(company))
    _lists(routes, company)
    _one(routes, company)
    return routes


def _lists(routes: APIRouter, company: Company) -> None:
    caller, assessments = Depends(caller_of(company)), company.assessments

    @routes.get("/plans/{plan_id}/assessments", responses=refusals(404))
    async def list_assessments(plan_id: PlanId, by: Caller = caller) -> PageBody[AssessmentLineOut]:
        """All of a plan, by member."""
        found = await assessments.of_plan(by, plan_id)
        return PageBody(items=[assessment_line_out(each) for each in found])

    @routes.get("/members/{user_id}/assessments", responses=refusals(404))
    async def list_assessments_of_member(
        user_id: UserId, by: Caller = caller
    ) -> PageBody[AssessmentLineOut]:
        """All about somebody, in all plans, the latest first."""
        found = await assessments.of_member(by, user_id)
        return PageBody(items=[assessment_line_out(each) for each in found])


def _one(routes: APIRouter, company: Company) -> None:
    caller, assessments = Depends(caller_of(company)), company.assessments

    def answered(response: Response, assessment: Assessment) -> AssessmentOut:
        response.headers["ETag"] = etag(assessment.revision)
        return assessment_out(assessment)

    @routes.get(_ONE, responses=_READ)
    async def get_assessment(
        assessment_id: AssessmentId, response: Response, by: Caller = caller
    ) -> AssessmentPageOut:
        """One assessment: your own, or one that is submitted or released to you."""
        found = await assessments.read(by, assessment_id)
        response.headers["ETag"] = etag(found.assessment.revision)
        return assessment_page_out(found)

    @routes.patch(_ONE, responses=_SAVED)
    async def save_assessment(
        assessment_id: AssessmentId,
        body: SaveIn,
        said: Said,
        response: Response,
        by: Caller = caller,
    ) -> AssessmentOut:
        """Save some answers, with the revision that you have seen in If-Match.

        Who manages the team now goes on with what a predecessor has begun.
        """
        return answered(response, await assessments.save(by, assessment_id, body, said))

    @routes.post(f"{_ONE}/submit", responses=_SUBMITTED)
    async def submit_assessment(
        assessment_id: AssessmentId, said: Said, response: Response, by: Caller = caller
    ) -> AssessmentOut:
        """Say that it is done: then it is locked. Done again, it changes nothing.

        When both sides are in, a report is made in a moment. If-Match is heeded, and not needed.
        """
        return answered(response, await assessments.submit(by, assessment_id, said))

    @routes.post(f"{_ONE}/reopen", responses=_REOPENED)
    async def reopen_assessment(
        assessment_id: AssessmentId,
        body: ReopenIn,
        said: Said,
        response: Response,
        by: Caller = caller,
    ) -> AssessmentOut:
        """Let its assessor go on with it; a report of it is stale then.

        Once the report is acknowledged, this is for admins. What is in it now is its author's: it
        is answered without. If-Match is heeded, and not needed.
        """
        reopened = await assessments.reopen(by, assessment_id, body.reason, said)
        return answered(response, reopened)
