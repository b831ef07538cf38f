"""A good request of every operation, and who may make it: the table of the specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from tests.service.good_requests import Request
from tests.systems.ladders.api_world import (
    COLLEAGUE,
    FOREIGNER,
    MANAGER,
    MEMBER,
    OPERATED,
    PROGRAM,
    WHO,
    World,
)
from tests.systems.ladders.assessments.reviews import all_at, change
from tests.systems.ladders.configs.support import TEXT
from tests.systems.ladders.support import API

#: Users of the company, and admins who are none.
ALL: Final = frozenset(WHO) - {"stranger", "nobody", "nonsense"}
#: "A admin".
ADMINS: Final = frozenset({"admin", OPERATED, PROGRAM})
#: "M its current manager".
RUN: Final = ADMINS | {MANAGER}
#: "T team member".
TEAM: Final = RUN | {MEMBER, COLLEAGUE}
#: "O subject".
ABOUT: Final = RUN | {MEMBER}
#: What keys and messages of the process are for: the issuer or a key says so, not the company.
OPERATORS: Final = frozenset({OPERATED, PROGRAM})

#: Who may do what, by the name of the operation.
MAY: Final[Mapping[str, frozenset[str]]] = {
    "get_me": ALL,
    "list_tasks": ALL,
    "export_my_data": ALL,
    "list_users": ADMINS,
    "create_user": ADMINS,
    "get_user": ADMINS,
    "change_user": ADMINS,
    "deactivate_user": ADMINS,
    "reactivate_user": ADMINS,
    "erase_user": ADMINS,
    "list_audit": ADMINS,
    "list_teams": ADMINS,
    "create_team": RUN | {FOREIGNER},  # who manages any team
    "list_my_teams": ALL,
    "get_team": TEAM,
    "change_team": RUN,
    "close_team": ADMINS,
    "assign_manager": ADMINS,
    "add_members": RUN,
    "remove_member": RUN,
    "list_plans_of_team": TEAM,
    "draft_plan": RUN,
    "list_plans": ADMINS,
    "list_active_plans": ALL,
    "get_plan": TEAM,
    "edit_plan": RUN,
    "delete_plan": RUN,
    "activate_plan": RUN,
    "complete_plan": RUN,
    "archive_plan": RUN,
    "reopen_plan": ADMINS,
    "enrol_member": RUN,
    "withdraw_member": RUN,
    "get_board": RUN,
    "remind": RUN,
    "list_assessments": RUN,
    "list_assessments_of_member": ABOUT,
    "get_assessment": ABOUT,  # the member's own, submitted
    "save_assessment": frozenset({MEMBER}),  # the member's own
    "submit_assessment": frozenset({MANAGER}),  # the manager's
    "reopen_assessment": RUN,
    "list_reports": RUN,
    "list_reports_of_member": ABOUT,
    "get_history": ABOUT,
    "get_heatmap": RUN,
    "build_report": RUN,
    "get_report": ABOUT,  # a released one
    "export_report": ABOUT,
    "release_report": RUN,
    "withdraw_report": RUN,
    "acknowledge_report": frozenset({MEMBER}),
    "add_action": frozenset({MEMBER, MANAGER}),
    "change_action": frozenset({MEMBER, MANAGER}),
    "drop_action": frozenset({MEMBER, MANAGER}),
    "list_configs": ADMINS,
    "upload_config": ADMINS,
    "validate_config": ADMINS,
    "get_active_config": ALL,
    "roll_back": ADMINS,
    "get_config": ALL,  # the active one
    "get_markdown": ALL,
    "compare_configs": ADMINS,
    "activate_config": ADMINS,
    # What all systems have.
    "create_stream_token": OPERATORS,
    "list_api_keys": OPERATORS,
    "create_api_key": OPERATORS,
    "revoke_api_key": OPERATORS,
    "end_sessions": OPERATORS,
    "list_dead_messages": OPERATORS,
    "list_sent_messages": OPERATORS,
    "retry_message": OPERATORS,
    "discard_message": OPERATORS,
}

_Make = Callable[[World], Request]
_MADE: dict[str, _Make] = {}
ANY: Final = {"If-Match": "*"}


def good_request(name: str, world: World) -> Request:
    """One that succeeds for those who may; made anew each time."""
    return _MADE[name](world)


def _made(make: _Make) -> _Make:
    _MADE[make.__name__] = make
    return make


def _get(name: str, path: str) -> None:
    """A question that is the same each time."""
    _MADE[name] = lambda _: Request("GET", f"{API}{path}")


for _name, _path in {
    "get_me": "/me",
    "list_tasks": "/me/tasks",
    "export_my_data": "/me/export",
    "list_users": "/users",
    "list_audit": "/audit",
    "list_teams": "/teams",
    "list_my_teams": "/teams/mine",
    "list_plans": "/plans",
    "list_active_plans": "/plans/active",
    "list_configs": "/configs",
    "get_active_config": "/configs/active",
    "list_api_keys": "/api-keys",
    "list_dead_messages": "/outbox/dead",
    "list_sent_messages": "/outbox/sent",
}.items():
    _get(_name, _path)


# --- users ---------------------------------------------------------------------------------------


@_made
def create_user(world: World) -> Request:
    body = {"email": f"new-{next(world.numbers)}@people.test", "name": "New", "roles": ["manager"]}
    return Request("POST", f"{API}/users", body)


def _user(world: World, rest: str = "") -> str:
    return f"{API}/users/{world.user().user_id}{rest}"


@_made
def get_user(world: World) -> Request:
    return Request("GET", _user(world))


@_made
def change_user(world: World) -> Request:
    return Request("PATCH", _user(world), {"roles": ["manager"]}, ANY)


@_made
def deactivate_user(world: World) -> Request:
    return Request("POST", _user(world, "/deactivate"))


@_made
def reactivate_user(world: World) -> Request:
    path = _user(world)
    world.done("POST", f"{path.removeprefix(API)}/deactivate")
    return Request("POST", f"{path}/reactivate")


@_made
def erase_user(world: World) -> Request:
    return Request("POST", _user(world, "/erase"))


# --- teams ---------------------------------------------------------------------------------------


def _team(world: World, rest: str = "") -> str:
    return f"{API}/teams/{world.crew().team_id}{rest}"


@_made
def create_team(world: World) -> Request:
    return Request("POST", f"{API}/teams", {"team_name": f"Team {next(world.numbers)}"})


@_made
def get_team(world: World) -> Request:
    return Request("GET", _team(world))


@_made
def change_team(world: World) -> Request:
    return Request("PATCH", _team(world), {"team_name": "Platform and tools"}, ANY)


@_made
def close_team(world: World) -> Request:
    return Request("DELETE", _team(world))


@_made
def assign_manager(world: World) -> Request:
    body = {"manager_id": world.user("manager").user_id}
    return Request("PUT", _team(world, "/manager"), body)


@_made
def add_members(world: World) -> Request:
    return Request("POST", _team(world, "/members"), {"user_ids": [world.user().user_id]})


@_made
def remove_member(world: World) -> Request:
    crew = world.crew()
    return Request("DELETE", f"{API}/teams/{crew.team_id}/members/{crew.members[-1].user_id}")


# --- plans ---------------------------------------------------------------------------------------


@_made
def list_plans_of_team(world: World) -> Request:
    return Request("GET", _team(world, "/plans"))


@_made
def draft_plan(world: World) -> Request:
    return Request("POST", _team(world, "/plans"), world.draft_body())


@_made
def get_plan(world: World) -> Request:
    return Request("GET", f"{API}/plans/{world.plan().plan_id}")


@_made
def edit_plan(world: World) -> Request:
    later = (world.company.now() + timedelta(days=21)).isoformat()
    path = f"{API}/plans/{world.plan('draft').plan_id}"
    return Request("PUT", path, {"plan_name": "Late autumn", "end_date": later}, ANY)


@_made
def delete_plan(world: World) -> Request:
    return Request("DELETE", f"{API}/plans/{world.plan('draft').plan_id}")


@_made
def activate_plan(world: World) -> Request:
    return Request("POST", f"{API}/plans/{world.plan('draft').plan_id}/activate")


@_made
def complete_plan(world: World) -> Request:
    return Request("POST", f"{API}/plans/{world.plan().plan_id}/complete", {"force": True})


@_made
def archive_plan(world: World) -> Request:
    return Request("POST", f"{API}/plans/{world.plan('completed').plan_id}/archive")


@_made
def reopen_plan(world: World) -> Request:
    path = f"{API}/plans/{world.plan('completed').plan_id}/reopen"
    return Request("POST", path, {"reason": "Two people were ill."})


@_made
def enrol_member(world: World) -> Request:
    review = world.review()
    path = f"{API}/plans/{review.plan.plan_id}/members"
    return Request("POST", path, {"user_id": world.late(review.crew)})


@_made
def withdraw_member(world: World) -> Request:
    review = world.review()
    who = review.crew.members[-1].user_id
    return Request("DELETE", f"{API}/plans/{review.plan.plan_id}/members/{who}")


@_made
def get_board(world: World) -> Request:
    return Request("GET", f"{API}/plans/{world.plan().plan_id}/board")


@_made
def remind(world: World) -> Request:
    return Request("POST", f"{API}/plans/{world.plan().plan_id}/remind")


# --- assessments ---------------------------------------------------------------------------------


@_made
def list_assessments(world: World) -> Request:
    return Request("GET", f"{API}/plans/{world.plan().plan_id}/assessments")


@_made
def list_assessments_of_member(world: World) -> Request:
    return Request("GET", f"{API}/members/{world.review().member.user_id}/assessments")


@_made
def get_assessment(world: World) -> Request:
    return Request("GET", f"{API}/assessments/{world.submitted().id()}")


@_made
def save_assessment(world: World) -> Request:
    body = {"changes": [change("Craft", "Coding", evidence="Led the move.")], "goal_level": 4}
    return Request("PATCH", f"{API}/assessments/{world.review().id()}", body, ANY)


@_made
def submit_assessment(world: World) -> Request:
    review = world.review()
    world.do(review.save(all_at(3), "manager"))
    return Request("POST", f"{API}/assessments/{review.id('manager')}/submit")


@_made
def reopen_assessment(world: World) -> Request:
    path = f"{API}/assessments/{world.submitted().id()}/reopen"
    return Request("POST", path, {"reason": "A project was forgotten."})


# --- reports -------------------------------------------------------------------------------------


@_made
def list_reports(world: World) -> Request:
    return Request("GET", f"{API}/plans/{world.reported().plan.plan_id}/reports")


@_made
def list_reports_of_member(world: World) -> Request:
    return Request("GET", f"{API}/members/{world.released().member.user_id}/reports")


@_made
def get_history(world: World) -> Request:
    return Request("GET", f"{API}/members/{world.released().member.user_id}/history")


@_made
def get_heatmap(world: World) -> Request:
    plan = world.submitted().plan
    path = f"{API}/teams/{plan.team_id}/heatmap"
    return Request("GET", path, parameters={"plan_id": plan.plan_id, "source": "self"})


@_made
def build_report(world: World) -> Request:
    review = world.reported()
    path = f"{API}/plans/{review.plan.plan_id}/reports/{review.member.user_id}"
    return Request("POST", path)


@_made
def get_report(world: World) -> Request:
    return Request("GET", f"{API}/reports/{world.released().report_id}")


@_made
def export_report(world: World) -> Request:
    path = f"{API}/reports/{world.released().report_id}/export"
    return Request("POST", path, parameters={"format": "csv"})


@_made
def release_report(world: World) -> Request:
    return Request("POST", f"{API}/reports/{world.reported().report_id}/release")


@_made
def withdraw_report(world: World) -> Request:
    return Request("POST", f"{API}/reports/{world.released().report_id}/withdraw")


@_made
def acknowledge_report(world: World) -> Request:
    path = f"{API}/reports/{world.released().report_id}/acknowledge"
    return Request("POST", path, {"comment": "I see it the same way."})


@_made
def add_action(world: World) -> Request:
    body = {"title": "Run the design review", "due_at": "2026-12-04T17:00:00Z"}
    return Request("POST", f"{API}/reports/{world.released().report_id}/actions", body)


def _action(world: World) -> str:
    review = world.released()
    return f"{API}/reports/{review.report_id}/actions/{world.action(review)}"


@_made
def change_action(world: World) -> Request:
    return Request("PATCH", _action(world), {"status": "done"})


@_made
def drop_action(world: World) -> Request:
    return Request("DELETE", _action(world))


# --- ladders -------------------------------------------------------------------------------------


@_made
def upload_config(world: World) -> Request:
    body = {"version": f"3.{next(world.numbers)}.0", "content": TEXT}
    return Request("POST", f"{API}/configs", body)


@_made
def validate_config(world: World) -> Request:
    return Request("POST", f"{API}/configs/validate", {"content": TEXT})


@_made
def roll_back(world: World) -> Request:
    return Request("POST", f"{API}/configs/rollback")


@_made
def get_config(world: World) -> Request:
    return Request("GET", f"{API}/configs/{world.active()}")


@_made
def get_markdown(world: World) -> Request:
    return Request("GET", f"{API}/configs/{world.active()}/markdown")


@_made
def compare_configs(world: World) -> Request:
    return Request("GET", f"{API}/configs/{world.active()}/diff/{world.config().config_id}")


@_made
def activate_config(world: World) -> Request:
    return Request("POST", f"{API}/configs/{world.config().config_id}/activate")


# --- what all systems have -----------------------------------------------------------------------


@_made
def create_stream_token(world: World) -> Request:
    return Request("POST", f"{API}/stream-token")


@_made
def create_api_key(world: World) -> Request:
    return Request("POST", f"{API}/api-keys", {"name": "tests", "roles": ["admin"]})


@_made
def end_sessions(world: World) -> Request:
    return Request("POST", f"{API}/sessions/end", {"user": "somebody@example.org"})


@_made
def revoke_api_key(world: World) -> Request:
    made = world.done("POST", "/api-keys", {"name": "tests", "roles": ["admin"]}, OPERATED)
    return Request("DELETE", f"{API}/api-keys/{made['key_id']}")


@_made
def retry_message(world: World) -> Request:
    return Request("POST", f"{API}/outbox/dead/{world.dead_message()}/retry")


@_made
def discard_message(world: World) -> Request:
    return Request("DELETE", f"{API}/outbox/dead/{world.dead_message()}")
