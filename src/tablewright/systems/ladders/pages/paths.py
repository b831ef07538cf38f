"""Where pages are."""

from __future__ import annotations

from typing import Final

from tablewright.service.paths import with_query

BASE: Final = "/ladders"
#: What somebody has to do; everybody begins here.
HOME: Final = f"{BASE}/"
GROWTH: Final = f"{BASE}/growth"
HISTORY: Final = f"{BASE}/history"
#: The active ladder.
LADDER: Final = f"{BASE}/ladder"
TEAMS: Final = f"{BASE}/teams"
PLANS: Final = f"{BASE}/plans"
ADMIN: Final = f"{BASE}/admin"
USERS: Final = f"{ADMIN}/users"
ALL_TEAMS: Final = f"{ADMIN}/teams"
VERSIONS: Final = f"{ADMIN}/ladders"
AUDIT: Final = f"{ADMIN}/audit"


# --- one's own -----------------------------------------------------------------------------------


def assessment_path(assessment_id: str, step: int | None = None) -> str:
    """An assessment; a step of its form, or where its author goes on."""
    return with_query(f"{BASE}/assessments/{assessment_id}", step=step)


def report_path(report_id: str, rest: str = "") -> str:
    """A report: ``report_path(r, "/release")`` does something with it."""
    return f"{BASE}/reports/{report_id}{rest}"


def history_path(member_id: str = "") -> str:
    """One's own way up the ladder, or somebody else's."""
    return f"{HISTORY}/{member_id}" if member_id else HISTORY


# --- of who runs reviews -------------------------------------------------------------------------


def team_path(team_id: str, rest: str = "") -> str:
    """A team: ``team_path(t, "/members")``."""
    return f"{TEAMS}/{team_id}{rest}"


def heatmap_path(team_id: str, plan_id: str = "", source: str = "") -> str:
    """Members by competencies; of the latest plan, if nobody says which."""
    return with_query(team_path(team_id, "/heatmap"), plan=plan_id, source=source)


def plan_path(plan_id: str, rest: str = "") -> str:
    """A plan: ``plan_path(p, "/activate")``."""
    return f"{PLANS}/{plan_id}{rest}"


def board_path(plan_id: str) -> str:
    """How far a plan is."""
    return plan_path(plan_id, "/board")


def user_path(user_id: str, rest: str = "") -> str:
    """A user, as admins see them."""
    return f"{USERS}/{user_id}{rest}"


def version_path(config_id: str, rest: str = "") -> str:
    """A version of the ladder, as admins see it."""
    return f"{VERSIONS}/{config_id}{rest}"
