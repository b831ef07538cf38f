"""``…/model-selection``: which label an app may use now."""

from __future__ import annotations

from hashlib import blake2b
from itertools import takewhile
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response

from tablewright.service.limits import Rate
from tablewright.service.problem_answers import LIMITED, refusals
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.api.places import BAD_PLACE, AppId, OrgId
from tablewright.systems.pricekeeper.api.reference import CLIENTS
from tablewright.systems.pricekeeper.api.settings import price_out
from tablewright.systems.pricekeeper.bodies import (
    LabelStatus,
    LimitStatus,
    SelectionOut,
    iso,
)
from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.rules.ids import checked_app_id, checked_org_id

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.config import Label
    from tablewright.systems.pricekeeper.rules.account import Account
    from tablewright.systems.pricekeeper.rules.choosing import Choice, LabelStanding
    from tablewright.systems.pricekeeper.service.keeper import Keeper
    from tablewright.systems.pricekeeper.service.selection import Selection


_HEADERS: dict[str, Any] = {
    **LIMITED,
    "ETag": {
        "description": "For If-None-Match: 304 as long as a caller would do the same.",
        "required": True,
        "schema": {"type": "string"},
    },
    "Cache-Control": {
        "description": "How long to go on without asking again.",
        "required": True,
        "schema": {"type": "string"},
    },
}


def router(keeper: Keeper) -> APIRouter:
    """The route of selections, for clients."""
    routes = APIRouter(prefix="/api/v1/orgs/{org_id}/apps/{app_id}", tags=["selection"])
    rate = Rate(per_minute=keeper.runtime.options(Options).selections_per_minute)

    @routes.get(
        "/model-selection",
        response_model=SelectionOut,
        responses={
            200: {"headers": _HEADERS},
            304: {"headers": _HEADERS, "description": "Nothing that matters has changed."},
            **refusals(
                BAD_PLACE,
                404,
                {
                    403: "`FORBIDDEN`, `ORG_DISABLED`, `APP_DISABLED`.",
                    429: "`QUOTA_EXCEEDED`: every label is closed; the document has the members "
                    "of the answer, too. `RATE_LIMITED`.",
                },
            ),
        },
        openapi_extra=CLIENTS,
    )
    async def select_model(
        org_id: OrgId,
        app_id: AppId,
        request: Request,
        response: Response,
        force_check: Annotated[bool, Query(description="Look at the counters themselves.")] = False,
        if_none_match: Annotated[
            str | None, Header(description="The ETag of the answer that is known.")
        ] = None,
    ) -> SelectionOut | Response:
        """The first label of the ordering that is open; 429 QUOTA_EXCEEDED if none is."""
        org_id, app_id = checked_org_id(org_id), checked_app_id(app_id)
        caller = await keeper.tokens.caller(request)
        caller.check(org_id, app_id)
        headers = await keeper.runtime.limits.check("selections", caller.client_id, rate)
        selection = await keeper.selector.answer(org_id, app_id, force_check)
        body = await body_of(keeper, selection)
        if body.recommended_label is None:
            raise _used_up(selection, body, headers)
        headers |= {
            "ETag": etag_of(body),
            "Cache-Control": f"private, max-age={body.client_guidance.cache_duration_secs}",
        }
        if _is_known(if_none_match, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        response.headers.update(headers)
        return body

    return routes


async def body_of(keeper: Keeper, selection: Selection) -> SelectionOut:
    """A selection with the models behind its labels, and the price of the one recommended."""
    account, choice = selection.account, selection.choice
    names = [each.label for each in choice.labels]
    labels = {name: await keeper.directory.label(name) for name in names}
    chosen = labels.get(choice.recommended) if choice.recommended else None
    price = None if chosen is None else await keeper.prices.of_label(chosen)
    return SelectionOut(
        org_id=account.org_id,
        app_id=account.app_id,
        recommended_label=choice.recommended,
        bedrock_model_id=None if chosen is None else chosen.bedrock_model_id,
        reason=_reason(account, choice),
        models_status=[_status(each, labels[each.label]) for each in choice.labels],
        pricing=None if price is None else price_out(price),
        client_guidance=selection.guidance(),
        as_of=iso(selection.as_of_ms / 1000),
    )


def _status(standing: LabelStanding, label: Label | None) -> LabelStatus:
    return LabelStatus(
        label=standing.label,
        bedrock_model_id=None if label is None else label.bedrock_model_id,
        priced=not standing.unpriced,
        open=standing.open,
        exhausted=standing.exhausted,
        pct=round(standing.pct, 2),
        limits=[
            LimitStatus(
                scope=each.limit.level,
                window=each.limit.window,
                label=each.limit.label,
                quota_usd_micros=each.limit.quota_micros,
                spend_usd_micros=micros(each.spend_picos),
                pct=round(each.pct, 2),
            )
            for each in standing.standings
        ],
    )


def _reason(account: Account, choice: Choice) -> str:
    """One or two sentences for people."""
    unpriced = [each.label for each in choice.labels if each.unpriced]
    if not unpriced or account.org.unpriced == "count":
        return _outcome(choice)
    return f"{_outcome(choice)} Blocked because the model has no price: {', '.join(unpriced)}."


def _outcome(choice: Choice) -> str:
    if choice.recommended is None:
        return "Every label of the ordering is closed or has reached a limit."
    passed = takewhile(lambda each: each.label != choice.recommended, choice.labels)
    names = ", ".join(each.label for each in passed)
    if not names:
        return "The first label of the ordering is open."
    return f"The first label of the ordering that is open; closed before it: {names}."


def etag_of(body: SelectionOut) -> str:
    """Weak: the same as long as a caller would do the same. Spend alone changes nothing."""
    told = body.model_dump(
        mode="json",
        exclude={
            "as_of": True,
            "client_guidance": {
                "pct",
                "spend_usd_micros",
                "time_left_secs",
                "as_of",
                "lag_ms",
            },
            "models_status": {"__all__": {"pct", "limits"}},
        },
    )
    return f'W/"{blake2b(repr(told).encode(), digest_size=12).hexdigest()}"'


def _is_known(given: str | None, etag: str) -> bool:
    return given is not None and etag in (each.strip() for each in given.split(","))


def _used_up(selection: Selection, body: SelectionOut, headers: dict[str, str]) -> Problem:
    secs = str(selection.retry_after)
    return Problem(
        429,
        "QUOTA_EXCEEDED",
        "Every label of the ordering is closed. Retry-After says when the first can open again.",
        headers={**headers, "Retry-After": secs},
        extra=body.model_dump(mode="json"),
    )
