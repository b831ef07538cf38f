"""``…/corrections``: what operators put right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.auth import Principal
from tablewright.service.problem_answers import refusals
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId
from tablewright.systems.pricekeeper.api.rows import row_out
from tablewright.systems.pricekeeper.bodies import CorrectionIn, CorrectionOut
from tablewright.systems.pricekeeper.rules.corrections import REPRICED, Correction
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper


def router(keeper: Keeper) -> APIRouter:
    """The route of corrections, for administrators and operators."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}/apps/{app_id}", tags=["corrections"])
    operator = Depends(keeper.runtime.auth.require("admin", "operator"))

    @routes.post(
        "/corrections",
        status_code=201,
        responses={
            200: {"model": CorrectionOut, "description": "It was made before."},
            **refusals(
                BAD_PLACE,
                404,
                {
                    409: "`BELOW_ZERO`, `IS_A_CORRECTION`, or `REQUEST_ID_REUSED`.",
                    422: "`INVALID`, or `COST_NEEDED`: it cannot be reckoned from the tokens.",
                },
            ),
        },
    )
    async def correct_record(
        org_id: OrgId,
        app_id: AppId,
        body: CorrectionIn,
        response: Response,
        who: Principal = operator,
    ) -> CorrectionOut:
        """Add to a record, or take away from it. The record stays as it was reported.

        A correction has an id of its own, which counts once; it lands on the day of the record.
        """
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        account = await keeper.directory.account(org_id, app_id, even_disabled=True)
        made = await keeper.corrections.correct(
            account, body.request_id, read_correction(body), who
        )
        response.status_code = 201 if made.result == "recorded" else 200
        return CorrectionOut(
            result=made.result,
            correction=row_out(made.correction),
            record=row_out(made.record),
        )

    return routes


def read_correction(body: CorrectionIn) -> Correction:
    """What is asked for, or a problem."""
    if body.reason == REPRICED:
        # By this word the program knows its own corrections again.
        raise invalid(FieldError("body.reason", f"{REPRICED!r} is not for people"))
    cost = body.cost_usd_micros
    return Correction(
        correction_id=body.correction_id,
        reason=body.reason,
        input_tokens=body.input_tokens,
        output_tokens=body.output_tokens,
        cache_read_tokens=body.cache_read_tokens,
        cache_write_tokens=body.cache_write_tokens,
        cost_picos=None if cost is None else cost * PICOS,
    )
