"""What generated requests find in vibejudge, and everybody who can call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from hypothesis import strategies as st
from tests.service.seeded_probing import Pool, Prober, Service
from tests.systems.vibejudge.api_requests import INSTEAD, MAY
from tests.systems.vibejudge.api_world import JUDGE, WHO, World, row
from tests.systems.vibejudge.support import NOW, moment, wanted_body

#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset({"PRECONDITION_REQUIRED", "RATE_LIMITED"})
_AGENTS = ("bug_hunter", "performance", "innovation", "ai_detection")


@dataclass(frozen=True)
class Scene:
    """What there is."""

    world: World
    operation: str
    pool: Pool

    def headers(self, who: str) -> dict[str, str]:
        return self.world.headers(INSTEAD.get(self.operation, who) if self._may(who) else who)

    def _may(self, who: str) -> bool:
        return who in MAY[self.operation]

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        return who

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        """Weights that sum to 1, and points for what the rubric has: no generator finds them."""
        if member == "rubric":
            return st.sampled_from((wanted_body()["rubric"], _one_dimension("idea")))
        if member == "scores":
            points = st.one_of(st.none(), st.integers(0, 10), st.sampled_from((7.5, "8.25", 11)))
            return st.fixed_dictionaries(dict.fromkeys(self.world.points(), points))
        return None


def _one_dimension(name: str) -> dict[str, Any]:
    return {"name": "One", "dimensions": [{"name": name, "weight": 1, "agent": "innovation"}]}


def prober(world: World) -> Prober:
    """Of all operations."""
    shared = shared_pool(world)

    def stage(name: str) -> Scene:
        world.rest()
        own = _OWN.get(name, lambda _: {})
        return Scene(world, name, {**shared, **own(world)})

    document = world.http.get("/vibejudge/openapi.json").json()
    url = f"{world.service.url}/vibejudge"
    return Prober(Service(url, document, MAY, WHO, stage, _AT_THE_DOOR))


def shared_pool(world: World) -> Pool:
    """What there is, by the names that parameters and members have."""
    hack_id = world.judged[JUDGE]
    made = [world.scored(hack_id) for _ in range(2)]
    judge = world.done("GET", f"/hackathons/{hack_id}/judges")["items"][0]
    submissions = [each.submission.sub_id for each in made]
    return {
        "hack_id": [hack_id],
        "sub_id": submissions,
        "run_id": [each.run.run_id for each in made],
        "judge_id": [judge["judge_id"]],
        "round_number": [1, 2],
        "org_id": [world.registered()["org_id"]],
        "cursor": [_cursor(world, f"/hackathons/{hack_id}{path}") for path in _PAGED],
        "If-Match": ["*", '"1"'],
        "status": ["pending", "completed"],
        "name": ["tests", "Straße", "=1+1"],
        "email": [f"{uuid4().hex}@people.test" for _ in range(20)],
        "start_date": [moment(NOW), moment(NOW - timedelta(days=2))],
        "end_date": [moment(NOW + timedelta(days=2)), "2026-02-30T00:00:00Z"],
        "agents_enabled": [list(_AGENTS), ["innovation"]],
        "agent_models": [{}],
        "ai_policy_config": [None, {"authenticity_weight": 0.1}],
        "team_name": [row()["team_name"] for _ in range(20)],
        "repo_url": [*(row()["repo_url"] for _ in range(20)), "file:///etc/passwd"],
        "external_id": [uuid4().hex for _ in range(20)],
        "conflicts": [[], submissions[:1], ["x"]],
        "reason": ["Shown live, and it worked."],
        "text": ["The tests are in another folder."],
        "winner": submissions[:1],
        "loser": submissions[1:],
        "roles": [["organizer"], ["judge"]],
    }


_PAGED: Final = ("/submissions?limit=1", "/leaderboard?limit=1")


def _cursor(world: World, path: str) -> str:
    return str(world.done("GET", path)["next_cursor"])


# --- what an operation needs anew, or what means something else to it ----------------------------


def _hackathons(status: Any = "configured", **said: Any) -> Callable[[World], Pool]:
    return lambda world: {"hack_id": [world.hackathon(status, **said) for _ in range(3)]}


def _place(make: Callable[[World], tuple[str, str]], name: str) -> Callable[[World], Pool]:
    """A hackathon and something in it, which are found together."""

    def made(world: World) -> Pool:
        hack_id, other = make(world)
        return {"hack_id": [hack_id], name: [other]}

    return made


def _submitted(world: World) -> tuple[str, str]:
    hack_id = world.hackathon()
    return hack_id, world.submission(hack_id)


def _invited(world: World) -> tuple[str, str]:
    hack_id = world.hackathon()
    return hack_id, world.invitation(hack_id)["judge"]["judge_id"]


def _round(world: World) -> tuple[str, str]:
    hack_id = world.hackathon()
    return hack_id, str(world.round(hack_id))


def _given(world: World) -> Pool:
    """Submissions that the judge has."""
    found = [world.assigned() for _ in range(3)]
    return {"sub_id": found, "winner": found[:1], "loser": found[1:]}


def _tokens(world: World) -> Pool:
    return {"token": [world.released()[2] for _ in range(3)]}


def _invitations(world: World) -> Pool:
    return {"token": [world.invitation()["token"] for _ in range(6)]}


def _own_keys(world: World) -> Pool:
    return {"key_id": [world.own_key()]}


def _api_keys(world: World) -> Pool:
    body = {"name": "x", "roles": ["judge"]}
    made = [world.done("POST", "/api-keys", body, "admin") for _ in range(2)]
    return {"key_id": [each["key_id"] for each in made]}


def _messages(world: World) -> Pool:
    return {"handle": [world.dead_message() for _ in range(3)]}


def _analysable(world: World) -> Pool:
    found = [_submitted(world)[0] for _ in range(2)]
    return {"hack_id": found}


_JOB = _place(World.job, "job_id")
_OWN: Final[Mapping[str, Callable[[World], Pool]]] = {
    "get_public_hackathon": _hackathons(visibility="public"),
    "submit_publicly": _hackathons(visibility="public"),
    "change_hackathon": _hackathons("draft"),
    "delete_hackathon": _hackathons(),
    "activate_hackathon": _hackathons("draft"),
    "reopen_hackathon": _hackathons("completed"),
    "release_hackathon": _hackathons("completed"),
    "freeze": _hackathons(),
    "submit": _hackathons(),
    "get_import": _place(World.begun, "import_id"),
    "change_submission": _place(_submitted, "sub_id"),
    "withdraw_submission": _place(_submitted, "sub_id"),
    "analyze_hackathon": _analysable,
    "get_job": _JOB,
    "list_tasks": _JOB,
    "cancel_job": _JOB,
    "resume_job": _place(lambda world: world.job(cancelled=True), "job_id"),
    "invite_judge": _hackathons(),
    "invite_again": _place(_invited, "judge_id"),
    "change_judge": _place(_invited, "judge_id"),
    "add_round": _hackathons(),
    "change_round": _place(_round, "round_number"),
    "list_overrides": _place(World.overridden, "sub_id"),
    "revoke_override": _place(World.overridden, "sub_id"),
    "get_appeal": _place(World.appealed, "sub_id"),
    "answer_appeal": _place(World.appealed, "sub_id"),
    "accept_invitation": _invitations,
    "give_score": _given,
    "compare_two": _given,
    "skip_submission": _given,
    "get_result": _tokens,
    "appeal_result": _tokens,
    "revoke_key": _own_keys,
    "revoke_api_key": _api_keys,
    "retry_message": _messages,
    "discard_message": _messages,
}
