"""What must not come out: script that runs, formulas, keys, and the names of authors."""

from __future__ import annotations

import csv
import io
import logging
import re
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from tests.console.support import Browser
from tests.service.good_requests import told as refused
from tests.systems.sentiment.api_world import API, ROLES, World, told, world
from tests.systems.sentiment.sources.support import Answer, feed_server
from tests.systems.sentiment.support import ADMIN, stored

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.kit import audit
from tablewright.service.runtime import Runtime
from tablewright.systems.sentiment.articles import Metadata
from tablewright.systems.sentiment.system import system

PATIENCE_SECS = 20.0


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world(front=_console) as found:
        yield found


def _console(runtime: Runtime) -> Console:
    return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything in the log of the service, with all that its lines carry.

    What the clients of this test log is not the service's, nor what uvicorn would log of requests:
    that is switched off, and pytest alone listens to it.
    """
    others = ("httpx", "httpcore", "uvicorn.access", "asyncio")
    lines = [each for each in caplog.records if not each.name.startswith(others)]
    return "\n".join(f"{each.getMessage()} {each.__dict__}" for each in lines)


# --- script --------------------------------------------------------------------------------------

#: Ends a text, an attribute and a script, and begins one.
SCRIPT = "'\"></title></textarea></script><script>alert(7)</script><img src=x onerror=alert(7)>"
_RAW = re.compile(r"<script>alert\(7\)|<img src=x onerror", re.IGNORECASE)


def test_script_in_records_is_not_kept(service: World) -> None:
    texts = (SCRIPT, "&lt;script&gt;alert(7)&lt;/script&gt;", "<scr<script>ipt>alert(7)</script>")
    records = [told(title=f"AI {text}", text=text, source=text, author=text) for text in texts]
    records.append(told(url="javascript:alert(7)"))
    results = service.done("POST", "/ingest", {"records": records})["results"]
    assert {each["result"] for each in results} == {"ingested"}
    for result in results:
        found = service.done("GET", f"/items/{result['article_id']}")
        assert not [
            name
            for name in ("title", "snippet", "source_name", "author")
            if re.search(r"<\s*[a-z/!]", found[name], re.IGNORECASE)
        ]
        assert found["url"] is None or found["url"].startswith("https://")


def test_script_in_the_store_is_text_on_every_page(service: World) -> None:
    """Pages do not rely on what is stored being clean: somebody else may have written it."""
    now = service.newsroom.now()
    metadata = Metadata(
        title=f"AI {SCRIPT}", author=SCRIPT, source_name=SCRIPT[:100], published_at=now
    )
    given = {"timestamp": now, "queued_at": now, "metadata": metadata, "text_snippet": SCRIPT}
    made = service.do(stored(service.newsroom, "bad", ("AI", "Climate"), said="negative", **given))
    shown = made.source_id.replace("#", ":")
    service.done("PUT", f"/items/{shown}/override", _verdict(), If_Match="*")
    service.follow()
    service.done("PUT", "/watch/ai", {"any": ["ai", SCRIPT], "none": [f"x{SCRIPT}"]}, If_Match="*")
    service.rule(name=SCRIPT[:100], channel=None)
    seen = {}
    browser = Browser(service.service)
    with browser.client:
        signed = browser.client.post("/auth/sign-in", data={"user": "demo-admin"})
        assert signed.status_code == 303, signed.text
        waiting = ["/sentiment", f"/sentiment/items/{shown}"]
        while waiting:
            path = waiting.pop()
            if path in seen:
                continue
            page = browser.get(path)
            seen[path] = page.text
            assert page.status_code < 500, (path, page.text[:500])
            assert not _RAW.search(page.text), path
            if page.headers.get("content-type", "").startswith("text/html") and len(seen) < 60:
                waiting += re.findall(r'(?:href|hx-get)="(/sentiment(?:/[^"#?]*)?)"', page.text)
    told_somewhere = [path for path, text in seen.items() if "alert(7)" in text]
    assert len(seen) > 6
    assert len(told_somewhere) > 2, sorted(seen)


def _verdict() -> dict[str, str]:
    return {"sentiment": "positive", "reason": SCRIPT}


def test_answers_are_never_taken_for_pages(service: World) -> None:
    for path in (f"/items?q={SCRIPT}", f"/watch/{SCRIPT}", f"/items?sentiment={SCRIPT}"):
        answer = service.http.get(f"{API}{path}", headers={**service.admin, "Accept": "text/html"})
        assert "json" in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"


# --- formulas ------------------------------------------------------------------------------------


def test_no_cell_of_an_export_is_a_formula(service: World) -> None:
    texts = ("=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", '=HYPERLINK("https://x")')
    records = [
        told(title=f"{text} AI", source=text, author=text, text=f"{text} artificial intelligence")
        for text in texts
    ]
    body = {"records": records, "as_published": True}
    results = service.done("POST", "/ingest", body)["results"]
    assert {each["result"] for each in results} == {"ingested"}
    headers = service.headers("viewer")
    answer = service.http.get(f"{API}/export?authors=true", headers=headers)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {f"'{each}" for each in texts} <= {row["author"] for row in rows}
    for row in rows:
        for name, cell in row.items():
            number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), (name, cell)


# --- authors -------------------------------------------------------------------------------------


def test_authors_are_told_to_who_asks_and_to_no_log(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    author = "Quintessa Vanderbilt-Ogden"
    sent = {"records": [told(author=author)], "as_published": True}
    made = service.done("POST", "/ingest", sent)["results"][0]["article_id"]
    broken = {"records": [{**told(author=author), "title": 7}, {"author": author}]}
    answers = [str(service.done("POST", "/ingest", broken))]
    line = f'{{"title": "AI", "author": "{author}", "published_at": "never"}}\n'
    head = {**service.admin, "Content-Type": "application/x-ndjson"}
    answers.append(service.http.post(f"{API}/uploads", content=line, headers=head).text)
    for path in ("/items?tag=ai", "/export", "/export?format=json", "/export?format=jsonl"):
        answers.append(service.http.get(f"{API}{path}", headers=service.admin).text)
    answers.append(service.http.get("/metrics").text)
    assert not [each for each in answers if author in each]
    assert author in service.http.get(f"{API}/export?authors=true", headers=service.admin).text
    assert service.done("GET", f"/items/{made}")["author"] == author
    assert author not in logged(caplog)
    # What people search for is theirs, too.
    service.http.get(f"{API}/items", params={"q": author}, headers=service.admin)
    assert author.split()[0] not in logged(caplog)


# --- the key of NewsAPI --------------------------------------------------------------------------

KEY = "5f0c1b7e-newsapi-key-of-tests"


@pytest.mark.parametrize("status", [200, 401, 429, 500])
def test_the_key_goes_to_newsapi_in_a_header_and_nowhere_else(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even where the other side says it back."""
    caplog.set_level(logging.DEBUG)
    asked: list[tuple[str, dict[str, str]]] = []

    def answering(path: str, headers: dict[str, str]) -> Answer:
        asked.append((path, headers))
        body = f'{{"status": "error", "code": "apiKeyInvalid", "message": "{KEY} is wrong"}}'
        return status, {"Content-Type": "application/json"}, body.encode()

    with feed_server(answering) as url:
        environ = {"SENTIMENT_NEWSAPI_KEY": KEY, "TABLEWRIGHT_SENTIMENT_NEWSAPI_URL": url}
        with world(environ=environ) as service:
            # The waits between attempts are those of the service; one attempt is enough here.
            name = service.source(source_type="newsapi", url=None, query="AI")
            service.done("POST", f"/sources/{name}/run")
            ends = time.monotonic() + PATIENCE_SECS
            while not asked:
                assert time.monotonic() < ends
                time.sleep(0.02)
            time.sleep(0.2)
            answers = [service.http.get("/metrics").text, str(service.items())]
            for path in ("/sources", f"/sources/{name}/runs", "/ops", "/alerts", "/outbox/sent"):
                answers.append(service.http.get(f"{API}{path}", headers=service.admin).text)
            entries = service.do(
                audit.entries(service.newsroom.db, until=service.newsroom.now(), limit=100)
            )
            answers += [repr(each) for each in entries]
            answers.append(repr(service.newsroom.options))
    assert all(headers["x-api-key"] == KEY for _, headers in asked)
    assert not [path for path, _ in asked if KEY in path or "apikey" in path.lower()]
    assert not [each for each in answers if KEY in each]
    assert KEY not in logged(caplog)


def test_our_own_keys_come_back_in_no_answer_and_stand_in_no_log(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answers = [
        service.http.get(f"{API}{path}", headers=service.admin).text
        for path in ("/api-keys", "/ops", "/models", "/sources", "/outbox/sent", "/watch")
    ]
    answers.append(service.http.get(f"{API}/items?access_token={service.keys['admin']}").text)
    for key in service.keys.values():
        assert not [each for each in answers if key in each]
        assert key not in logged(caplog)


def test_ways_in_that_are_none(service: World) -> None:
    key = service.keys["admin"]
    for headers in (
        {"Authorization": f"Basic {key}"},
        {"Authorization": key},
        {"Authorization": f"Bearer {key[:-1]}"},
        {"Authorization": f"Bearer {key}x"},
        {"Cookie": f"session={key}"},
        {"X-Forwarded-User": "admin", "X-Remote-User": "admin"},
    ):
        answer = service.http.get(f"{API}/items", headers=headers)
        assert refused(answer) == (401, "UNAUTHENTICATED"), headers
        assert answer.headers["www-authenticate"]


# --- streams -------------------------------------------------------------------------------------


def test_streams_are_limited_and_nobody_else_suffers() -> None:
    """A hundred in a process, five of one person; places that are left are free again."""
    with world() as service, ExitStack() as stack:
        keys = [_key(service, f"viewer-{number}") for number in range(21)]
        lines = [stack.enter_context(_opened(service, keys[0])) for _ in range(5)]
        assert _status(service, keys[0]) == (429, "STREAM_LIMIT")
        for key in keys[1:20]:
            lines += [stack.enter_context(_opened(service, key)) for _ in range(5)]
        assert len(lines) == 100
        assert _status(service, keys[20]) == (429, "STREAM_LIMIT")
        assert service.http.get(f"{API}/overview", headers=service.admin).status_code == 200
        lines[0].close()
        ends = time.monotonic() + PATIENCE_SECS
        while True:
            try:
                stack.enter_context(_opened(service, keys[20]))
                break
            except AssertionError:
                assert time.monotonic() < ends
                time.sleep(0.05)


def _key(service: World, name: str) -> str:
    keys = service.service.runtime.auth.api_keys
    return service.do(keys.create(ADMIN, name=name, roles=["viewer"]))[1]


def _status(service: World, key: str) -> tuple[int, str]:
    answer = service.http.get(f"{API}/stream", headers={"X-API-Key": key})
    assert int(answer.headers["retry-after"]) > 0
    return refused(answer)


def _opened(service: World, key: str) -> socket.socket:
    """A stream that somebody has opened, and does not read."""
    place = urlsplit(service.service.url)
    line = socket.create_connection((place.hostname, place.port), timeout=PATIENCE_SECS)
    head = f"GET {API}/stream HTTP/1.1\r\nHost: {place.netloc}\r\nX-API-Key: {key}\r\n\r\n"
    line.sendall(head.encode())
    status = line.recv(100)
    assert b" 200 " in status, status
    return line


def test_all_roles_have_a_key(service: World) -> None:
    assert set(service.keys) == set(ROLES) == set(system.roles)
