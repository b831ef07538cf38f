"""What may be changed of a hackathon, by the state it is in.

While it is analysed, what scores rest on stands still. Once its results are released, teams have
seen them: whoever wants to change what they rest on reopens it first, which takes them back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tablewright.service.problems import FieldError, Problem, conflict
from tablewright.systems.vibejudge.entities import HackathonDetail, HackathonStatus

#: How it is shown, and what it may cost.
ALWAYS: Final = frozenset({"name", "description", "visibility", "budget_limit_usd"})
#: How people's scores are blended in.
BLENDED: Final = frozenset({"human_weight", "min_reviews"})
#: What scores rest on.
SCORED: Final = frozenset(
    {
        "rubric",
        "agents_enabled",
        "agent_provider",
        "agent_models",
        "ai_policy_mode",
        "ai_policy_config",
    }
)
#: When it is: submissions are taken, and commits frozen, by them.
DATES: Final = frozenset({"start_date", "end_date"})
EDITABLE: Final = ALWAYS | BLENDED | SCORED | DATES

_FREE: Final[dict[HackathonStatus, frozenset[str]]] = {
    "draft": EDITABLE,
    "configured": EDITABLE,
    "analyzing": ALWAYS,
    "completed": EDITABLE - DATES,
    "archived": frozenset(),
}
#: What each act starts from.
STARTS: Final[dict[str, frozenset[HackathonStatus]]] = {
    "activate": frozenset({"draft"}),
    "reopen": frozenset({"completed"}),
    "archive": frozenset({"draft", "configured", "completed"}),
    "release": frozenset({"completed"}),
    "rescore": frozenset({"configured", "completed"}),
}


def editable(hackathon: HackathonDetail) -> frozenset[str]:
    """What may be changed now."""
    free = _FREE[hackathon.status]
    return free - (SCORED | BLENDED) if hackathon.has_final_scores else free


def check_edit(hackathon: HackathonDetail, changed: Iterable[str]) -> None:
    """That these may be changed now; else the problem 409 that says which may not."""
    fixed = sorted(set(changed) - editable(hackathon))
    if not fixed:
        return
    problem = _refusal(hackathon)
    errors = [FieldError(f"body.{name}", "cannot be changed now") for name in fixed]
    raise Problem(problem.status, problem.code, problem.detail, errors=errors)


def check_act(hackathon: HackathonDetail, act: str) -> None:
    """That a hackathon is in a state from which this can be done."""
    if act == "rescore" and hackathon.has_final_scores:
        raise _refusal(hackathon)
    if hackathon.status in STARTS[act]:
        return
    if hackathon.status == "analyzing":
        raise _refusal(hackathon)
    wanted = " or ".join(sorted(STARTS[act]))
    detail = f"It is {hackathon.status}; this can be done while it is {wanted}."
    raise conflict("WRONG_STATE", detail)


def _refusal(hackathon: HackathonDetail) -> Problem:
    if hackathon.status == "archived":
        return conflict("ARCHIVED", "It was put away, and stays as it is.")
    if hackathon.status == "analyzing":
        return conflict("ANALYZING", "It is being analysed. Wait for the end, or cancel the job.")
    if hackathon.has_final_scores:
        return conflict("RELEASED", "Its results are released. Reopen it to change this.")
    return conflict("WRONG_STATE", f"It is {hackathon.status}. Reopen it to change this.")
