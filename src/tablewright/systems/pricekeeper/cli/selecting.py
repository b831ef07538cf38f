"""``select``: which label an app may use now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.commands import Answer, Line, Styled, columns
from tablewright.service.typed import percent
from tablewright.systems.pricekeeper.cli.finding import org_id_of
from tablewright.systems.pricekeeper.cli.given import Keeper
from tablewright.systems.pricekeeper.cli.words import usd

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.bodies import LabelStatus, SelectionOut


async def select(keeper: Keeper, /, org: str, app: str, *, force: bool = False) -> Answer:
    """Say which label an app may use now, and why. If none is open, the exit code is 1.

    Parameters
    ----------
    org
        The id or the name of the organisation.
    app
        The id of the app.
    force
        Look at the counters themselves, and not at totals that are a minute old at the most.
    """
    from tablewright.systems.pricekeeper.api.selection import body_of

    org_id = await org_id_of(keeper, org)
    selection = await keeper.selector.answer(org_id, app, force)
    body = await body_of(keeper, selection)
    data = {**body.model_dump(mode="json"), "retry_after_secs": selection.retry_after}
    return Answer(_lines(body, selection.retry_after), data, ok=body.recommended_label is not None)


def _lines(body: SelectionOut, retry_after: int) -> list[Line]:
    guidance = body.client_guidance
    if body.recommended_label is None:
        head: Line = Styled(f"None is open; the first can be again in {retry_after} s.", "red")
    else:
        head = Styled(f"Use {body.recommended_label}: {body.bedrock_model_id}", "green")
    left = guidance.time_left_secs
    lines: list[Line] = [
        head,
        body.reason,
        f"Mode {guidance.mode}: {usd(guidance.spend_usd_micros)} of "
        f"{usd(guidance.quota_usd_micros)} spent"
        + ("." if left is None else f", which lasts {left} s as it goes now."),
    ]
    rows = [_row(each) for each in body.models_status]
    return [*lines, *columns(("label", "model", "state", "used", "nearest limit"), rows, {"used"})]


def _row(status: LabelStatus) -> tuple[str, ...]:
    state = "open" if status.open else "used up" if status.exhausted else "closed"
    if not status.priced:
        state = f"{state}, no price"
    nearest = max(status.limits, key=lambda each: each.pct, default=None)
    limit = ""
    if nearest is not None:
        limit = f"{nearest.scope} {nearest.window} {nearest.label}: {usd(nearest.quota_usd_micros)}"
    return status.label, status.bedrock_model_id or "", state, percent(status.pct), limit
