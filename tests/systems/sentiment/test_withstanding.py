"""What people with bad intentions send, to the whole service behind its port."""

from __future__ import annotations

import json
import logging
import re
import socket
import time
import unicodedata
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import uuid4

import httpx2
import pytest
from tests.service.good_requests import JSON, UNREADABLE
from tests.service.good_requests import told as refused
from tests.service.reading import operations_of
from tests.systems.sentiment.api_requests import ENDLESS, MAY, good_request
from tests.systems.sentiment.api_world import API, World, told, world

from tablewright.engine import Engine
from tablewright.service.settings import Settings
from tablewright.systems.sentiment.system import system


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world() as found:
        yield found


@pytest.fixture(scope="module")
def operations(service: World) -> list[tuple[str, str, dict[str, Any]]]:
    """The name, the path and the document of each."""
    document = service.http.get("/sentiment/openapi.json").json()
    return [
        (operation["operationId"], path, operation)
        for path, found in document["paths"].items()
        for operation in found.values()
    ]


def caller_of(name: str) -> str:
    return sorted(MAY[name])[0]


# --- keys ----------------------------------------------------------------------------------------

_ID, _TS = r"(newsapi|rss|file|twitter|reddit)#[A-Za-z0-9_-]{1,128}", r"\d{4}-\d\d-\d\dT[\d:.]+Z"
_TAG, _SLUG, _ULID = (
    # Folded, and without a delimiter of keys; what it may have besides is looked at by character.
    r"[^\WA-Z_][^#@:/\sA-Z]{0,49}",
    r"[a-z0-9][a-z0-9-]{0,39}",
    r"[0-9A-HJ-NP-TV-Z]{26}",
)
_VERSION = r"v\d+\.\d+\.\d+(\+[a-z0-9.-]{1,40})?"
#: All keys that there can be: of the partition, a blank, and the sort key.
KEYS = re.compile(
    "|".join(
        (
            rf"{_ID} {_TS}(#{_TAG}|#@{_VERSION})?",
            r"dedup#[0-9a-f]{64} 0",
            rf"agg#(all|tag#{_TAG}|source#{_SLUG})#\d+ [mh]#[0-9T:-]+Z",
            rf"config#watch {_TAG}",
            rf"config#source {_SLUG}",
            rf"config#publisher {_SLUG}",
            rf"config#model {_VERSION}",
            r"config#alert [A-Za-z0-9_-]{1,40}",
            r"config#settings 0",
            rf"quota#{_SLUG} \d{{4}}-\d\d-\d\d",
            rf"run#{_SLUG} {_TS}#{_ULID}",
            rf"alert#log {_TS}#[A-Za-z0-9_-]{{1,40}}",
            rf"job#reanalysis {_ULID}",
        )
    )
)

FORGED = (
    "ai#x",
    "config#watch",
    "newsapi#0123456789abcdef",
    "newsapi:0123456789abcdef#2026-11-15T12:00:00.000Z",
    "config:settings",
    "agg:all",
    "dedup:0",
    "2026-11-15T12:00:00.000Z:a:b",
    "2026-11-15T12:00:00.000Z:a#b",
    "a\x00",
    "ai\n",
    "a\u200bi",
    "a" * 300,
    "%23",
    "😀",
    "..",
)
#: What is cleaned where people type the name of a topic, and the name that it is then.
CLEANED = {"a\x00": "a", "ai\n": "ai", "a\u200bi": "ai"}


def check_keys(service: World) -> None:
    for item in service.items():
        key = f"{item['source_id']['S']} {item['timestamp']['S']}"
        assert KEYS.fullmatch(key), key
        # Nothing that cannot be seen, and no two ways to write the same: not in any key.
        assert all(unicodedata.category(each)[0] not in "CZ" for each in key.replace(" ", "")), key
        assert unicodedata.normalize("NFKC", key).casefold() == key.casefold(), key


@pytest.mark.parametrize("forged", FORGED)
def test_no_name_in_an_address_forges_a_key(
    forged: str, service: World, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    """Whatever stands in the place of a name: there is nothing there, and nothing comes of it."""
    before = sorted(map(str, service.items()))
    sent = 0
    for name, path, operation in operations:
        if "{" not in path or name in ENDLESS:
            continue
        address = re.sub(r"\{\w+\}", lambda _: quote(forged, safe=""), path)
        body = _example(operation)
        headers = {**service.headers(caller_of(name)), "If-Match": "*"}
        method = next(
            each
            for each in ("get", "put", "post", "delete")
            if service_operation(service, path, each) == name
        )
        answer = service.http.request(method, f"/sentiment{address}", json=body, headers=headers)
        status, code = refused(answer)
        allowed = {(404, "NOT_FOUND"), (422, "INVALID"), (405, "METHOD_NOT_ALLOWED")}
        assert (status, code) in allowed, (name, address, answer.text)
        sent += 1
    assert sent > 20
    assert sorted(map(str, service.items())) == before


_PATHS: dict[str, Any] = {}


def service_operation(service: World, path: str, method: str) -> str | None:
    if not _PATHS:
        _PATHS.update(service.http.get("/sentiment/openapi.json").json()["paths"])
    found: str | None = _PATHS[path].get(method, {}).get("operationId")
    return found


def _example(operation: dict[str, Any]) -> Any:
    name = operation["operationId"]
    return {
        "set_override": {"sentiment": "positive"},
        "put_topic": {"any": ["x"]},
        "put_rule": {"name": "x", "metric": "volume"},
        "change_source": {"url": "file:saltmarsh-gazette.xml"},
    }.get(name)


@pytest.mark.parametrize("forged", FORGED)
def test_no_name_in_a_question_or_a_body_forges_a_key(forged: str, service: World) -> None:
    for method, path, body in (
        ("GET", f"/timeseries?source={quote(forged)}", None),
        ("GET", f"/export?source={quote(forged)}", None),
        ("POST", "/ops/requeue", {"ids": [forged]}),
        ("POST", "/sources", {"name": forged, "source_type": "file", "url": "file:wire.jsonl"}),
        ("POST", "/sources", {"name": "fine", "source_type": forged, "url": "file:wire.jsonl"}),
        ("POST", "/models", {"model_version": forged, "kind": "onnx", "path": "words"}),
        ("POST", "/ingest", {"records": [told()], "source_type": forged}),
        (
            "POST",
            "/reanalyses",
            {"model_version": forged, "since": "2026-11-01T00:00:00Z", "until": "2030-01-01T00Z"},
        ),
    ):
        headers = {**service.admin, "If-Match": "*"}
        answer = service.http.request(method, f"{API}{path}", json=body, headers=headers)
        # An id that looks like one and is nobody's is all that may be well-formed of them.
        assert refused(answer) == (422, "INVALID"), (path, answer.text)
    check_keys(service)


def _with_topic(service: World, tag: str) -> list[tuple[int, Any]]:
    """What is answered to whoever types a topic's name: the status, and the name in the answer."""
    rule = {"name": "x", "metric": "volume"}
    answers = []
    for method, path, body in (
        ("GET", f"/overview?tag={quote(tag)}", None),
        ("GET", f"/items?tag={quote(tag)}", None),
        ("PUT", "/watch/ai", {"tag": tag, "any": ["ai"]}),
        ("POST", "/watch", {"tag": tag, "any": ["x"]}),
        ("POST", "/alert-rules", {**rule, "tag": tag}),
    ):
        headers = {**service.admin, "If-Match": "*"}
        answer = service.http.request(method, f"{API}{path}", json=body, headers=headers)
        answers.append((answer.status_code, answer.json().get("tag")))
        if answer.status_code == 201 and path == "/watch":
            service.done("DELETE", f"/watch/{answer.json()['tag']}", If_Match="*")
    return answers


@pytest.mark.parametrize("forged", [each for each in FORGED if each not in CLEANED])
def test_topic_name_with_delimiters_is_refused(forged: str, service: World) -> None:
    assert _with_topic(service, forged) == [(422, None)] * 5
    check_keys(service)


@pytest.mark.parametrize(("typed", "meant"), CLEANED.items())
def test_topic_name_with_characters_that_nobody_sees_is_that_without_them(
    typed: str, meant: str, service: World
) -> None:
    service.follow()
    found = _with_topic(service, typed)
    assert found == _with_topic(service, meant)
    assert {tag for _, tag in found} <= {meant, None}
    assert found[0] == (200, meant)
    check_keys(service)
    service.follow()


def test_no_record_forges_a_key(service: World) -> None:
    """Publishers, addresses and titles become keys: slugs and hashes, whatever they hold."""
    texts = (
        "bbc#news",
        "config#settings",
        "agg#all#0",
        "#",
        "../x",
        "İstanbul ß",
        "\u202eevil",
        " ",
    )
    sent = [
        told(source=text, url=f"https://news.example/{quote(text)}/{uuid4().hex}#{text}")
        for text in texts
    ]
    sent += [told(title=f"AI {text}", url=None, author=text) for text in texts]
    body = {"records": sent, "as_published": True}
    results = service.done("POST", "/ingest", body)["results"]
    assert {each["result"] for each in results} <= {"ingested", "duplicate", "rejected"}
    assert sum(each["result"] == "ingested" for each in results) > len(texts)
    check_keys(service)
    for each in service.done("GET", "/share?by=source")["items"]:
        assert re.fullmatch(_SLUG, each["key"])
        assert each["label"].isprintable()


# --- topics whose names look alike ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "twin"),
    [
        ("İstanbul", "i\u0307stanbul"),
        ("straße", "STRASSE"),
        ("STRASSE\u0307", "strass\u0117"),
        ("ﬁnance", "Finance"),
        ("ｆｕｌｌ", "full"),
        ("ai\u0301", "A\u00cd"),
        ("KELVIN\u212a", "kelvink"),
        ("ſoft", "Soft"),
        ("\u03aa\u0301ota", "\u0390OTA"),
        ("Mu\u034fsic", "music"),
        ("fi\u3164lm", "film"),
        ("bi\u2060ke", "\ufeffbike"),
        ("می\u200cخواهم", "میخواهم"),
        ("भारत", "भारत\u200d"),
        ("ภาษาไทย", "ภาษาไทย\u00a0"),
        ("ខ្មែរ", "\tខ្មែរ"),
        ("မြန်မာ", "မြန်မာ\ufe0f"),
    ],
)
def test_tags_that_look_the_same_are_one_topic(typed: str, twin: str, service: World) -> None:
    """Tags are of any script; one that looks like another's cannot be made beside it."""
    service.follow()
    made = service.done("POST", "/watch", {"tag": typed, "any": ["x"]})["tag"]
    assert made.isprintable()
    again = service.http.post(
        f"{API}/watch", json={"tag": twin, "any": ["x"]}, headers=service.admin
    )
    assert refused(again) == (409, "TAG_EXISTS")
    for shown in (made, made.casefold()):
        assert service.done("GET", f"/watch/{quote(shown)}")["tag"] == made
        assert service.done("GET", f"/overview?tag={quote(shown)}")["tag"] == made.casefold()
    check_keys(service)
    service.follow()


@pytest.mark.parametrize("tag", ["а\u0456", "аi", "αι"])
def test_tag_in_another_script_is_another_topic(tag: str, service: World) -> None:
    """Letters of other scripts that look like Latin ones never lead to the topic AI."""
    service.follow()
    assert service.done("POST", "/watch", {"tag": tag, "any": ["x"]})["tag"] == tag
    assert service.done("GET", "/watch/ai")["tag"] != tag
    service.follow()


def test_a_tag_is_one_in_any_case(service: World) -> None:
    service.follow()
    body = {"tag": "Strasse", "any": ["straße"]}
    assert service.done("POST", "/watch", body)["tag"] == "Strasse"
    for tag in ("STRASSE", "strasse", "sTrAsSe"):
        again = service.http.post(
            f"{API}/watch", json={"tag": tag, "any": ["x"]}, headers=service.admin
        )
        assert refused(again) == (409, "TAG_EXISTS")
        assert service.done("GET", f"/watch/{tag}")["tag"] == "Strasse"
    titles = ("Die Straße ist gut", "DIE STRASSE IST GUT", "Die STRAẞE", "Strassenbahn")
    records = [told(title=title, text="") for title in titles]
    results = service.done("POST", "/ingest", {"records": records})["results"]
    # Words, not letters, fold: neither spelling is missed, and no part of a word is found.
    assert [each["result"] for each in results] == ["ingested"] * 3 + ["unmatched"]
    service.follow()


# --- cursors -------------------------------------------------------------------------------------

LISTS = (
    "/items",
    "/items?tag=ai",
    "/items?sentiment=negative",
    "/items?status=analyzed",
    "/alert-rules",
    "/alerts",
    "/api-keys",
    "/ops/failed",
    "/ops/stuck",
    "/reanalyses",
    "/outbox/dead",
)


@pytest.fixture(scope="module")
def cursors(service: World) -> dict[str, str]:
    """Of lists that go on."""
    for _ in range(2):
        service.failed()
        service.stuck()
        service.alert()
        service.dead_message()
        service.job()
    found = {}
    for path in LISTS:
        page = service.done("GET", f"{path}{'&' if '?' in path else '?'}limit=1")
        assert len(page["items"]) == 1, path
        found[path] = page["next_cursor"]
    assert all(found.values()), found
    return found


def after(service: World, path: str, cursor: str, who: str = "admin") -> httpx2.Response:
    mark = "&" if "?" in path else "?"
    address = f"{API}{path}{mark}limit=1&cursor={quote(cursor, safe='')}"
    return service.http.get(address, headers=service.headers(who))


@pytest.mark.parametrize("path", LISTS)
def test_cursors_are_for_one_question(path: str, service: World, cursors: dict[str, str]) -> None:
    assert after(service, path, cursors[path]).status_code == 200
    for other, cursor in cursors.items():
        if other != path:
            assert refused(after(service, path, cursor)) == (400, "BAD_CURSOR"), other


@pytest.mark.parametrize("path", LISTS)
def test_cursors_cannot_be_changed(path: str, service: World, cursors: dict[str, str]) -> None:
    cursor = cursors[path]
    middle = len(cursor) // 2
    swapped = "A" if cursor[middle] != "A" else "B"
    for changed in (
        cursor[:-2],
        cursor[1:],
        cursor[:middle] + swapped + cursor[middle + 1 :],
        cursor + cursor,
        "x",
        "e30",
        "null",
        "\x00",
        "A" * 4096,
        "😀",
    ):
        assert refused(after(service, path, changed)) == (400, "BAD_CURSOR"), changed
    assert refused(after(service, path, "A" * 4097)) == (422, "INVALID")


def test_a_cursor_lends_nobody_a_role(service: World, cursors: dict[str, str]) -> None:
    """It says where to go on, and not who may: each page asks again."""
    for path, cursor in cursors.items():
        assert refused(after(service, path, cursor, "ingest"))[0] == 403
        assert refused(after(service, path, cursor, "nobody"))[0] == 401
    mine = after(service, "/items", cursors["/items"], "viewer").json()
    assert mine == after(service, "/items", cursors["/items"], "admin").json()


@pytest.mark.parametrize("limit", ["0", "-1", "101", "1e3", "99999999999999999999", "", "x", "1.5"])
def test_no_page_is_endless(limit: str, service: World) -> None:
    for path in ("/items", "/alerts", "/alert-rules", "/ops/failed", "/reanalyses", "/api-keys"):
        answer = service.http.get(f"{API}{path}?limit={limit}", headers=service.admin)
        assert refused(answer) == (422, "INVALID"), path


# --- times ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "moment",
    [
        "2026-11-15",
        "2026-11-15T12:00:00",
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59Z",
        "9999-12-31T23:59:59-14:00",
        "10000-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z",
        "2026-02-30T00:00:00Z",
        "2026-11-15T25:00:00Z",
        "2026-11-15T12:00:00+25:00",
        "1763208000",
        "-1",
        "now",
        "",
        "2026-11-15T12:00:00Z\x00",
    ],
)
@pytest.mark.parametrize("path", ["/overview", "/timeseries", "/share", "/items", "/export"])
def test_times_that_are_none(path: str, moment: str, service: World) -> None:
    for name in ("from", "to"):
        answer = service.http.get(
            f"{API}{path}", params={name: moment}, headers=service.headers("viewer")
        )
        status, code = refused(answer)
        assert (status, code) in {(422, "BAD_RANGE"), (422, "INVALID")}, (name, answer.text)


@pytest.mark.parametrize(
    "moment", ["2026-11-15", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "x"]
)
def test_times_of_alerts_that_are_none(moment: str, service: World) -> None:
    for name in ("from", "to"):
        answer = service.http.get(f"{API}/alerts", params={name: moment}, headers=service.admin)
        assert refused(answer) == (422, "INVALID")


def test_the_same_moment_in_any_zone(service: World) -> None:
    """An hour is the same hour, wherever it is asked for."""
    now = service.newsroom.now().replace(minute=0, second=0, microsecond=0)
    seen = []
    for shift in ("Z", "+00:00", "-11:30", "+14:00", "+05:45"):
        since = _in_zone(now.isoformat(), shift)
        found = service.done("GET", f"/overview?from={quote(since)}")
        seen.append((found["from"], found["totals"]))
    assert all(each == seen[0] for each in seen)
    assert seen[0][1]["analysed"] > 0


def _in_zone(moment: str, shift: str) -> str:
    from datetime import datetime, timedelta, timezone

    if shift == "Z":
        return moment.replace("+00:00", "Z")
    sign = -1 if shift[0] == "-" else 1
    hours, minutes = map(int, shift[1:].split(":"))
    zone = timezone(sign * timedelta(hours=hours, minutes=minutes))
    return datetime.fromisoformat(moment).astimezone(zone).isoformat()


def test_records_from_another_time(service: World) -> None:
    """What cannot be a date is refused; what is none of ours to keep is not kept as published."""
    moments = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-15T12:00:00", "soon")
    records = [told(published_at=moment) for moment in moments]
    for as_published in (False, True):
        body = {"records": records, "as_published": as_published}
        results = service.done("POST", "/ingest", body)["results"]
        assert {each["result"] for each in results} == {"rejected"}
    far = [told(published_at=moment) for moment in ("1999-12-31T23:59:59Z", "2999-01-01T00:00:00Z")]
    results = service.done("POST", "/ingest", {"records": far, "as_published": True})["results"]
    assert {each["result"] for each in results} <= {"rejected", "ingested"}
    check_keys(service)
    stored = [each["timestamp"]["S"] for each in service.items() if "matched_tags" in each]
    year = service.newsroom.now().year
    assert {int(each[:4]) for each in stored} <= {year - 1, year}


# --- bodies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", UNREADABLE)
def test_bodies_that_nobody_can_read(
    kind: str, service: World, operations: list[tuple[str, str, dict[str, Any]]]
) -> None:
    content, media_type = UNREADABLE[kind]
    for name, _, operation in operations:
        if "requestBody" not in operation:
            continue
        request = good_request(name, service)
        answer = service.http.request(
            request.method,
            request.path,
            content=content,
            headers={
                **request.headers,
                **service.headers(caller_of(name)),
                "Content-Type": media_type,
            },
        )
        status, _ = refused(answer)
        files = name == "upload"
        form = media_type.startswith("multipart")
        wanted = (400, 422) if (form if files else media_type == JSON) else (415,)
        assert status in wanted, (name, answer.text)


@pytest.mark.parametrize("name", ["ingest", "create_topic", "set_override", "requeue"])
def test_bodies_that_are_too_large(
    name: str, service: World, caplog: pytest.LogCaptureFixture
) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 65536

    request = good_request(name, service)
    headers = {**service.admin, **request.headers, "Content-Type": JSON}
    padded = json.dumps(request.body).encode() + b" " * 2**21
    for content in (padded, endless()):
        answer = service.http.request(
            request.method, request.path, content=content, headers=headers
        )
        assert refused(answer) == (413, "TOO_LARGE")
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_a_hundred_records_and_no_more(service: World) -> None:
    before = len(service.items())
    body = {"records": [told() for _ in range(101)]}
    answer = service.http.post(f"{API}/ingest", json=body, headers=service.headers("ingest"))
    assert refused(answer) == (413, "TOO_MANY_RECORDS")
    assert len(service.items()) == before


@pytest.mark.parametrize("depth", [200, 20_000])
def test_bodies_that_are_very_deep(depth: int, service: World) -> None:
    """Where anything may stand, a record, they are wrong like any other."""
    deep = "[" * depth + "]" * depth
    content = f'{{"records": [{{"title": {deep}}}, {{"title": "AI", "x": {deep}}}]}}'
    headers = {**service.headers("ingest"), "Content-Type": JSON}
    answer = service.http.post(f"{API}/ingest", content=content, headers=headers)
    if answer.status_code == 207:
        assert {each["result"] for each in answer.json()["results"]} == {"rejected"}
    else:
        assert refused(answer)[0] in (400, 422)


def test_who_leaves_in_the_middle_is_no_fault_of_ours(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    before = len(service.items())
    for path, media_type in (
        ("ingest", JSON),
        ("uploads", "application/x-ndjson"),
        ("watch", JSON),
    ):
        with half_sent(service, path, media_type):
            time.sleep(0.1)
    assert service.http.get("/health").status_code == 200
    assert len(service.items()) == before
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def half_sent(service: World, path: str, media_type: str) -> socket.socket:
    """A request whose body never comes to its end."""
    place = urlsplit(service.service.url)
    line = socket.create_connection((place.hostname, place.port), timeout=10)
    head = [
        f"POST {API}/{path} HTTP/1.1",
        f"Host: {place.netloc}",
        *(f"{name}: {each}" for name, each in service.admin.items()),
        f"Content-Type: {media_type}",
        "Content-Length: 1000",
    ]
    line.sendall("\r\n".join([*head, "", '{"records": [']).encode())
    return line


def test_bodies_that_come_slowly_end() -> None:
    with world(request_timeout_secs=1.0) as service:
        with half_sent(service, "ingest", JSON) as line:
            began = time.monotonic()
            answer = line.makefile("rb").readline()
            assert time.monotonic() - began < 8
            assert answer.split()[1] in (b"408", b"504"), answer


@pytest.mark.parametrize(
    "path",
    [
        "/watch/ai%2F..%2Fclimate",
        "/watch/../watch/ai/x",
        "//watch/ai",
        "/watch/ai/",
        "/watch/ai;x=1",
        "/watch/ai%5C",
        "/items/newsapi%23x",
    ],
)
def test_addresses_are_taken_as_they_are(path: str, service: World) -> None:
    """Nothing is cleaned up on the way to something else."""
    place = urlsplit(service.service.url)
    line = HTTPConnection(place.hostname or "", place.port, timeout=10)  # sends what it is given
    try:
        line.request("GET", f"{API}{path}", headers=service.admin)
        answer = line.getresponse()
        found = json.loads(answer.read())
    finally:
        line.close()
    assert (answer.status, found["code"]) == (404, "NOT_FOUND")


def test_without_an_issuer_it_is_for_this_machine_alone() -> None:
    """No configuration of who may: it does not start where others could reach it."""
    from tests.service.support import running

    from tablewright.testing import in_process

    with Engine.memory() as engine, in_process(engine) as backend:
        with pytest.raises(Exception, match="issuer") as caught:
            with running(system, backend, local=False, host="0.0.0.0"):
                raise AssertionError("it has started")
    assert not isinstance(caught.value, AssertionError)
    assert Settings().local


def test_every_operation_with_a_name_in_its_address_is_tried(service: World) -> None:
    document = service.http.get("/sentiment/openapi.json").json()
    assert len([path for path in document["paths"] if "{" in path]) > 10
    assert operations_of(document).keys() == MAY.keys()
