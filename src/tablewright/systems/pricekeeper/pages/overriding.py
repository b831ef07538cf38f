"""Closing and opening labels by hand, as the form says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.service.forms import Typed, built
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.pricekeeper.bodies import OverrideIn

if TYPE_CHECKING:
    from tablewright.service.auth import Principal
    from tablewright.systems.pricekeeper.service.keeper import Keeper


async def override(
    keeper: Keeper, org_id: str, app_id: str | None, values: Typed, who: Principal
) -> str:
    """Do it, and say what was done; a problem at the form's fields if it cannot be."""
    label, action = values.get("label", ""), values.get("action", "")
    if not label:
        raise invalid(FieldError("body.label", "Choose a label."))
    if action not in ("exhaust", "restore"):
        raise invalid(FieldError("body.action", "Close it, or open it again."))
    body = built(OverrideIn, {action: [label], "reason": values.get("reason", "")})
    try:
        await keeper.overrides.override(
            org_id, app_id, who, exhaust=body.exhaust, restore=body.restore, reason=body.reason
        )
    except Problem as problem:
        raise _at_the_label(problem) from problem
    if action == "exhaust":
        return f"{label} is closed for the rest of the day."
    return f"{label} is open again."


def _at_the_label(problem: Problem) -> Problem:
    """What is wrong with one label is wrong with the one that was chosen."""
    errors = [FieldError("body.label", each.message) for each in problem.errors]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)
