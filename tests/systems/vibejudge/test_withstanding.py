"""What people with bad intentions send, to the whole service behind its port.

Ids of others are scenario 17 (``test_scenario_17``); what must not come out is in
``test_exposure``.
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from tests.service.good_requests import JSON, UNREADABLE, Request, send
from tests.service.good_requests import told as refused
from tests.service.hostile import (
    BAD_NUMBERS,
    BAD_TEXTS,
    CONTROLS,
    Route,
    as_it_is,
    half_sent,
    numbers_in,
    routes_of,
    texts_in,
    with_text,
)
from tests.service.reading import examples_of
from tests.systems.vibejudge.api_requests import INSTEAD, MAY, good_request
from tests.systems.vibejudge.api_world import API, JUDGE, OLGA, World, row, world

from tablewright.systems.vibejudge.service.watching import MOST_OF_ONE

#: More than any body of ours takes to be looked at, however long it is.
PATIENCE_SECS = 10.0


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def document(service: World) -> dict[str, Any]:
    made: dict[str, Any] = service.http.get("/vibejudge/openapi.json").json()
    return made


def caller_of(name: str) -> str:
    return INSTEAD.get(name, OLGA if OLGA in MAY[name] else sorted(MAY[name])[0])


# --- bodies --------------------------------------------------------------------------------------


class Bodies:
    """A request of every operation that takes JSON, and what its body is shown as."""

    def __init__(self, service: World, document: dict[str, Any]) -> None:
        self.service = service
        self.shown = {
            route.name: examples_of(document, content[JSON])[0]
            for route in routes_of(document)
            if JSON in (content := route.operation.get("requestBody", {}).get("content", {}))
        }
        #: Operations that do with no body what they do with ``{}``.
        self.optional = {
            route.name
            for route in routes_of(document)
            if not route.operation.get("requestBody", {}).get("required", False)
        }
        self.requests = {name: good_request(name, service) for name in self.shown}
        self.headers = {name: service.headers(caller_of(name)) for name in self.shown}

    def send(self, name: str, content: bytes, media_type: str = JSON) -> httpx2.Response:
        request = self.requests[name]
        typed = {**request.headers, **self.headers[name], "Content-Type": media_type}
        began = time.perf_counter()
        answer = self.service.http.request(
            request.method, request.path, content=content, headers=typed
        )
        assert answer.status_code < 500, (name, content[:200], answer.text)
        assert time.perf_counter() - began < PATIENCE_SECS, (name, content[:200])
        return answer


@pytest.fixture(scope="module")
def bodies(service: World, document: dict[str, Any]) -> Bodies:
    found = Bodies(service, document)
    assert len(found.shown) > 15
    return found


def test_bodies_that_nobody_can_read(bodies: Bodies) -> None:
    assert bodies.optional & bodies.shown.keys() == {"analyze_hackathon", "release_hackathon"}
    for kind, (content, media_type) in UNREADABLE.items():
        if kind == "a mark":
            continue  # A mark before {} is read, and a change of nothing is one.
        for name in bodies.shown:
            if kind in ("nothing", "null") and name in bodies.optional:
                continue  # No body is sent.
            bodies.service.rest()
            status, _ = refused(bodies.send(name, content, media_type))
            rows = name == "submit" and media_type != "application/xml"
            wanted = (400, 422) if rows or media_type == JSON else (415,)
            assert status in wanted, (name, content[:40])


def test_texts_that_are_none(bodies: Bodies) -> None:
    """What is no text, or long: refused at once, whatever looks at it."""
    for name, shown in bodies.shown.items():
        for place in texts_in(shown):
            bodies.service.rest()
            for kind, literal in BAD_TEXTS.items():
                answer = bodies.send(name, with_text(shown, place, literal))
                if (kind, place[-1]) != ("blanks", "team_name"):  # which are one
                    assert_nothing_came_of_it(name, place, answer)


def test_texts_that_steer_terminals(bodies: Bodies) -> None:
    """No stored text has a control character: sentences are refused, names of teams lose it."""
    for name, shown in bodies.shown.items():
        for place in texts_in(shown):
            bodies.service.rest()
            text = json.dumps(_at(shown, place))
            for control in CONTROLS:
                literal = f"{text[:-1]}{control}{text[1:]}"
                if place[-1] == "team_name":
                    # In another hackathon, as teams and repositories hand in once in each.
                    bodies.requests[name] = good_request(name, bodies.service)
                answer = bodies.send(name, with_text(shown, place, literal))
                if place[-1] == "team_name":
                    assert answer.status_code in (201, 207), (place, answer.text)
                    assert answer.json().get("created", 1) == 1, (place, answer.text)
                else:
                    assert_nothing_came_of_it(name, place, answer)
    for item in bodies.service.items():
        for text in _texts_of(item):
            assert not STEERING.search(text), (_key(item), text)


def test_numbers_that_are_none(bodies: Bodies) -> None:
    for name, shown in bodies.shown.items():
        for place in numbers_in(shown):
            bodies.service.rest()
            for kind, literal in BAD_NUMBERS.items():
                answer = bodies.send(name, with_text(shown, place, literal))
                if kind not in ("tiny", "fine"):  # which are as good as nothing
                    assert_nothing_came_of_it(name, place, answer)


#: Control characters except for the ends of lines and tabs of long texts.
STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _key(item: dict[str, Any]) -> str:
    return f"{item['PK']['S']} {item['SK']['S']}"


def _texts_of(value: Any) -> Iterator[str]:
    """All texts of an item, with the names of what it holds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for member in value:
            yield from _texts_of(member)
        if isinstance(value, dict):
            yield from _texts_of(list(value.values()))


def _at(body: Any, place: tuple[str | int, ...]) -> Any:
    for name in place:
        body = body[name]
    return body


def assert_nothing_came_of_it(name: str, place: object, answer: httpx2.Response) -> None:
    if answer.status_code == 207:
        assert answer.json()["created"] == 0, (name, place)
    else:
        status, _ = refused(answer)
        assert status in (400, 404, 422), (name, place, answer.text)


def test_bodies_that_are_too_large(bodies: Bodies, caplog: pytest.LogCaptureFixture) -> None:
    """A megabyte; twenty for files of submissions, and not more of those either."""
    service = bodies.service
    padded = json.dumps(bodies.shown["create_hackathon"]).encode() + b" " * 2**21
    assert refused(bodies.send("create_hackathon", padded)) == (413, "TOO_LARGE")
    name = "submit"
    assert bodies.send(name, json.dumps({"submissions": [row()]}).encode() + b" " * 2**21)
    path, headers = bodies.requests[name].path, service.headers(OLGA)

    def endless() -> Iterator[bytes]:
        for _ in range(22):
            yield b" " * 2**20

    answer = service.http.post(path, content=endless(), headers={**headers, "Content-Type": JSON})
    assert refused(answer) == (413, "TOO_LARGE")
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_no_more_rows_than_are_taken(service: World) -> None:
    path = f"/hackathons/{service.hackathon()}/submissions"
    answer = service.ask("POST", path, {"submissions": [row()] * 501})
    assert refused(answer) == (422, "TOO_MANY_ROWS")
    listed = service.done("GET", path)
    assert listed["items"] == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 1000,
        b"\xff\xfe\x00",
        b"team_name,repo_url\n" + b'"' * 900_001,
        b"team_name,repo_url\n" + b"a" * 900_000,
        b"team_name,repo_url\n" + b",\n" * 400_000,
        b"," * 900_000,
        b"team_name,repo_url\n" + b'"a\n' * 300_000,
        b"Project Title,Submission Url,Repo\nX,https://x," + b"https://" * 10_000,
        b"Project Title,Submission Url,Repo\nX,https://x," + b"http://github.com/" * 6_000,
        b"sep=;\n" + b" " * 900_000,
    ],
)
def test_files_that_are_none(content: bytes, service: World) -> None:
    service.rest()
    headers = {**service.headers(OLGA), "Content-Type": "text/csv"}
    path = f"{API}/hackathons/{service.judged[JUDGE]}/submissions"
    began = time.perf_counter()
    answer = service.http.post(path, content=content, headers=headers)
    assert time.perf_counter() - began < PATIENCE_SECS
    if answer.status_code == 207:
        assert answer.json()["created"] == 0
    else:
        assert refused(answer)[0] in (400, 422, 429)


def test_who_leaves_in_the_middle_is_no_fault_of_ours(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(service.items())
    place = f"{API}/hackathons/{service.judged[JUDGE]}/submissions"
    for path, kind in ((f"{API}/hackathons", JSON), (place, JSON), (place, "text/csv")):
        headers = {**service.headers(OLGA), "Content-Type": kind}
        with half_sent(service.service.url, path, headers):
            time.sleep(0.05)
    assert service.http.get("/health").status_code == 200
    assert len(service.items()) == before
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "path",
    ["/%2e%2e/x", "/../x", "//", "/;x=1", "/%5C", "/submissions/", "/stats%00"],
)
def test_addresses_are_taken_as_they_are(path: str, service: World) -> None:
    """Nothing is cleaned up on the way to something else."""
    address = f"{API}/hackathons/{service.judged[JUDGE]}{path}"
    found = as_it_is(service.service.url, address, service.headers(OLGA))
    assert found == (404, "NOT_FOUND")


# --- keys ----------------------------------------------------------------------------------------

_ID, _HASH, _AGENT = "[0-7][0-9A-HJKMNP-TV-Z]{25}", "[0-9a-f]{64}", "[a-z_]{1,20}"
#: What a name may leave in a key: nothing that divides keys, that nobody sees or that steers.
_NAME = r"[^#\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
_CALL = rf"{_ID}#{_AGENT}#\d\d-\d\d"
#: All keys that there can be: of the partition, a blank, and the sort key.
KEYS = re.compile(
    "|".join(
        (
            rf"ORG#{_ID} (PROFILE|USAGE#\d{{4}}|HACK#{_ID})",
            rf"(EMAIL|USER)#{_HASH} LOCK",
            rf"ERASING (HACK|ORG)#{_ID}",
            rf"HACK#{_ID} (META|FREEZE|BLEND|COST#SUMMARY|ROUND#\d\d)",
            rf"HACK#{_ID} (SUB|JOB|FP|JUDGE)#{_ID}",
            rf"HACK#{_ID} RELEASE#{_ID}(#\d{{3}})?",
            rf"HACK#{_ID} REPO#(github|gitlab|bitbucket|codeberg)\.(com|org)(/[a-z0-9._-]+)+",
            rf"HACK#{_ID} TEAM#{_NAME}{{1,500}}",
            rf"HACK#{_ID} EXT#[!-\"$-~]{{1,192}}",
            rf"HACK#{_ID} RESV#{_CALL}",
            rf"HACK#{_ID} ASSIGN#\d\d#{_ID}#{_ID}",
            rf"HACK#{_ID} CMP#\d\d#{_ID}#{_ID}~{_ID}",
            rf"JOB#{_ID} TASK#{_ID}",
            rf"SUB#{_ID} (SUMMARY|(RUN|OVERRIDE|APPEAL)#{_ID})",
            rf"SUB#{_ID} (SCORE#{_ID}#{_AGENT}|COST#{_CALL}|HSCORE#\d\d#{_ID})",
            rf"INVITE#{_HASH} META",
        )
    )
)
FORGED = (
    "META",
    "HACK#META",
    "A#SUB#B",
    "COST#SUMMARY",
    "a\x00",
    "line\n",
    "..",
    "😀",
    "\u202eevil",
    "ﬁnance",
    "a" * 5000,
    "$(id)",
    "' OR 1=1 --",
    "{{7*7}}",
    "#" * 50,
    "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}" * 50,  # Of 18 letters each.
)


def check_keys(service: World) -> None:
    for item in service.items():
        assert KEYS.fullmatch(_key(item)), _key(item)


def test_no_name_in_a_body_forges_a_key(service: World) -> None:
    """Teams, repositories and ids of other systems become keys: of their own kind, or none."""
    hack_id = service.hackathon()
    rows = [row(**{name: text}) for text in FORGED for name in ("team_name", "repo_url")]
    rows += [row(external_id=text) for text in FORGED]
    rows += [row(repo_url=f"https://github.com/{text}/{text}") for text in FORGED]
    results = service.done("POST", f"/hackathons/{hack_id}/submissions", {"submissions": rows})
    assert {each["status"] for each in results["results"]} <= {200, 201, 409, 422}
    assert results["refused"] > len(rows) / 2
    for text in FORGED:
        service.rest()
        for method, path, body in (
            ("POST", "/organizers", {"email": text, "name": "x"}),
            ("POST", "/organizers", {"email": f"{text}@x.test", "name": "x"}),
            ("POST", "/judging/accept", {"token": text}),
            ("PUT", f"/organizers/{quote(text, safe='')}/tier", {"tier": "free"}),
        ):
            answer = service.ask(method, path, body, "admin")
            assert answer.status_code in (201, 404, 409, 422), answer.text
    check_keys(service)


def test_one_team_however_it_is_written(service: World) -> None:
    """Letters that look alike to a program are one team: the second is refused."""
    path = f"/hackathons/{service.hackathon()}/submissions"
    names = ["Straße", "STRASSE", "strasse", "  Strasse  ", "Stra\u00dfe", "Ｓtrasse"]
    rows = [row(team_name=name) for name in names]
    results = service.done("POST", path, {"submissions": rows})["results"]
    assert results[0]["status"] == 201
    assert {each["status"] for each in results[1:5]} == {409}
    check_keys(service)


# --- cursors -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cursors(service: World) -> dict[str, str]:
    """Of lists that go on."""
    hack_id = service.judged[JUDGE]
    found = service.done("POST", f"/hackathons/{hack_id}/freeze")
    assert found["frozen"] == 0
    job_hack, job_id = service.job()
    service.done("POST", f"/hackathons/{job_hack}/jobs/{job_id}/cancel")
    for _ in range(2):
        service.hackathon(visibility="public")
        service.dead_message()
        service.done("POST", "/organizers/me/keys", {"name": "x"})
    place = f"/hackathons/{hack_id}"
    lists = {
        "/hackathons": OLGA,
        "/public/hackathons": OLGA,
        "/organizers/me/keys": OLGA,
        f"{place}/submissions": OLGA,
        f"{place}/submissions?status=completed": OLGA,
        f"{place}/leaderboard": OLGA,
        "/api-keys": "admin",
        "/outbox/dead": "admin",
    }
    made = {path: after(service, path, None, who).json() for path, who in lists.items()}
    cursors = {path: page.get("next_cursor") for path, page in made.items()}
    assert all(cursors.values()), cursors
    return cursors


def after(service: World, path: str, cursor: str | None, who: str | None = None) -> httpx2.Response:
    mark = "&" if "?" in path else "?"
    going_on = "" if cursor is None else f"&cursor={quote(cursor, safe='')}"
    asking = who or ("admin" if path in ("/api-keys", "/outbox/dead") else OLGA)
    return service.ask("GET", f"{path}{mark}limit=1{going_on}", who=asking)


def test_cursors_are_for_one_question(service: World, cursors: dict[str, str]) -> None:
    for path, own in cursors.items():
        assert after(service, path, own).status_code == 200
        for other, cursor in cursors.items():
            if other != path:
                told = refused(after(service, path, cursor))
                assert told == (400, "BAD_CURSOR"), (path, other)


def test_cursors_cannot_be_changed(service: World, cursors: dict[str, str]) -> None:
    for path, cursor in cursors.items():
        middle = len(cursor) // 2
        swapped = "A" if cursor[middle] != "A" else "B"
        changed = cursor[:middle] + swapped + cursor[middle + 1 :]
        for wrong in (cursor[:-2], changed, cursor + cursor, "e30", "\x00", "A" * 4096):
            assert refused(after(service, path, wrong)) == (400, "BAD_CURSOR"), (path, wrong)


@pytest.mark.parametrize("limit", ["0", "-1", "101", "1e3", "99999999999999999999", "x"])
def test_no_page_is_endless(limit: str, service: World, cursors: dict[str, str]) -> None:
    for path in cursors:
        mark = "&" if "?" in path else "?"
        answer = service.ask("GET", f"{path}{mark}limit={limit}", who="admin")
        if answer.status_code != 403:
            assert refused(answer) == (422, "INVALID"), path


# --- guessing ------------------------------------------------------------------------------------


def test_whoever_guesses_keys_is_stopped() -> None:
    with world() as service:
        key = service.keys[OLGA]
        answers = [
            service.ask("GET", "/hackathons", who=f"{key[:-4]}{number:04}") for number in range(40)
        ]
        assert {refused(each) for each in answers} == {
            (401, "UNAUTHENTICATED"),
            (429, "RATE_LIMITED"),
        }
        # Those who have one are let in all the same.
        assert service.ask("GET", "/hackathons").status_code == 200


def test_ways_in_that_are_none(service: World) -> None:
    key = service.keys[OLGA]
    for headers in (
        {"Authorization": f"Basic {key}"},
        {"Authorization": key},
        {"Authorization": f"Bearer {key}x"},
        {"Cookie": f"session={key}"},
        {"X-Forwarded-User": "admin", "X-Remote-User": "admin"},
        {"X-Api-Owner": f"org:{service.organizers[OLGA]}"},
    ):
        answer = service.http.get(f"{API}/hackathons", headers=headers)
        assert refused(answer) == (401, "UNAUTHENTICATED"), headers


def test_nobody_makes_themselves_more_than_they_are(service: World) -> None:
    """Neither a tier nor a role, nor somebody to act for, can be said in a body."""
    body = {"email": "eve@people.test", "name": "Eve"}
    for more in (
        {"tier": "enterprise"},
        {"org_id": service.organizers[OLGA]},
        {"roles": ["admin"]},
    ):
        assert refused(service.ask("POST", "/organizers", body | more)) == (422, "INVALID")
        change = service.ask("PATCH", "/organizers/me", {"name": "Eve"} | more)
        assert refused(change) == (422, "INVALID")
    for more in ({"roles": ["admin"]}, {"owner": "org:x"}):
        made = service.ask("POST", "/organizers/me/keys", {"name": "x"} | more)
        assert refused(made) == (422, "INVALID")
    # A key with the role of a judge that nobody was invited with judges nothing.
    key = service.done("POST", "/api-keys", {"name": "x", "roles": ["judge"]}, "admin")["api_key"]
    assert service.ask("GET", f"/judging/{service.judged[JUDGE]}/next", who=key).status_code == 403


def test_nobody_takes_all_streams(service: World) -> None:
    """Twenty of one organiser, whoever of theirs opens them; places that are left are free."""
    hack_id, job_id = service.job()
    path = f"{API}/hackathons/{hack_id}/jobs/{job_id}/events"
    headers = service.headers(OLGA)
    with ExitStack() as opened:
        read = []
        for _ in range(MOST_OF_ONE):
            answer = opened.enter_context(service.http.stream("GET", path, headers=headers))
            assert answer.status_code == 200
            read.append(answer.iter_bytes())  # which, forgotten, would end it
            next(read[-1])
        with service.http.stream("GET", path, headers=headers) as full:
            assert full.status_code == 429
            assert int(full.headers["retry-after"]) > 0
            full.read()
            assert refused(full) == (429, "STREAM_LIMIT")
        with service.http.stream("GET", path, headers=service.headers("admin")) as other:
            assert other.status_code == 200
        answer.close()
        ends = time.monotonic() + 20
        while True:
            with service.http.stream("GET", path, headers=headers) as again:
                if again.status_code == 200:
                    break
            assert time.monotonic() < ends
            time.sleep(0.05)


# --- once is once --------------------------------------------------------------------------------


def at_once(count: int, work: Callable[[int], httpx2.Response]) -> list[int]:
    """What so many callers are told who come at the same time."""
    with ThreadPoolExecutor(count) as callers:
        return sorted(each.status_code for each in callers.map(work, range(count)))


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("accept_invitation", {404}),
        ("appeal_result", {409}),
        ("analyze_hackathon", {409}),
        ("answer_appeal", {409}),
        ("submit_publicly", {409}),
        ("register", {409}),
        ("withdraw_submission", {409}),
        ("revoke_override", {409}),
        ("activate_hackathon", {409}),
    ],
)
def test_what_is_done_once_is_done_once(name: str, others: set[int], service: World) -> None:
    service.rest()
    request: Request = good_request(name, service)
    headers = service.headers(caller_of(name))
    first, *rest = at_once(8, lambda _: send(service.http, request, headers))
    assert first < 300
    assert set(rest) == others, (first, rest)


def test_no_more_hackathons_than_the_tier_allows(service: World) -> None:
    """Three a year are free; of ten who ask at once, three get one."""
    key = service.registered()["api_key"]
    request = good_request("create_hackathon", service)
    headers = service.headers(key)
    told = at_once(10, lambda _: send(service.http, request, headers))
    assert told == [201] * 3 + [403] * 7


def test_a_request_that_is_sent_again_is_done_once(service: World) -> None:
    request = good_request("create_hackathon", service)
    headers = {**service.headers(OLGA), "Idempotency-Key": "once"}
    first, second = (send(service.http, request, headers) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.json()["hack_id"] == second.json()["hack_id"]


def test_a_budget_is_not_lowered_below_what_is_spent(service: World) -> None:
    """And not spent twice: that is scenario 6."""
    hack_id = service.hackathon()
    body = {**good_request("create_hackathon", service).body}
    for budget, status in (("10000.01", 422), ("-0.01", 422), ("0.0000000001", 422), ("0", 200)):
        answer = service.ask(
            "PUT", f"/hackathons/{hack_id}", {**body, "budget_limit_usd": budget}, If_Match="*"
        )
        assert answer.status_code == status, (budget, answer.text)
    assert service.done("GET", f"/hackathons/{hack_id}/costs")["budget_remaining_usd"] == 0


def test_every_route_is_tried(document: dict[str, Any]) -> None:
    routes: list[Route] = routes_of(document)
    assert {each.name for each in routes} == MAY.keys()
