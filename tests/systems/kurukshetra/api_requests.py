"""A good request of every operation, and who may make it: the table of the specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

import orjson
from tests.service.good_requests import Request
from tests.systems.kurukshetra.api_world import (
    API,
    EVENT,
    LEADER,
    MEMBER,
    OTHER,
    PROGRAM,
    WHO,
    World,
)
from tests.systems.kurukshetra.support import (
    NOW,
    event_body,
    moment,
    registered,
    registration_body,
)

from tablewright.systems.kurukshetra.gateway.signatures import webhook_signature

#: What is shown or given counts, not who comes with it.
EVERYBODY: Final = frozenset(WHO)
SIGNED_IN: Final = EVERYBODY - {"nobody", "nonsense"}
#: Who has an address, which a program has not.
PEOPLE: Final = SIGNED_IN - {PROGRAM}
ADMIN: Final = frozenset({"admin"})
#: "organizer: the event, no refunds".
ORGANIZERS: Final = frozenset({"admin", "organizer", PROGRAM})
#: "finance: payments, refunds, no profiles".
FINANCE: Final = frozenset({"admin", "finance"})
#: "auditor: audit, masked lists".
AUDITED: Final = frozenset({"auditor"})
#: "volunteer: scan; sees name, team".
DOOR: Final = ORGANIZERS | {"volunteer"}
#: "participant: own data; leader: + team, checkout".
OWN_TEAM: Final = frozenset({LEADER, MEMBER})
LEADERS: Final = ORGANIZERS | {LEADER}

#: Who may do what, by the name of the operation.
MAY: Final[Mapping[str, frozenset[str]]] = {
    "health": EVERYBODY,
    "list_events": EVERYBODY,
    "create_event": frozenset({"admin", PROGRAM}),  # who organises all events
    "get_event": EVERYBODY,
    "get_tracks": EVERYBODY,
    "register": PEOPLE,
    "get_participant": ORGANIZERS | AUDITED | {"volunteer", MEMBER},
    "change_participant": ORGANIZERS | {MEMBER},
    "erase_participant": ORGANIZERS | {MEMBER},
    "get_draft": SIGNED_IN,
    "save_draft": SIGNED_IN,
    "drop_draft": SIGNED_IN,
    "get_me": SIGNED_IN,
    "erase_me": SIGNED_IN,
    "register_team": PEOPLE,
    "join_team": OWN_TEAM | {OTHER},  # who is in it already stays so
    "get_team": ORGANIZERS | FINANCE | AUDITED | OWN_TEAM,
    "change_team": LEADERS,
    "disband_team": LEADERS,
    "leave_team": frozenset({MEMBER}),
    "hand_over_team": LEADERS,
    "invite_to_team": LEADERS,
    "withdraw_invitation": LEADERS,
    "set_repository": LEADERS,
    "get_seats": EVERYBODY,
    "follow_seats": EVERYBODY,
    "start_checkout": LEADERS,
    "enter_waitlist": LEADERS,
    "leave_waitlist": LEADERS,
    "list_waitlist": ORGANIZERS | AUDITED,
    "verify_payment": OWN_TEAM,
    "take_delivery": EVERYBODY,
    "get_payment": FINANCE | AUDITED,
    "refund_team": FINANCE,
    "release_seat": FINANCE,
    "reconcile": FINANCE,
    "list_findings": FINANCE | AUDITED,
    "get_ticket": OWN_TEAM,
    "renew_ticket": OWN_TEAM,
    "revoke_ticket": ORGANIZERS,
    "get_door": DOOR,
    "scan_ticket": DOOR,
    "scan_batch": DOOR,
    "undo_scan": DOOR,
    "find_at_door": DOOR,
    "check_in_by_hand": DOOR,
    "check_certificate": EVERYBODY,
    "print_certificate": EVERYBODY,
    "list_certificates": OWN_TEAM | {OTHER},
    "issue_certificates": ORGANIZERS,
    "withdraw_certificate": ORGANIZERS,
    "hand_over": ORGANIZERS,
    "list_jobs": ORGANIZERS | FINANCE,
    "get_job": ORGANIZERS | FINANCE,
    "get_config": ORGANIZERS | FINANCE | AUDITED,
    "change_config": ORGANIZERS,
    "delete_event": ORGANIZERS,
    "get_seats_now": ORGANIZERS | FINANCE | AUDITED,
    "change_seats": ORGANIZERS,
    "get_questions": ORGANIZERS | AUDITED,
    "change_questions": ORGANIZERS,
    "list_vouchers": ORGANIZERS | FINANCE | AUDITED,
    "get_voucher": ORGANIZERS | FINANCE | AUDITED,
    "save_voucher": ORGANIZERS,
    "list_roles": ORGANIZERS,
    "grant_roles": ORGANIZERS,
    "list_registrations": ORGANIZERS | AUDITED,
    "list_payments": ORGANIZERS | FINANCE | AUDITED,
    "list_audit": ORGANIZERS | AUDITED,
    "get_statistics": ORGANIZERS | FINANCE | AUDITED,
    "export_csv": ORGANIZERS | AUDITED,
    "export_xlsx": ORGANIZERS | AUDITED,
    "send_mail": ORGANIZERS,
    # What all systems have; the one stream that there is here is everybody's.
    "create_stream_token": frozenset({"admin", PROGRAM}),
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
ENDLESS: Final = frozenset({"follow_seats"})
#: What must not be done by those whom everything else rests on, and who does it instead.
INSTEAD: Final = {"erase_me": "leaver"}
#: For everybody: nobody has to say who they are.
OPEN: Final = frozenset(name for name, may in MAY.items() if "nobody" in may)

#: What is somebody's: for all others it is not there, for some it is and is not theirs to change.
_OF_A_TEAM: Final = frozenset(
    {
        *("get_team", "change_team", "disband_team", "leave_team", "hand_over_team"),
        *("invite_to_team", "withdraw_invitation", "set_repository"),
        *("start_checkout", "enter_waitlist", "leave_waitlist"),
    }
)
_SEE_TEAMS: Final = frozenset({MEMBER, "finance", "auditor"})
_OF_A_PERSON: Final = frozenset({"get_participant", "change_participant", "erase_participant"})
#: Who may know that somebody takes part, if not more.
_SEE_PEOPLE: Final = frozenset({"finance", "auditor", "volunteer"})
#: Where the use case says more exactly what is missing.
_OTHERWISE: Final[Mapping[tuple[str, str], int]] = {
    # Nobody else is a member of it, who runs the event neither; its leader hands it over first.
    **{("leave_team", who): 404 for who in (*ORGANIZERS, "finance", "auditor")},
    ("leave_team", LEADER): 409,
    # Money counts for the team of its order: nobody else may bring it.
    **{("verify_payment", who): 404 for who in WHO},
    # Who takes part has a ticket as soon as their team has paid.
    ("get_ticket", OTHER): 409,
    ("renew_ticket", OTHER): 409,
}


def refusal(name: str, who: str) -> int:
    """What somebody is told who may not: what is somebody else's is not there."""
    if who in ("nobody", "nonsense"):
        return 401
    if (name, who) in _OTHERWISE:
        return _OTHERWISE[name, who]
    if name in _OF_A_TEAM:
        return 403 if who in _SEE_TEAMS else 404
    if name in _OF_A_PERSON:
        return 403 if who in _SEE_PEOPLE else 404
    return 403


_Make = Callable[[World], Request]
_MADE: dict[str, _Make] = {}
_numbers = count(1)
HERE: Final = f"{API}/events/{EVENT}"


def good_request(name: str, world: World) -> Request:
    """One that succeeds for those who may; made anew each time."""
    return _MADE[name](world)


def _made(make: _Make) -> _Make:
    _MADE[make.__name__] = make
    return make


def _get(name: str, path: str) -> None:
    """A question that is the same each time."""
    _MADE[name] = lambda _: Request("GET", path)


def _ask(name: str, path: str, body: object = None, method: str = "POST", **head: str) -> None:
    """Something that can be done again and again."""
    headers = {key.replace("_", "-"): value for key, value in head.items()}
    _MADE[name] = lambda _: Request(method, f"{HERE}{path}", body, headers)


for _name, _path in {
    "health": "/health",
    "list_events": "/events",
    "get_me": "/me",
    "list_api_keys": "/api-keys",
    "list_dead_messages": "/outbox/dead",
    "list_sent_messages": "/outbox/sent",
}.items():
    _get(_name, f"{API}{_path}")
for _name, _path in {
    "get_event": "config",
    "get_tracks": "tracks",
    "get_draft": "draft",
    "get_seats": "seats",
    "follow_seats": "seats/stream",
    "list_waitlist": "admin/waitlist",
    "list_findings": "admin/recon",
    "get_door": "checkin",
    "list_jobs": "jobs",
    "get_config": "admin/config",
    "get_seats_now": "admin/seats",
    "get_questions": "admin/questions",
    "list_vouchers": "admin/vouchers",
    "list_roles": "admin/roles",
    "list_registrations": "admin/registrations",
    "list_payments": "admin/payments",
    "list_audit": "admin/audit",
    "get_statistics": "admin/statistics",
    "export_csv": "admin/export/csv",
    "export_xlsx": "admin/export/xlsx",
}.items():
    _get(_name, f"{HERE}/{_path}")
_MADE["create_stream_token"] = lambda _: Request("POST", f"{API}/stream-token")
_MADE["erase_me"] = lambda _: Request("DELETE", f"{API}/me")
_ask("save_draft", "/draft", {"data": {"first_name": "As"}}, "PUT")
_ask("drop_draft", "/draft", method="DELETE")
_ask("issue_certificates", "/admin/certificates", {"kind": "participation"})
_ask("hand_over", "/admin/handover")
_ask("reconcile", "/admin/reconcile", {})
_ask("change_seats", "/admin/seats", {"max_teams": 400}, "PUT", If_Match="*")
_ask("change_questions", "/admin/questions", {"questions": []}, "PUT", If_Match="*")
_ask("find_at_door", "/checkin/search", {"q": "Asha", "list_id": "entry"})
_ask("send_mail", "/admin/mail", {"subject": "Doors", "text": "At eight."})
_ask("grant_roles", "/admin/roles", {"who": "new@people.test", "roles": ["volunteer"]}, "PUT")


# --- people --------------------------------------------------------------------------------------


@_made
def create_event(world: World) -> Request:
    return Request("POST", f"{API}/events", event_body(f"made-{next(_numbers)}"))


@_made
def delete_event(world: World) -> Request:
    """One that nobody can have registered for."""
    return Request("DELETE", f"{API}/events/{world.event(registration_open=False)}/admin")


@_made
def register(world: World) -> Request:
    """At an event of its own: elsewhere, some must not take part."""
    path = f"{API}/events/{world.event(staff=())}/register"
    return Request("POST", path, registration_body("nell"))


@_made
def register_team(world: World) -> Request:
    body = {
        "person": registration_body("nell"),
        "team": {"name": f"Founded {next(_numbers)}", "track": "ai-ml"},
    }
    return Request("POST", f"{API}/events/{world.event(staff=())}/register/team", body)


def _participant(world: World) -> str:
    return f"{HERE}/participant/{world.team().members[-1].participant_id}"


@_made
def get_participant(world: World) -> Request:
    return Request("GET", _participant(world))


@_made
def change_participant(world: World) -> Request:
    return Request("PUT", _participant(world), registration_body("moh"), {"If-Match": "*"})


@_made
def erase_participant(world: World) -> Request:
    return Request("DELETE", _participant(world))


# --- teams ---------------------------------------------------------------------------------------


def _team(world: World, rest: str = "") -> str:
    return f"{HERE}/team/{world.team().team_id}{rest}"


@_made
def join_team(world: World) -> Request:
    """Of one's own event, in which nobody is in a team by an earlier request."""
    event = world.event()
    made = world.team(event)
    world.do(registered(world.festival, event, OTHER))
    return Request("POST", f"{API}/events/{event}/team/join", {"code": made.code})


@_made
def get_team(world: World) -> Request:
    return Request("GET", _team(world))


@_made
def change_team(world: World) -> Request:
    body = {"name": f"Renamed {next(_numbers)}"}
    return Request("PUT", _team(world), body, {"If-Match": "*"})


@_made
def disband_team(world: World) -> Request:
    return Request("DELETE", _team(world))


@_made
def leave_team(world: World) -> Request:
    return Request("POST", _team(world, "/leave"))


@_made
def hand_over_team(world: World) -> Request:
    made = world.team()
    body = {"participant_id": made.members[-1].participant_id}
    return Request("POST", f"{HERE}/team/{made.team_id}/leader", body)


@_made
def invite_to_team(world: World) -> Request:
    return Request("POST", _team(world, "/invite"), {"emails": ["meera@example.org"]})


@_made
def withdraw_invitation(world: World) -> Request:
    request = invite_to_team(world)
    path = request.path.removeprefix(API)
    (asked,) = world.done("POST", path, request.body, LEADER)["invited"]
    return Request("DELETE", f"{request.path}/{asked['email_hash']}")


@_made
def set_repository(world: World) -> Request:
    body = {"repo_url": f"https://github.com/team-{next(_numbers)}/project"}
    return Request("PUT", _team(world, "/repository"), body)


# --- seats and money -----------------------------------------------------------------------------


@_made
def start_checkout(world: World) -> Request:
    return Request("POST", _team(world, "/checkout"), {})


@_made
def enter_waitlist(world: World) -> Request:
    """Where there has never been a seat."""
    event = world.event(max_teams=0)
    path = f"{API}/events/{event}/team/{world.team(event).team_id}/waitlist"
    return Request("POST", path)


@_made
def leave_waitlist(world: World) -> Request:
    path = enter_waitlist(world).path
    world.done("POST", path.removeprefix(API), who=LEADER)
    return Request("DELETE", path)


@_made
def verify_payment(world: World) -> Request:
    _, proof = world.ordered()
    return Request("POST", f"{HERE}/payment/verify", proof)


@_made
def take_delivery(world: World) -> Request:
    """Of something that nobody here has to do with."""
    body = orjson.dumps({"entity": "event", "event": "settlement.processed", "payload": {}})
    signature = signed(world, body)
    head = {"Content-Type": "application/json", "X-Razorpay-Signature": signature}
    return Request("POST", f"{API}/payment/webhook", headers=head, content=body)


def signed(world: World, body: bytes) -> str:
    """By the gateway."""
    return webhook_signature(body, world.gateway.credentials.webhook_secrets()[0])


@_made
def get_payment(world: World) -> Request:
    return Request("GET", f"{HERE}/admin/payments/{world.bought()[1]}")


@_made
def refund_team(world: World) -> Request:
    body = {"amount": 100, "reason": "They asked for it."}
    head = {"Idempotency-Key": f"refund-{next(_numbers)}"}
    return Request("POST", f"{HERE}/admin/refund/{world.bought()[0].team_id}", body, head)


@_made
def release_seat(world: World) -> Request:
    return Request("POST", f"{HERE}/admin/release/{world.bought()[0].team_id}")


# --- tickets, the door, certificates -------------------------------------------------------------


@_made
def get_ticket(world: World) -> Request:
    world.paid()
    return Request("GET", f"{HERE}/ticket")


@_made
def renew_ticket(world: World) -> Request:
    world.paid()
    return Request("POST", f"{HERE}/ticket")


@_made
def revoke_ticket(world: World) -> Request:
    person = world.paid().leader.participant_id
    return Request("POST", f"{HERE}/admin/tickets/{person}/revoke")


def _scan(world: World) -> dict[str, str]:
    world.paid()
    return {"ticket": world.ticket(), "list_id": "entry", "nonce": world.nonce()}


@_made
def scan_ticket(world: World) -> Request:
    return Request("POST", f"{HERE}/checkin/scan", _scan(world))


@_made
def scan_batch(world: World) -> Request:
    body = {"scans": [{**_scan(world), "at": moment(NOW)}]}
    return Request("POST", f"{HERE}/checkin/batch", body)


@_made
def check_in_by_hand(world: World) -> Request:
    made = world.paid()
    body = {
        "participant_id": made.leader.participant_id,
        "list_id": "entry",
        "reason": "Phone is dead",
        "nonce": world.nonce(),
    }
    return Request("POST", f"{HERE}/checkin/manual", body)


@_made
def undo_scan(world: World) -> Request:
    person = world.checked_in().leader.participant_id
    return Request("POST", f"{HERE}/checkin/undo", {"participant_id": person, "list_id": "entry"})


@_made
def check_certificate(world: World) -> Request:
    return Request("GET", f"{API}/certificates/{_kept(world)}")


@_made
def print_certificate(world: World) -> Request:
    return Request("GET", f"{API}/certificates/{_kept(world)}/pdf")


def _kept(world: World) -> str:
    """One that is looked at, again and again."""
    if "certificate" not in world.keys:
        world.keys["certificate"] = world.certificate(world.event())
    return world.keys["certificate"]


@_made
def list_certificates(world: World) -> Request:
    world.team()
    return Request("GET", f"{HERE}/certificates")


@_made
def withdraw_certificate(world: World) -> Request:
    event = world.event()
    return Request("DELETE", f"{API}/events/{event}/admin/certificates/{world.certificate(event)}")


@_made
def get_job(world: World) -> Request:
    return Request("GET", f"{HERE}/jobs/{world.job()}")


# --- running an event ----------------------------------------------------------------------------


@_made
def change_config(world: World) -> Request:
    """Of an event that may be closed by it."""
    path = f"{API}/events/{world.event()}/admin/config"
    return Request("PUT", path, {"event_name": "Kurukshetra"}, {"If-Match": "*"})


@_made
def save_voucher(world: World) -> Request:
    return Request("PUT", f"{HERE}/admin/vouchers", world.voucher(), {"If-None-Match": "*"})


@_made
def get_voucher(world: World) -> Request:
    made = world.voucher()
    world.done("PUT", f"/events/{EVENT}/admin/vouchers", made, If_None_Match="*")
    return Request("GET", f"{HERE}/admin/vouchers/{made['code']}")


# --- what all systems have -----------------------------------------------------------------------


@_made
def create_api_key(world: World) -> Request:
    return Request("POST", f"{API}/api-keys", {"name": "tests", "roles": ["volunteer"]})


@_made
def end_sessions(world: World) -> Request:
    return Request("POST", f"{API}/sessions/end", {"user": "somebody@example.org"})


@_made
def revoke_api_key(world: World) -> Request:
    made = world.done("POST", "/api-keys", {"name": "tests", "roles": ["volunteer"]})
    return Request("DELETE", f"{API}/api-keys/{made['key_id']}")


@_made
def retry_message(world: World) -> Request:
    return Request("POST", f"{API}/outbox/dead/{world.dead_message()}/retry")


@_made
def discard_message(world: World) -> Request:
    return Request("DELETE", f"{API}/outbox/dead/{world.dead_message()}")
