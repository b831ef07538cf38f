"""Who may do what: every operation, tried by everybody who can come to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle

import pytest
from tests.service.good_requests import send, told
from tests.service.hostile import routes_of
from tests.service.reading import operations_of
from tests.systems.kurukshetra.api_requests import (
    ENDLESS,
    HERE,
    INSTEAD,
    MAY,
    good_request,
    refusal,
)
from tests.systems.kurukshetra.api_world import EVENT, FOREIGNER, LEADER, OTHER, WHO, World, world
from tests.systems.kurukshetra.support import Made, person, registration

MEERA = person("meera")


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.mark.parametrize("operation", sorted(MAY.keys() - ENDLESS))
def test_who_may(operation: str, service: World) -> None:
    service.rest()
    request = good_request(operation, service)
    # Those who may not come first: what they try must leave everything as it was.
    for who in sorted(frozenset(WHO) - MAY[operation]):
        answer = send(service.http, request, service.headers(who))
        assert answer.status_code == refusal(operation, who), (who, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    for who in sorted(MAY[operation]):
        request = good_request(operation, service)
        answer = send(service.http, request, service.headers(INSTEAD.get(operation, who)))
        assert answer.status_code < 400, (who, answer.text)


def test_every_operation_is_in_the_table(service: World) -> None:
    document = service.http.get("/kurukshetra/openapi.json").json()
    assert operations_of(document).keys() == MAY.keys()


# --- how much of what they may see ---------------------------------------------------------------

NAME, EMAIL, PHONE = "Quintessa", "quintessa.vanderbilt@people.test", "+919812345678"
GUEST = "vanderbilt.friend@people.test"


@pytest.fixture(scope="module")
def team(service: World) -> Made:
    """One of whom is easily recognised, at an event of their own; and somebody is invited."""
    made = service.team(service.event())
    e = made.team.event_id
    somebody = replace(MEERA, claims={"email": EMAIL, "email_verified": True})
    said = registration("x", first_name=NAME, last_name="Vanderbilt", phone=PHONE)
    by = service.do(service.festival.access.now(somebody, e))
    service.do(service.festival.people.register(by, said))
    now = service.do(service.festival.access.now(somebody, e))
    service.do(service.festival.teams.join(now, made.code))
    path = f"/events/{e}/team/{made.team_id}/invite"
    service.done("POST", path, {"emails": [GUEST]}, LEADER)
    service.rest()
    return replace(made, members=(*made.members, now))


def named(text: str) -> list[str]:
    """What of the person is told."""
    lower = text.lower()
    looked = (NAME, "vanderbilt", PHONE[-10:], GUEST)
    return [each for each in looked if each.lower() in lower]


def paths_of(team: Made) -> dict[str, str]:
    """Where the person may be seen."""
    here, who = f"/events/{team.team.event_id}", team.members[-1].participant_id
    return {
        "person": f"{here}/participant/{who}",
        "team": f"{here}/team/{team.team_id}",
        "registrations": f"{here}/admin/registrations?limit=100",
        "found": f"{here}/admin/registrations?q={team.team.name}",
        "export": f"{here}/admin/export/csv",
        "teams": f"{here}/admin/export/csv?kind=teams",
        "payments": f"{here}/admin/payments",
        "audit": f"{here}/admin/audit",
        "waitlist": f"{here}/admin/waitlist",
    }


@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("organizer", {"person", "team", "registrations", "found"}),
        ("finance", set()),
        ("volunteer", {"person"}),
        ("auditor", set()),
        (OTHER, set()),
        (FOREIGNER, set()),
        ("nobody", set()),
    ],
)
def test_who_sees_a_person(who: str, seen: set[str], service: World, team: Made) -> None:
    """Organisers do; exports are masked for everybody outside production."""
    answers = {name: service.ask("GET", path, who=who) for name, path in paths_of(team).items()}
    found = {name: named(each.text) for name, each in answers.items() if named(each.text)}
    assert found.keys() == seen, found
    if who == "auditor":
        refused = {name for name, each in answers.items() if each.status_code != 200}
        assert refused == set()
        assert answers["person"].json()["first_name"]


def test_finance_sees_no_profiles(service: World, team: Made) -> None:
    """A team has members and money for them, and nobody is called anything."""
    told = service.done("GET", paths_of(team)["team"], who="finance")
    assert [each["name"] for each in told["members"]] == [""] * 3
    assert (told["invited"], told["invite_code"]) == ([], None)
    registered = frozenset(
        {"get_participant", "list_registrations", "export_csv", "export_xlsx", "get_door"}
    )
    assert not [name for name in registered if "finance" in MAY[name]]


def test_a_volunteer_scans_and_sees_names_and_teams(service: World, team: Made) -> None:
    told = service.done("GET", paths_of(team)["person"], who="volunteer")
    given = {name for name, value in told.items() if value is not None}
    known = {"event_id", "participant_id", "detail", "version", "created_at", "updated_at"}
    assert given - known == {"first_name", "last_name", "team_id", "team_name"}
    own = {name for name, may in MAY.items() if "volunteer" in may and "stranger" not in may}
    door = {"get_door", "scan_ticket", "scan_batch", "undo_scan", "find_at_door"}
    assert own == {"get_participant", "check_in_by_hand", *door}


def test_an_auditor_sees_masks_and_changes_nothing(service: World, team: Made) -> None:
    people = service.done("GET", paths_of(team)["registrations"], who="auditor")["items"]
    assert people
    assert all(each["masked"] for each in people)
    looked = f"/events/{team.team.event_id}/admin/registrations?q={EMAIL}"
    assert service.ask("GET", looked, who="auditor").status_code == 403
    assert service.done("GET", looked, who="organizer")["items"]
    document = service.http.get("/kurukshetra/openapi.json").json()
    reading = {each.name for each in routes_of(document) if each.method == "GET"}
    own = {name for name, may in MAY.items() if "auditor" in may and "stranger" not in may}
    assert own <= reading


def test_roles_end_with_their_event_and_when_they_are_taken(service: World) -> None:
    """What somebody may do at one event says nothing of another; what is taken away is gone."""
    event = service.event()
    place = f"/events/{event}/admin/registrations"
    assert service.ask("GET", place, who=FOREIGNER).status_code == 403
    service.grant(event, FOREIGNER, ["organizer"])
    service.rest()
    assert service.ask("GET", place, who=FOREIGNER).status_code == 200
    service.done("PUT", f"/events/{event}/admin/roles", {"who": _address(service), "roles": []})
    assert service.ask("GET", place, who=FOREIGNER).status_code == 403


def _address(service: World) -> str:
    return str(service.people[FOREIGNER].claims["email"])


def test_a_role_that_an_unverified_address_was_given_counts_for_nobody(service: World) -> None:
    someone = person("organizer", verified=False)
    someone = replace(someone, id="user:somebody-else")
    answer = service.http.get(f"{HERE}/admin/config", headers=service.signed(someone))
    assert answer.status_code == 403


# --- ids -----------------------------------------------------------------------------------------


def test_ids_that_are_nobodys_or_none_are_not_there(service: World) -> None:
    """The same for whoever may: one cannot find out what there is by asking."""
    document = service.http.get("/kurukshetra/openapi.json").json()
    tried, texts = 0, cycle(_NOBODYS[1:])
    for route in routes_of(document):
        if not set(route.names) & _IDS or route.name in ENDLESS:
            continue
        service.rest()
        request = good_request(route.name, service)
        who = LEADER if LEADER in MAY[route.name] else sorted(MAY[route.name])[0]
        for name in set(route.names) & _IDS:
            for text in (_NOBODYS[0], next(texts)):
                wrong = {**route.named_in(request.path), name: text}
                path = f"/kurukshetra{route.address(**wrong)}"
                answer = send(service.http, replace(request, path=path), service.headers(who))
                assert told(answer) == (404, "NOT_FOUND"), (route.name, name, text)
                tried += 1
    assert tried > 100


_IDS = frozenset({"e", "t", "p", "y", "email_hash", "job_id"})
_NOBODYS = ("4b1c2f0e-6d1a-4a55-9f0e-2f1d4f5c8a10", "nonsense", "%00", "../..", "#💥")


def test_what_bodies_name_may_be_nobodys(service: World) -> None:
    """Members, payments, invitations and tickets of others are not there either."""
    nobody, other = _NOBODYS[0], service.bought()[1]
    made, _ = service.bought()
    place = f"/events/{EVENT}/team/{made.team_id}"
    back = f"/events/{EVENT}/admin/refund/{made.team_id}"
    for path, body in (
        *((f"{place}/leader", {"participant_id": each}) for each in _NOBODYS),
        *((back, {"reason": "x", "payment_id": each}) for each in (nobody, other)),
    ):
        answer = service.ask("POST", path, body)
        assert told(answer) == (404, "NOT_FOUND"), body
    code = {"code": "ZZZZ-ZZZZ"}
    answer = service.ask("POST", f"/events/{EVENT}/team/join", code, OTHER)
    assert told(answer) == (404, "INVITE_INVALID")
    answer = service.ask("POST", f"/events/{EVENT}/team/join", {"team_id": nobody}, OTHER)
    assert answer.status_code == 404
    # A ticket of another event is not let in at this one.
    event = service.event()
    service.paid(event)
    scan = {"ticket": service.ticket(event_id=event), "list_id": "entry", "nonce": service.nonce()}
    assert service.done("POST", f"/events/{EVENT}/checkin/scan", scan)["result"] == "wrong_event"


def test_what_is_of_one_event_is_not_of_another(service: World) -> None:
    """Whoever runs two events finds in each only what is its own."""
    event = service.event()
    document = service.http.get("/kurukshetra/openapi.json").json()
    tried = 0
    for route in routes_of(document):
        if len(route.names) < 2 or route.names[0] != "e" or "admin" not in MAY[route.name]:
            continue
        service.rest()
        request = good_request(route.name, service)
        mixed = {**route.named_in(request.path), "e": event}
        path = f"/kurukshetra{route.address(**mixed)}"
        answer = send(service.http, replace(request, path=path), service.headers("admin"))
        assert told(answer) == (404, "NOT_FOUND"), route.name
        tried += 1
    assert tried > 15
