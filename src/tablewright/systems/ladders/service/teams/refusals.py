"""Why something is not done with a team."""

from __future__ import annotations

from tablewright.service.problems import Problem, conflict
from tablewright.systems.ladders.entities import (
    MAX_MANAGED_TEAMS,
    MAX_MEMBERS,
    MAX_TEAMS_OF_USER,
)


def closed() -> Problem:
    return conflict("TEAM_CLOSED", "The team is closed.")


def open_plans() -> Problem:
    return conflict("OPEN_PLANS", "The team has open plans. Complete them first.")


def not_a_manager() -> Problem:
    detail = "A team is managed by an active user with the role of a manager."
    return conflict("NOT_A_MANAGER", detail)


def manager_is_member() -> Problem:
    return conflict("MANAGER_IS_MEMBER", "Nobody both manages a team and is a member of it.")


def too_many_managed() -> Problem:
    return conflict("TOO_MANY_TEAMS", f"Nobody manages more than {MAX_MANAGED_TEAMS} teams.")


def team_full() -> Problem:
    return conflict("TEAM_FULL", f"A team has at most {MAX_MEMBERS} members.")


def too_many_teams() -> Problem:
    detail = f"One of these users is in {MAX_TEAMS_OF_USER} teams already, which is the most."
    return conflict("TOO_MANY_TEAMS", detail)
