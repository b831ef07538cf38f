"""What generated requests find in kurukshetra, and everybody who can call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from tests.service.seeded_probing import Pool, Prober, Service
from tests.systems.kurukshetra.api_requests import INSTEAD, MAY, good_request
from tests.systems.kurukshetra.api_world import (
    API,
    ELSEWHERE,
    EVENT,
    LEADER,
    MEMBER,
    OTHER,
    WHO,
    World,
)
from tests.systems.kurukshetra.support import event_body, registered

from tablewright.service.auth import Principal

#: Said before a request reaches what it is for.
_AT_THE_DOOR = frozenset({"PRECONDITION_REQUIRED", "RATE_LIMITED"})


@dataclass(frozen=True)
class Scene:
    """What there is, and who leads and is in the team that there is."""

    world: World
    operation: str
    pool: Pool
    people: Mapping[str, Principal]

    def headers(self, who: str) -> dict[str, str]:
        if who in MAY[self.operation] and self.operation in INSTEAD:
            return self.world.headers(INSTEAD[self.operation])
        named = self.people.get(who)
        return self.world.headers(who) if named is None else self.world.signed(named)

    def seen_as(self, who: str, address: Mapping[str, Any]) -> str:
        return who

    def strategy(self, member: str) -> st.SearchStrategy[Any] | None:
        """Voucher, questions and profiles have rules that no generator finds."""
        if member == "questions":
            return st.sampled_from(([], _QUESTIONS))
        if member == "answers":
            return st.just({})
        return None


def prober(world: World) -> Prober:
    """Of all operations."""
    shared = shared_pool(world)

    def stage(name: str) -> Scene:
        world.rest()
        own = _OWN.get(name, _teamed)(world)
        people = {who: world.people[who] for who in (LEADER, MEMBER, OTHER)}
        return Scene(world, name, {**shared, **own}, people)

    document = world.http.get("/kurukshetra/openapi.json").json()
    url = f"{world.service.url}/kurukshetra"
    return Prober(Service(url, document, MAY, WHO, stage, _AT_THE_DOOR))


def shared_pool(world: World) -> Pool:
    """What there is, by the names that parameters and members have."""
    made = event_body()
    times = ("registration_start", "registration_end", "event_start", "event_end")
    return {
        "e": [EVENT],
        "event_id": [f"probed-{number}" for number in range(20)],
        "cursor": [_cursor(world)],
        "If-Match": ["*", '"1"'],
        "track": ["ai-ml", "no-such-track"],
        "name": [f"Probed {number}" for number in range(20)],
        "phone": ["+919876543210", "98765 43210", "x"],
        "github_username": ["asha-v", ""],
        "linkedin": ["", "https://www.linkedin.com/in/asha"],
        "year": ["3"],
        "emails": [["meera@example.org"], []],
        "invite": [["ravi@example.org"], []],
        "repo_url": [f"https://github.com/probed-{number}/project" for number in range(20)],
        "status": ["paid", "unpaid", "created"],
        "zone": ["Asia/Kolkata", "Nowhere/Land"],
        "currency": ["INR"],
        "tracks": [["ai-ml", "web"]],
        "checkin_lists": [["entry"]],
        "allowed_domains": [[]],
        "min_team_size": [2],
        "max_team_size": [4],
        "max_teams": [300, 500],
        "vibejudge_hack_id": [None, "hack"],
        "list_id": ["entry"],
        "kind": ["participation", "completion", "registrations", "teams"],
        "participants": [None],
        "voucher": [None, "NOSUCH"],
        "reason": ["They asked for it."],
        "who": ["new@people.test", "user:somebody"],
        "roles": [["volunteer"], ["finance", "organizer"], []],
        "subject": ["Doors open", "=1+1"],
        "text": ["At eight."],
        "to": [{}, {"status": ["paid"]}],
        "since": ["2026-11-01"],
        "until": ["2026-11-30"],
        "day": ["2026-11-14"],
        "full": ["false"],
        "valid_from": ["2026-11-01T00:00:00Z"],
        "valid_until": ["2026-12-01T00:00:00Z"],
        **{name: [made[name]] for name in (*times, "roster_lock_at")},
    }


_QUESTIONS: Final = [
    {"question_id": "shirt", "label": "Which?", "kind": "choice", "choices": ["S"]}
]


def _cursor(world: World) -> str:
    """Where a list goes on."""
    assert world.done("GET", f"/events/{ELSEWHERE}/config")
    return str(world.done("GET", "/events?limit=1")["next_cursor"])


# --- what an operation needs anew, or what means something else to it ----------------------------


def _teamed(world: World) -> Pool:
    made = world.team()
    return {"t": [made.team_id], "p": [made.members[-1].participant_id]}


def _led(world: World) -> Pool:
    made = world.team()
    return {"t": [made.team_id], "participant_id": [each.participant_id for each in made.members]}


def _coded(world: World) -> Pool:
    """A team to join, and somebody who can."""
    event = world.event()
    made = world.team(event)
    world.do(registered(world.festival, event, OTHER))
    return {"e": [event], "code": [made.code], "team_id": [None]}


def _fresh(world: World) -> Pool:
    return {"e": [world.event()]}


def _unused(world: World) -> Pool:
    """Events that can be deleted."""
    return {"e": [world.event(registration_open=False) for _ in range(5)]}


def _addressed(name: str, *names: str) -> Callable[[World], Pool]:
    """What stands in the address of a good request."""

    def made(world: World) -> Pool:
        request = good_request(name, world)
        parts = request.path.removeprefix(f"{API}/").split("/")
        places = {"e": 1} if parts[0] == "events" else {}
        at = parts.index(_BEFORE[name]) + 1 if name in _BEFORE else -1
        return {each: [parts[places.get(each, at)]] for each in names}

    return made


_BEFORE: Final = {
    **dict.fromkeys(("enter_waitlist", "leave_waitlist"), "team"),
    "withdraw_invitation": "team",
    "refund_team": "refund",
    "release_seat": "release",
    "revoke_ticket": "tickets",
    **dict.fromkeys(("check_certificate", "print_certificate"), "certificates"),
    "retry_message": "dead",
}


def _invited(world: World) -> Pool:
    path = good_request("withdraw_invitation", world).path.split("/")
    return {"t": [path[-3]], "email_hash": [path[-1]]}


def _proof(world: World) -> Pool:
    return {name: [value] for name, value in world.ordered()[1].items()}


def _paid(world: World) -> Pool:
    made = world.paid()
    return {"p": [made.leader.participant_id], "ticket": [world.ticket(), "CK1.x"]}


def _there(world: World) -> Pool:
    return {"participant_id": [world.checked_in().leader.participant_id]}


def _coupon(world: World) -> Pool:
    """Which there are, and may be changed."""
    made = [world.voucher() for _ in range(3)]
    for each in made:
        world.done("PUT", f"/events/{EVENT}/admin/vouchers", each, If_None_Match="*")
    return {"code": [each["code"] for each in made], "percent": [10], "fixed": [None]}


_OWN: Final[Mapping[str, Callable[[World], Pool]]] = {
    "register": _fresh,
    "register_team": _fresh,
    "join_team": _coded,
    "hand_over_team": _led,
    "withdraw_invitation": _invited,
    "enter_waitlist": _addressed("enter_waitlist", "e", "t"),
    "leave_waitlist": _addressed("leave_waitlist", "e", "t"),
    "verify_payment": _proof,
    "get_payment": _addressed("get_payment", "y"),
    "refund_team": _addressed("refund_team", "t"),
    "release_seat": _addressed("release_seat", "t"),
    "get_ticket": _paid,
    "renew_ticket": _paid,
    "revoke_ticket": _paid,
    "scan_ticket": _paid,
    "scan_batch": _paid,
    "undo_scan": _there,
    "check_certificate": _addressed("check_certificate", "code"),
    "print_certificate": _addressed("print_certificate", "code"),
    "withdraw_certificate": _addressed("withdraw_certificate", "e", "code"),
    "get_job": _addressed("get_job", "job_id"),
    "get_voucher": _addressed("get_voucher", "code"),
    "save_voucher": _coupon,
    "change_config": _fresh,
    "change_seats": _fresh,
    "delete_event": _unused,
    "change_questions": _fresh,
    "grant_roles": _fresh,
    "revoke_api_key": _addressed("revoke_api_key", "key_id"),
    "retry_message": _addressed("retry_message", "handle"),
    "discard_message": _addressed("discard_message", "handle"),
}
