"""What people with bad intentions send: it is refused at once, and nothing comes of it.

Elsewhere: whose ids are whose (``test_roles``), HTML in ladders (``rules/test_ladder_text``),
formulas in files (``rules/test_report_rows``), and what an issuer's tokens must say
(``tests/service/auth``).
"""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from tests.service.auth.issuer import AUDIENCE, Issuer, key_pair
from tests.service.good_requests import told
from tests.service.hostile import BAD_TEXTS, CONTROLS, texts_in, with_text
from tests.systems.ladders.assessments.reviews import review_made
from tests.systems.ladders.roles_table import NOBODYS, Case, cases, is_allowed
from tests.systems.ladders.roles_world import CALLERS, Place, World, placed
from tests.systems.ladders.support import API, OPERATOR, Api, api_on, run, user_made

from tablewright.clock import ManualClock
from tablewright.service.settings import Issuer as IssuerSettings
from tablewright.systems.ladders import model as m
from tablewright.testing.backends import Backend


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with placed() as found:
        yield found


# --- bodies --------------------------------------------------------------------------------------

#: With everything that may be said; the others are said in full where roles are tried.
WHOLE: dict[str, dict[str, Any]] = {
    "POST /users": {"email": "new@people.test", "name": "New", "roles": ["manager"]},
    "POST /teams": {"team_name": "New team", "description": "Builds things."},
    "PATCH /teams/{}": {"team_name": "New name", "description": "Builds things."},
    "POST /reports/{}/acknowledge": {"comment": "Thank you."},
    "PATCH /reports/{}/actions/{}": {"title": "Read", "note": "Soon.", "status": "done"},
    "POST /reports/{}/actions": {
        "title": "Read",
        "due_at": "2026-12-30T00:00:00Z",
        "note": "Soon.",
    },
    "PATCH /assessments/{}": {
        "changes": [
            {
                "category": "Craft",
                "competency": "Coding",
                "level": 2,
                "evidence": "Did it.",
                "next_level_feedback": "Do more of it.",
            }
        ],
        "goal_level": 3,
        "way_forward": "Onwards.",
    },
    "POST /teams/{}/plans": {
        "season": "2028",
        "plan_name": "A review",
        "description": "Of everything.",
        "start_date": "2026-11-01T00:00:00Z",
        "end_date": "2026-12-30T00:00:00Z",
        "config_version": "2.0.0",
    },
}
#: What only the service says.
OURS = (
    *("status", "assessor_id", "assessorId", "team_member_id", "assessment_type", "current_level"),
    *("submitted_at", "released_at", "is_active", "created_by", "revision", "entity"),
)


def requests(world: World) -> list[Case]:
    """Of each route that takes a body one that is done, with everything in it."""
    found: dict[str, Case] = {}
    for case in cases(world):
        if isinstance(case.body, dict) and case.may and case.then < 300:
            found.setdefault(case.route, replace(case, body=WHOLE.get(case.route, case.body)))
    acknowledge = "POST /reports/{}/acknowledge"
    assert acknowledge in found
    return list(found.values())


def who_may(case: Case) -> str:
    return next(who for who in CALLERS if is_allowed(case, who))


async def sent(world: World, case: Case, content: bytes) -> tuple[int, str]:
    """Status and code of what a body is answered; nothing for one that is taken."""
    typed = {"Content-Type": "application/json"}
    named = {name.replace("_", "-"): value for name, value in case.headers.items()}
    headers = {**world.headers[who_may(case)], **named, **typed}
    answer = await world.api.http.request(
        case.method, f"{API}{case.path}", content=content, headers=headers
    )
    assert answer.status_code < 500, (case, content[:200], answer.text)
    return (answer.status_code, "") if answer.is_success else told(answer)


def test_the_bodies_are_good_ones(place: Place) -> None:
    """So that what is refused below is refused for what is wrong with it."""
    before, found = place.world.stored(), requests(place.world)
    assert {case.route for case in found} >= WHOLE.keys()
    for case in found:
        status, code = place.do(sent(place.world, case, json.dumps(case.body).encode()))
        assert status < 300, (case, code)
        place.world.restore(before)


def objects_in(body: Any, found: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where the objects of a body are."""
    if isinstance(body, dict):
        yield found
    inside = body.items() if isinstance(body, dict) else enumerate(body)
    for name, value in inside:
        if isinstance(value, dict | list):
            yield from objects_in(value, (*found, name))


def test_nobody_says_what_the_service_says(place: Place) -> None:
    """Client-set status, assessorId and the like: 422, in every object of every body."""

    async def story() -> None:
        for case in requests(place.world):
            for where in objects_in(case.body):
                body = copy.deepcopy(case.body)
                inner: Any = body
                for name in where:
                    inner = inner[name]
                for name in (each for each in OURS if each not in inner):
                    inner[name] = "submitted"
                    answer = await sent(place.world, case, json.dumps(body).encode())
                    assert answer == (422, "INVALID"), (case.route, where, name)
                    del inner[name]

    before = place.world.stored()
    place.do(story())
    assert place.world.stored() == before


#: Texts of one line, in which many blanks are one.
LINES = ("name", "team_name", "plan_name", "title")


#: What takes long to look at matters where something is looked for in a text.
PLAIN = ("half a pair", "a number", "nested", "long")


def _literals(member: str | int) -> Iterator[str]:
    """In the place of a text."""
    kinds = [*BAD_TEXTS] if member in ("email", "season", "content") else [*PLAIN, "blanks"]
    yield from (BAD_TEXTS[each] for each in kinds if each != "blanks" or member not in LINES)
    yield from (f'"x{each}y"' for each in CONTROLS)


def test_texts_that_are_none_or_too_long(place: Place) -> None:
    """And those with signs in them that a terminal would act upon."""

    async def story() -> None:
        for case in requests(place.world):
            for where in texts_in(case.body):
                for literal in _literals(where[-1]):
                    content = with_text(case.body, where, literal)
                    answer = await sent(place.world, case, content)
                    refused = answer[0] in (400, 413, 422)
                    reported = case.route == "POST /configs/validate" and answer[0] == 200
                    assert refused or reported, (case.route, where, literal[:40], answer)

    before = place.world.stored()
    place.do(story())
    assert place.world.stored() == before


# --- ids -----------------------------------------------------------------------------------------

KEYS = ("EMAIL#lina@people.test", "SUB#0", "ACTIVE", "", " ", "\x00", "../teams", "%", "💥")


def test_keys_of_other_items_are_no_ids(place: Place) -> None:
    """Locks, links and the pointer stand in the same tables: ids are UUIDs, as they are written."""
    here = place.world.teams["here"]
    wrong = [*KEYS, here.upper(), f"{here} ", here.replace("-", ""), f"{{{here}}}"]

    async def story() -> None:
        for kind in ("users", "teams", "plans", "assessments", "reports", "configs"):
            for text in filter(None, wrong):
                path = f"/{kind}/{quote(text, safe='')}"
                answer = await place.world.ask("ines", "GET", path)
                assert told(answer) == (404, "NOT_FOUND"), path
        for text in wrong:
            path = f"/teams/{here}/heatmap?plan_id={quote(text, safe='')}"
            answer = await place.world.ask("ines", "GET", path)
            assert told(answer) == (404, "NOT_FOUND"), path
            await _refused_in_bodies(place.world, text)
            for kind in ("user", "manager"):
                messages = place.world.api.company.messages
                assert await messages.address_of(f"{kind}/{text}") is None

    before = place.world.stored()
    place.do(story())
    assert place.world.stored() == before


async def _refused_in_bodies(world: World, text: str) -> None:
    team, plan = f"/teams/{world.teams['here']}", f"/plans/{world.plans['here']}"
    bodies: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", f"{team}/manager", {"manager_id": text}),
        ("POST", f"{team}/members", {"user_ids": [text]}),
        ("POST", f"{plan}/members", {"user_id": text}),
        ("POST", f"{plan}/remind", {"user_ids": [text]}),
        ("POST", "/teams", {"team_name": "New", "manager_id": text}),
    ]
    for method, path, body in bodies:
        assert told(await world.ask("ines", method, path, body)) == (422, "INVALID"), (path, text)


# --- cursors -------------------------------------------------------------------------------------

LISTS = ("/users", "/teams", "/plans?status=active", "/audit", "/audit?action=user.link")


def test_cursors_are_for_one_question_and_cannot_be_changed(place: Place) -> None:
    async def after(path: str, cursor: str | None) -> Any:
        mark = "&" if "?" in path else "?"
        going_on = "" if cursor is None else f"&cursor={quote(cursor, safe='')}"
        return await place.world.ask("ines", "GET", f"{path}{mark}limit=1{going_on}")

    async def story() -> None:
        cursors = {path: (await after(path, None)).json()["next_cursor"] for path in LISTS}
        assert all(cursors.values()), cursors
        for path, own in cursors.items():
            assert (await after(path, own)).is_success
            middle = len(own) // 2
            swapped = "A" if own[middle] != "A" else "B"
            changed = own[:middle] + swapped + own[middle + 1 :]
            others = [each for other, each in cursors.items() if other != path]
            for wrong in (*others, own[:-2], changed, own + own, NOBODYS, "e30", "A" * 4096):
                assert told(await after(path, wrong)) == (400, "BAD_CURSOR"), (path, wrong)
            for limit in ("0", "-1", "101", "1e3", "9" * 20, "x"):
                mark = "&" if "?" in path else "?"
                answer = await place.world.ask("ines", "GET", f"{path}{mark}limit={limit}")
                assert told(answer) == (422, "INVALID"), (path, limit)

    place.do(story())


# --- answers that are kept -----------------------------------------------------------------------


def test_a_key_opens_nothing_that_was_closed(engine_backend: Backend, clock: ManualClock) -> None:
    """An answer is kept for a day; who asks for it again has to have the right to it then."""

    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.both()
            ada, admin = await user_made(api.company, "ada", "admin"), api.as_(OPERATOR)
            member, manager = api.as_(review.member), api.as_(review.manager)
            report, team = f"/reports/{review.report_id}", f"/teams/{review.crew.team_id}"
            body = {"email": "new@people.test", "name": "New"}
            key = {"Idempotency_Key": "k1"}

            released = await manager.done("POST", f"{report}/release", **key)
            await member.done("POST", f"{report}/acknowledge", **key)
            made = await api.as_(ada).done("POST", "/users", body, **key)
            assert await manager.done("POST", f"{report}/release", **key) == released
            assert await api.as_(ada).done("POST", "/users", body, **key) == made

            new = await user_made(api.company, None, "manager")
            await admin.done("PUT", f"{team}/manager", {"manager_id": new.user_id})
            gone = (404, "NOT_FOUND")
            assert await manager.refused("POST", f"{report}/release", **key) == gone
            await admin.done("PATCH", f"/users/{ada.user_id}", {"roles": []}, If_Match="*")
            assert await api.as_(ada).refused("POST", "/users", body, **key) == (403, "FORBIDDEN")
            await admin.done("POST", f"/users/{review.member.user_id}/deactivate")
            ended = (403, "USER_INACTIVE")
            assert await member.refused("POST", f"{report}/acknowledge", **key) == ended

    run(story())


def test_what_only_reads_is_read_anew(engine_backend: Backend, clock: ManualClock) -> None:
    """Whatever key comes with it: a report that was withdrawn is not exported."""

    async def story() -> None:
        async with api_on(engine_backend, clock) as api:
            review = await review_made(api.company)
            await review.released()
            member, admin = api.as_(review.member), api.as_(OPERATOR)
            report, key = f"/reports/{review.report_id}", {"Idempotency_Key": "k1"}
            export = f"{report}/export?format=json"
            for _ in range(2):
                file = await member("POST", export, **key)
                assert file.is_success
                assert "content-disposition" in file.headers
                assert "idempotency-replayed" not in file.headers
            await admin.done("POST", f"{report}/withdraw")
            assert await member.refused("POST", export, **key) == (403, "REPORT_NOT_RELEASED")
            document = (await api.http.get("/ladders/openapi.json")).json()
            for path in ("/reports/{report_id}/export", "/configs/validate"):
                said = document["paths"][f"/api/v1{path}"]["post"].get("parameters", [])
                assert "Idempotency-Key" not in {each["name"] for each in said}

    run(story())


# --- tokens --------------------------------------------------------------------------------------


def _unsigned(issuer: Issuer, claims: dict[str, Any]) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{part({'alg': 'none', 'typ': 'JWT', 'kid': 'k1'})}.{part(issuer.claims(**claims))}."


def _of_another_key(issuer: Issuer, claims: dict[str, Any]) -> str:
    return replace(key_pair("k2"), kid="k1").sign(issuer.claims(**claims), typ="JWT")


def _saying(**other: Any) -> Callable[[Issuer, dict[str, Any]], str]:
    return lambda issuer, claims: issuer.id_token(**claims, **other)


FORGED: dict[str, Callable[[Issuer, dict[str, Any]], str]] = {
    "alg none": _unsigned,
    "another key": _of_another_key,
    "another issuer": _saying(iss="https://evil.example"),
    "another audience": _saying(aud="another"),
    "expired": _saying(exp=1),
    "never expires": _saying(exp=None),
    "an access token": lambda issuer, claims: issuer.token(**claims),
    "an access token of Cognito": _saying(token_use="access"),
    "an access token of Keycloak": _saying(typ="Bearer"),
    "a refresh token": _saying(typ="Refresh"),
    "a logout token": lambda issuer, claims: issuer.keys[0].sign(
        issuer.claims(**claims), typ="logout+jwt"
    ),
}
LINA = {"sub": "lina-at-the-issuer", "email": "lina@people.test", "email_verified": True}


async def _me(api: Api, token: str) -> tuple[int, str]:
    """The status, and who one is or why one is not let in."""
    answer = await api.http.get(f"{API}/me", headers={"Authorization": f"Bearer {token}"})
    body = answer.json()
    return answer.status_code, body["email"] if answer.is_success else body["code"]


def test_tokens_that_are_none(engine_backend: Backend, clock: ManualClock) -> None:
    """And addresses that nobody has verified: who comes with one is nobody."""

    async def story(issuer: Issuer) -> None:
        ours = IssuerSettings(url=issuer.url, audience=AUDIENCE)
        async with api_on(engine_backend, clock, settings={"issuer": ours}) as api:
            operator = await api.company.people.caller(OPERATOR)
            for name in ("lina", "ines"):
                await api.company.people.create(operator, f"{name}@people.test", name)
            for kind, forged in FORGED.items():
                assert await _me(api, forged(issuer, LINA)) == (401, "UNAUTHENTICATED"), kind
            for said in (False, "false", "no", 0, None, [True], "TRUE?"):
                token = issuer.id_token(**{**LINA, "email_verified": said})
                assert await _me(api, token) == (403, "EMAIL_UNVERIFIED"), said
            assert await linked(api) == 0
            for marked in ({}, {"token_use": "id"}, {"typ": "ID"}):
                token = issuer.id_token(**LINA, **marked)
                assert await _me(api, token) == (200, "lina@people.test"), marked
            # Who one is does not follow the address that a later token names.
            other = {**LINA, "email": "ines@people.test"}
            assert await _me(api, issuer.id_token(**other)) == (200, "lina@people.test")
            assert await linked(api) == 1

    with Issuer(user={"sub": "x", "name": "X"}, now=clock.now) as issuer:
        run(story(issuer))


async def linked(api: Api) -> int:
    """How many sign-ins lead to users."""
    users = [each async for each in api.company.db.iterate(m.all_users())]
    return sum(len(each.subject_hashes) for each in users)
