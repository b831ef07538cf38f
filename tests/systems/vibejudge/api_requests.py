"""A good request of every operation, and who may make it: the table of the specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import uuid4

from tests.service.good_requests import Request
from tests.systems.vibejudge.api_world import (
    API,
    JUDGE,
    OLGA,
    OTHER_JUDGE,
    OTTO,
    WHO,
    World,
    row,
)
from tests.systems.vibejudge.support import wanted_body

#: Olga's things are hers; administrators reach everything.
OWNERS = frozenset({"admin", OLGA})
#: Whoever has registered, for themselves.
ORGANIZERS = frozenset({OLGA, OTTO})
ADMIN = frozenset({"admin"})
JUDGES = frozenset({JUDGE})
#: What is shown or given counts, not who comes with it.
EVERYBODY = frozenset(WHO)
#: The same, where one may also say who one is; wrongly said is refused.
ANYBODY = EVERYBODY - {"nonsense"}

#: Who may do what, by the name of the operation.
MAY: Final[Mapping[str, frozenset[str]]] = {
    "register": ANYBODY,
    "get_me": ORGANIZERS,
    "change_me": ORGANIZERS,
    "erase_me": ORGANIZERS,
    "list_keys": ORGANIZERS,
    "create_key": ORGANIZERS,
    "revoke_key": frozenset({OLGA}),
    "set_tier": ADMIN,
    "list_public_hackathons": EVERYBODY,
    "get_public_hackathon": EVERYBODY,
    "list_rubric_templates": EVERYBODY,
    "submit_publicly": EVERYBODY,
    "create_hackathon": ORGANIZERS,
    "list_hackathons": ORGANIZERS,
    "get_hackathon": OWNERS,
    "change_hackathon": OWNERS,
    "delete_hackathon": OWNERS,
    "activate_hackathon": OWNERS,
    "reopen_hackathon": OWNERS,
    "release_hackathon": OWNERS,
    "submit": OWNERS,
    "list_submissions": OWNERS,
    "get_import": OWNERS,
    "get_submission": OWNERS,
    "change_submission": OWNERS,
    "withdraw_submission": OWNERS,
    "new_token": OWNERS,
    "find_submission": OWNERS,
    "freeze": OWNERS,
    "export": OWNERS,
    "analyze_hackathon": OWNERS,
    "list_jobs": OWNERS,
    "get_job": OWNERS,
    "list_tasks": OWNERS,
    "follow_job": OWNERS,
    "cancel_job": OWNERS,
    "resume_job": OWNERS,
    "read_costs": OWNERS,
    "list_calls": OWNERS,
    "estimate_analysis": OWNERS,
    "get_scorecard": OWNERS,
    "list_runs": OWNERS,
    "get_run": OWNERS,
    "rescore": OWNERS,
    "get_leaderboard": OWNERS,
    "get_stats": OWNERS,
    "get_similarity": OWNERS,
    "list_judges": OWNERS,
    "invite_judge": OWNERS,
    "invite_again": OWNERS,
    "change_judge": OWNERS,
    "list_rounds": OWNERS,
    "add_round": OWNERS,
    "get_round": OWNERS,
    "change_round": OWNERS,
    "assign_round": OWNERS,
    "list_overrides": OWNERS,
    "set_override": OWNERS,
    "revoke_override": OWNERS,
    "list_appeals": OWNERS,
    "get_appeal": OWNERS,
    "answer_appeal": OWNERS,
    "accept_invitation": EVERYBODY,
    "next_to_judge": JUDGES,
    "list_scores": JUDGES,
    "give_score": JUDGES,
    "list_comparisons": JUDGES,
    "compare_two": JUDGES,
    "skip_submission": JUDGES,
    "get_result": EVERYBODY,
    "appeal_result": EVERYBODY,
    # What all systems have. A token opens streams for those who may look at them anyway.
    "create_stream_token": ANYBODY - {"nobody"},
    "list_api_keys": ADMIN,
    "create_api_key": ADMIN,
    "revoke_api_key": ADMIN,
    "end_sessions": ADMIN,
    "list_dead_messages": ADMIN,
    "list_sent_messages": ADMIN,
    "retry_message": ADMIN,
    "discard_message": ADMIN,
}
#: Whose answers do not end.
ENDLESS = frozenset({"follow_job"})
#: What must not be done by those whom everything else rests on, and who does it instead.
INSTEAD: Final = {"erase_me": "leaver"}
#: For everybody: nobody has to say who they are.
OPEN: Final = frozenset(name for name, may in MAY.items() if "nobody" in may)


def refusal(name: str, who: str) -> int:
    """What somebody is told who may not: what is somebody else's is not there."""
    shown = name == "get_leaderboard"
    if who == "nonsense" or (who == "nobody" and not shown):
        return 401
    foreign = MAY[name] == OWNERS and (who == OTTO or shown)
    foreign |= name == "revoke_key" and who == OTTO
    foreign |= MAY[name] == JUDGES and who == OTHER_JUDGE
    return 404 if foreign else 403


_Make = Callable[[World], Request]
_MADE: dict[str, _Make] = {}


def good_request(name: str, world: World) -> Request:
    """One that succeeds for those who may; made anew each time."""
    return _MADE[name](world)


def _made(make: _Make) -> _Make:
    _MADE[make.__name__] = make
    return make


def _get(name: str, path: str) -> None:
    """A question that is the same each time."""
    _MADE[name] = lambda _: Request("GET", f"{API}{path}")


def _judged(name: str, method: str, path: str) -> None:
    """Something of the hackathon that is judged."""
    _MADE[name] = lambda world: Request(method, f"{API}/hackathons/{world.judged[JUDGE]}{path}")


def _desk(name: str, path: str) -> None:
    """A question of its judge."""
    _MADE[name] = lambda world: Request("GET", f"{API}/judging/{world.judged[JUDGE]}{path}")


_get("get_me", "/organizers/me")
_get("list_keys", "/organizers/me/keys")
_get("list_public_hackathons", "/public/hackathons")
_get("list_rubric_templates", "/rubric-templates")
_get("list_hackathons", "/hackathons")
_get("list_api_keys", "/api-keys")
_get("list_dead_messages", "/outbox/dead")
_get("list_sent_messages", "/outbox/sent")
_judged("get_hackathon", "GET", "")
_judged("list_submissions", "GET", "/submissions")
_judged("export", "GET", "/export.csv")
_judged("list_jobs", "GET", "/jobs")
_judged("read_costs", "GET", "/costs")
_judged("estimate_analysis", "POST", "/analyze/estimate")
_judged("rescore", "POST", "/rescore")
_judged("get_leaderboard", "GET", "/leaderboard")
_judged("get_stats", "GET", "/stats")
_judged("get_similarity", "GET", "/similarity")
_judged("list_judges", "GET", "/judges")
_judged("list_rounds", "GET", "/rounds")
_judged("get_round", "GET", "/rounds/1")
_judged("assign_round", "POST", "/rounds/1/assign")
_judged("list_appeals", "GET", "/appeals")
_desk("next_to_judge", "/next")
_desk("list_scores", "/scores")
_desk("list_comparisons", "/comparisons")


# --- organisers ----------------------------------------------------------------------------------


@_made
def register(world: World) -> Request:
    body = {"email": f"{uuid4().hex}@people.test", "name": "Nell"}
    return Request("POST", f"{API}/organizers", body)


@_made
def change_me(world: World) -> Request:
    return Request("PATCH", f"{API}/organizers/me", {"organization": "A guild"})


@_made
def erase_me(world: World) -> Request:
    return Request("DELETE", f"{API}/organizers/me")


@_made
def create_key(world: World) -> Request:
    world.own_key()  # there is room, for one
    return Request("POST", f"{API}/organizers/me/keys", {"name": "tests"})


@_made
def revoke_key(world: World) -> Request:
    return Request("DELETE", f"{API}/organizers/me/keys/{world.own_key()}")


@_made
def set_tier(world: World) -> Request:
    path = f"{API}/organizers/{world.registered()['org_id']}/tier"
    return Request("PUT", path, {"tier": "premium"})


# --- hackathons ----------------------------------------------------------------------------------


@_made
def get_public_hackathon(world: World) -> Request:
    return Request("GET", f"{API}/public/hackathons/{world.hackathon(visibility='public')}")


@_made
def submit_publicly(world: World) -> Request:
    hack_id = world.hackathon(visibility="public")
    return Request("POST", f"{API}/public/hackathons/{hack_id}/submissions", row())


@_made
def create_hackathon(world: World) -> Request:
    return Request("POST", f"{API}/hackathons", wanted_body())


@_made
def change_hackathon(world: World) -> Request:
    path = f"{API}/hackathons/{world.hackathon()}"
    return Request("PUT", path, wanted_body("Other"), {"If-Match": "*"})


@_made
def delete_hackathon(world: World) -> Request:
    return Request("DELETE", f"{API}/hackathons/{world.hackathon()}")


@_made
def activate_hackathon(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon('draft')}/activate")


@_made
def reopen_hackathon(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon('completed')}/reopen")


@_made
def release_hackathon(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon('completed')}/release")


# --- submissions ---------------------------------------------------------------------------------


@_made
def submit(world: World) -> Request:
    body = {"submissions": [row(), row(repo_url="https://nowhere.test/a/b")]}
    return Request("POST", f"{API}/hackathons/{world.hackathon()}/submissions", body)


@_made
def get_import(world: World) -> Request:
    hack_id, import_id = world.begun()
    return Request("GET", f"{API}/hackathons/{hack_id}/submissions/imports/{import_id}")


@_made
def get_submission(world: World) -> Request:
    return Request("GET", _submission(world))


@_made
def change_submission(world: World) -> Request:
    body = {"disqualified": True, "reason": "Begun a month before"}
    return Request("PATCH", _submission(world), body)


@_made
def withdraw_submission(world: World) -> Request:
    return Request("DELETE", _submission(world))


@_made
def new_token(world: World) -> Request:
    return Request("POST", f"{_submission(world)}/token")


@_made
def find_submission(world: World) -> Request:
    return Request("GET", f"{API}/submissions/{world.submission()}")


@_made
def freeze(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon()}/freeze")


def _submission(world: World) -> str:
    hack_id = world.hackathon()
    return f"{API}/hackathons/{hack_id}/submissions/{world.submission(hack_id)}"


# --- analyses ------------------------------------------------------------------------------------


@_made
def analyze_hackathon(world: World) -> Request:
    hack_id = world.hackathon()
    world.submission(hack_id)
    return Request("POST", f"{API}/hackathons/{hack_id}/analyze")


@_made
def get_job(world: World) -> Request:
    return Request("GET", _job(world))


@_made
def list_tasks(world: World) -> Request:
    return Request("GET", f"{_job(world)}/tasks")


@_made
def follow_job(world: World) -> Request:
    return Request("GET", f"{_job(world)}/events")


@_made
def cancel_job(world: World) -> Request:
    return Request("POST", f"{_job(world)}/cancel")


@_made
def resume_job(world: World) -> Request:
    return Request("POST", f"{_job(world, cancelled=True)}/resume")


def _job(world: World, *, cancelled: bool = False) -> str:
    hack_id, job_id = world.job(cancelled=cancelled)
    return f"{API}/hackathons/{hack_id}/jobs/{job_id}"


@_made
def list_calls(world: World) -> Request:
    return Request("GET", f"{_scored(world)}/costs")


@_made
def get_scorecard(world: World) -> Request:
    return Request("GET", f"{_scored(world)}/scorecard")


@_made
def list_runs(world: World) -> Request:
    return Request("GET", f"{_scored(world)}/runs")


@_made
def get_run(world: World) -> Request:
    found = world.scored()
    sub = found.submission
    path = f"{API}/hackathons/{sub.hack_id}/submissions/{sub.sub_id}/runs"
    return Request("GET", f"{path}/{found.run.run_id}")


def _scored(world: World) -> str:
    sub = world.scored().submission
    return f"{API}/hackathons/{sub.hack_id}/submissions/{sub.sub_id}"


# --- judges, rounds, decisions -------------------------------------------------------------------


@_made
def invite_judge(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon()}/judges", {"name": "Jo"})


@_made
def invite_again(world: World) -> Request:
    return Request("POST", f"{_judge(world)}/invite")


@_made
def change_judge(world: World) -> Request:
    return Request("PATCH", _judge(world), {"name": "Joan"})


def _judge(world: World) -> str:
    hack_id = world.hackathon()
    judge_id = world.invitation(hack_id)["judge"]["judge_id"]
    return f"{API}/hackathons/{hack_id}/judges/{judge_id}"


@_made
def add_round(world: World) -> Request:
    return Request("POST", f"{API}/hackathons/{world.hackathon()}/rounds", {"weight": "0.5"})


@_made
def change_round(world: World) -> Request:
    hack_id = world.hackathon()
    path = f"{API}/hackathons/{hack_id}/rounds/{world.round(hack_id)}"
    return Request("PATCH", path, {"method": "pairwise"})


@_made
def list_overrides(world: World) -> Request:
    return Request("GET", _decided(world.overridden()))


@_made
def set_override(world: World) -> Request:
    body = {"score": 80, "reason": "It worked on the stage."}
    return Request("POST", f"{_scored(world)}/override", body)


@_made
def revoke_override(world: World) -> Request:
    return Request("DELETE", _decided(world.overridden()))


@_made
def get_appeal(world: World) -> Request:
    return Request("GET", _decided(world.appealed(), "appeal"))


@_made
def answer_appeal(world: World) -> Request:
    body = {"state": "rejected", "answer": "They were seen."}
    return Request("POST", _decided(world.appealed(), "appeal"), body)


def _decided(place: tuple[str, str], what: str = "override") -> str:
    hack_id, sub_id = place
    return f"{API}/hackathons/{hack_id}/submissions/{sub_id}/{what}"


# --- judging -------------------------------------------------------------------------------------


@_made
def accept_invitation(world: World) -> Request:
    return Request("POST", f"{API}/judging/accept", {"token": world.invitation()["token"]})


@_made
def give_score(world: World) -> Request:
    body = {"round_number": 1, "sub_id": world.assigned(), "scores": world.points()}
    return Request("POST", f"{API}/judging/{world.judged[JUDGE]}/scores", body)


@_made
def compare_two(world: World) -> Request:
    body = {"round_number": 2, "winner": world.assigned(), "loser": world.assigned()}
    return Request("POST", f"{API}/judging/{world.judged[JUDGE]}/comparisons", body)


@_made
def skip_submission(world: World) -> Request:
    body = {"round_number": 1, "sub_id": world.assigned(), "reason": "I know the team."}
    return Request("POST", f"{API}/judging/{world.judged[JUDGE]}/skip", body)


# --- teams ---------------------------------------------------------------------------------------


@_made
def get_result(world: World) -> Request:
    return Request("GET", f"{API}/results/{world.released()[2]}")


@_made
def appeal_result(world: World) -> Request:
    body = {"text": "The tests are in another folder."}
    return Request("POST", f"{API}/results/{world.released()[2]}/appeal", body)


# --- what all systems have -----------------------------------------------------------------------


@_made
def create_api_key(world: World) -> Request:
    return Request("POST", f"{API}/api-keys", {"name": "tests", "roles": ["organizer"]})


@_made
def end_sessions(world: World) -> Request:
    return Request("POST", f"{API}/sessions/end", {"user": "somebody@example.org"})


@_made
def revoke_api_key(world: World) -> Request:
    body = {"name": "tests", "roles": ["organizer"]}
    made = world.done("POST", "/api-keys", body, "admin")
    return Request("DELETE", f"{API}/api-keys/{made['key_id']}")


@_made
def create_stream_token(world: World) -> Request:
    return Request("POST", f"{API}/stream-token")


@_made
def retry_message(world: World) -> Request:
    return Request("POST", f"{API}/outbox/dead/{world.dead_message()}/retry")


@_made
def discard_message(world: World) -> Request:
    return Request("DELETE", f"{API}/outbox/dead/{world.dead_message()}")
