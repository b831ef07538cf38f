"""Which right each route asks for. Where an assessment decides, both kinds are named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

#: Names in :data:`tablewright.systems.ladders.rules.rights.ACTIONS`.
Actions: TypeAlias = tuple[str, ...]


class Route(NamedTuple):
    """A method and a path below ``/api/v1``; parameters are ``{}``, whatever they are called."""

    method: str
    path: str


def route(method: str, path: str) -> Route:
    """A route by its path with named parameters."""
    return Route(method.upper(), re.sub(r"\{[^}]*\}", "{}", path))


def _each(actions: str, *routes: str) -> dict[Route, Actions]:
    """Routes as they are said: ``GET POST /users``."""
    made: dict[Route, Actions] = {}
    for each in routes:
        *methods, path = each.split()
        made |= {Route(method, path): tuple(actions.split()) for method in methods}
    return made


ROUTES: Final[Mapping[Route, Actions]] = {
    **_each("read_me", "GET /me", "GET /me/tasks", "GET /me/export"),
    # --- users
    **_each("list_users", "GET /users"),
    **_each("create_user", "POST /users"),
    **_each("read_user", "GET /users/{}"),
    **_each("edit_user", "PATCH /users/{}"),
    **_each(
        "end_user",
        "POST /users/{}/deactivate",
        "POST /users/{}/reactivate",
        "POST /users/{}/erase",
    ),
    **_each("read_audit", "GET /audit"),
    # --- teams
    **_each("list_teams", "GET /teams"),
    **_each("create_team", "POST /teams"),
    **_each("read_own_teams", "GET /teams/mine"),
    **_each("read_team", "GET /teams/{}", "GET /teams/{}/plans"),
    **_each("edit_team", "PATCH /teams/{}"),
    **_each("delete_team", "DELETE /teams/{}"),
    **_each("assign_manager", "PUT /teams/{}/manager"),
    **_each("change_members", "POST /teams/{}/members", "DELETE /teams/{}/members/{}"),
    **_each("read_heatmap", "GET /teams/{}/heatmap"),
    # --- plans
    **_each("create_plan", "POST /teams/{}/plans"),
    **_each("list_plans", "GET /plans"),
    **_each("read_own_plans", "GET /plans/active"),
    **_each("read_plan", "GET /plans/{}"),
    **_each("edit_plan", "PUT DELETE /plans/{}"),
    **_each(
        "run_plan",
        "POST /plans/{}/activate",
        "POST /plans/{}/complete",
        "POST /plans/{}/archive",
    ),
    **_each("change_roster", "POST /plans/{}/members", "DELETE /plans/{}/members/{}"),
    **_each("reopen_plan", "POST /plans/{}/reopen"),
    **_each("read_board", "GET /plans/{}/board"),
    **_each("remind", "POST /plans/{}/remind"),
    # --- assessments
    **_each("list_assessments", "GET /plans/{}/assessments"),
    **_each("list_assessments_of", "GET /members/{}/assessments"),
    **_each("read_self_assessment read_manager_assessment", "GET /assessments/{}"),
    **_each("write_self_assessment write_manager_assessment", "PATCH /assessments/{}"),
    **_each("submit_self_assessment submit_manager_assessment", "POST /assessments/{}/submit"),
    **_each("reopen_assessment", "POST /assessments/{}/reopen"),
    # --- reports
    **_each("list_reports", "GET /plans/{}/reports"),
    **_each("build_report", "POST /plans/{}/reports/{}"),
    **_each("list_reports_of", "GET /members/{}/reports", "GET /members/{}/history"),
    **_each("read_report", "GET /reports/{}"),
    **_each("release_report", "POST /reports/{}/release", "POST /reports/{}/withdraw"),
    **_each("acknowledge_report", "POST /reports/{}/acknowledge"),
    **_each("export_report", "POST /reports/{}/export"),
    **_each("change_actions", "POST /reports/{}/actions", "PATCH DELETE /reports/{}/actions/{}"),
    # --- ladders
    **_each("read_active_config", "GET /configs/active"),
    **_each("read_config", "GET /configs/{}", "GET /configs/{}/markdown"),
    **_each(
        "manage_configs",
        "GET POST /configs",
        "POST /configs/validate",
        "GET /configs/{}/diff/{}",
        "POST /configs/{}/activate",
        "POST /configs/rollback",
    ),
}
