"""What gets into the log, and above all what does not."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.service.shelf import system
from tests.service.support import running
from tests.service.test_problems import NOTES

from tablewright.model.errors import OutcomeUnknown, Throttled, Unavailable
from tablewright.service import logs
from tablewright.service.exchange import request_id
from tablewright.service.settings import Settings
from tablewright.testing import Backend

TOKEN = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl"
KEY = "twk_0123456789_abcdefgh"


class Log(io.StringIO):
    """The lines that were written."""

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.getvalue().splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    written = Log()
    logs.configure(Settings(log_format="json"), written)
    yield written
    root.handlers[:], root.level = before


def one(log: Log) -> dict[str, Any]:
    [line] = log.lines
    return line


# --- lines -----------------------------------------------------------------------------------


def test_a_line(log: Log) -> None:
    token = request_id.set("r1")
    logging.getLogger("some.module").warning("folded %d", 3, extra={"records": 12, "deep": [1]})
    request_id.reset(token)
    line = one(log)
    assert line.pop("at").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "some.module",
        "event": "folded 3",
        "request_id": "r1",
        "records": 12,
        "deep": [1],
    }


def test_a_trace(log: Log) -> None:
    try:
        raise ValueError("no")
    except ValueError:
        logging.getLogger("x").exception("it failed")
    line = one(log)
    assert line["error"] == "ValueError"
    assert "test_logs.py" in line["trace"]


@pytest.mark.parametrize(
    "error",
    [
        Unavailable("nobody answers"),
        OutcomeUnknown("the answer was lost"),
        ExceptionGroup("several", [Throttled("nobody answers"), Unavailable("nobody")]),
    ],
)
def test_a_store_that_is_away_leaves_no_trace(log: Log, error: Exception) -> None:
    try:
        raise error
    except Exception:
        logging.getLogger("x").exception("it failed")
    line = one(log)
    assert "trace" not in line
    assert line["error"] in ("Unavailable", "OutcomeUnknown", "ExceptionGroup")
    assert line["reason"] in ("nobody answers", "the answer was lost")


def test_a_mistake_beside_a_store_that_is_away_leaves_one(log: Log) -> None:
    try:
        raise ExceptionGroup("several", [Unavailable("nobody answers"), ValueError("no")])
    except ExceptionGroup:
        logging.getLogger("x").exception("it failed")
    assert "ValueError" in one(log)["trace"]


def test_a_line_is_one_line(log: Log) -> None:
    logging.getLogger("x").warning("a\nb", extra={"c": "d\ne", "odd": object(), "set": {1}})
    assert log.getvalue().count("\n") == 1
    assert one(log)["event"] == "a\nb"


def test_values_cannot_take_the_place_of_what_a_line_says(log: Log) -> None:
    logging.getLogger("x").warning("event", extra={"level": "none", "at": "never"})
    assert one(log)["level"] == "warning"
    assert one(log)["at"] != "never"


def test_the_least_that_is_logged() -> None:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    written = Log()
    try:
        logs.configure(Settings(log_format="json", log_level="error"), written)
        logging.getLogger("x").warning("w")
        logging.getLogger("x").error("e")
    finally:
        root.handlers[:], root.level = before
    assert [line["event"] for line in written.lines] == ["e"]


def test_text_for_people() -> None:
    record = logging.makeLogRecord({"msg": "hello", "levelname": "INFO", "count": 3})
    text = logs.TextLines().format(record)
    assert text.endswith("info hello count=3")
    record = logging.makeLogRecord({"msg": "password=hunter2", "levelname": "INFO"})
    assert "hunter2" not in logs.TextLines().format(record)


def test_a_text_for_people_is_one_line_too() -> None:
    forged = "a\r\n12:00:00.000 info all is well \x1b[31m\x7f\x85\u2028é"
    record = logging.makeLogRecord({"msg": "%s", "args": (forged,), "levelname": "INFO"})
    record.name_given = forged
    text = logs.TextLines().format(record)
    told = r"a\r\n12:00:00.000 info all is well \x1b[31m\x7f\x85\u2028é"
    assert text.endswith(f"info {told} name_given={told}")


def test_a_trace_for_people_has_its_lines_and_steers_no_terminal() -> None:
    try:
        raise ValueError("odd \x1b[2J")
    except ValueError as error:
        info = (type(error), error, error.__traceback__)
    record = logging.makeLogRecord({"msg": "failed", "levelname": "ERROR", "exc_info": info})
    first, *rest = logs.TextLines().format(record).split("\n")
    assert first.endswith("error failed")
    assert rest[0].startswith("Traceback")
    assert rest[-1] == r"ValueError: odd \x1b[2J"


# --- what must not be there --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "Authorization",
        "client_secret",
        "secret",
        "access_token",
        "refreshToken",
        "password",
        "set-cookie",
        "cookie",
        "email",
        "user_email",
        "api_key",
        "x-api-key",
        "csrf_token",
        "phone_number",
        "ip",
        "client_ip",
        "user_agent",
        "session_id",
        "credentials",
    ],
)
def test_values_under_these_names(log: Log, name: str) -> None:
    logging.getLogger("x").warning("e", extra={name: "hunter2", "inside": {name: "hunter2"}})
    assert "hunter2" not in log.getvalue()


@pytest.mark.parametrize("name", ["records", "pattern", "description", "zip", "recipe", "ms"])
def test_values_under_other_names(log: Log, name: str) -> None:
    logging.getLogger("x").warning("e", extra={name: "kept"})
    assert one(log)[name] == "kept"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        (f"got {TOKEN}", TOKEN),
        (f"key {KEY} is old", KEY),
        ("Authorization: Bearer abcdefgh12345", "abcdefgh12345"),
        ("Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("mail to ann.b+c@mail.example.org failed", "ann.b+c@mail.example.org"),
        ("smtp://ann:hunter2@mail.example.org", "hunter2"),
        ("$2b$12$abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstuv"),
        ("h1$k1$00ff00ff", "00ff00ff"),
        ("password='hunter2'", "hunter2"),
        ("{'client_secret': 'hunter2', 'a': 1}", "hunter2"),
        ('{"refresh_token": "hunter\\"2"}', 'hunter\\"2'),
        ("token=hunter2&x=1", "hunter2"),
    ],
)
def test_texts_that_look_like_it(log: Log, text: str, hidden: str) -> None:
    logging.getLogger("x").warning("%s", text, extra={"note": [text]})
    assert hidden not in log.getvalue()
    try:
        raise RuntimeError(text)
    except RuntimeError:
        logging.getLogger("x").exception("failed")
    assert hidden not in log.getvalue()


def test_what_pydantic_was_given(log: Log) -> None:
    class Login(BaseModel):
        name: int

    given = {"name": " ".join(("Ann", "Example"))}
    try:
        Login.model_validate(given)
    except ValueError:
        logging.getLogger("x").exception("not valid")
    assert "Ann Example" not in log.getvalue()
    assert "input_type=str" in one(log)["trace"]


@given(st.text(max_size=200))
def test_blotting_out_takes_any_text(text: str) -> None:
    assert isinstance(logs.scrub(text), str)


def test_blotting_out_is_quick_for_evil_texts() -> None:
    for evil in (
        "a" * 50_000,
        "a." * 10_000,
        "a@" * 9_000,
        "token" * 5_000,
        "eyJ." * 7_000,
        "input_value=" * 999,
    ):
        started = time.perf_counter()
        logs.scrub(evil)
        assert time.perf_counter() - started < 1, evil[:10]


# --- the lines of requests -----------------------------------------------------------------------


def test_requests(log: Log, memory: Backend) -> None:
    private = {
        "Authorization": f"Bearer {TOKEN}",
        "X-API-Key": KEY,
        "Cookie": "tablewright-8080=hunter2",
        "User-Agent": "Ann's browser",
        "X-Request-ID": "mine",
    }
    with running(system, memory, workers=False) as service, service.client() as client:
        client.post(NOTES, json={"note_id": "annexample"})
        client.get(f"{NOTES}/annexample?token=hunter2", headers=private)
        client.get("/of/ann@example.org/hunter2")
        client.get("/shelf/of/ann@example.org/hunter2")
        client.get("/shelf/api/v1/secret", headers=private)
        client.get("/shelf/odd/raise/fault")
        client.get("/shelf/openapi.json")
    lines = [line for line in log.lines if line["event"] == "request"]
    told = [(line["method"], line["route"], line["status"]) for line in lines]
    notes = "/shelf/api/v1/shelves/{shelf}/notes"
    assert told == [
        ("POST", notes, 201),
        ("GET", f"{notes}/{{note_id}}", 200),
        ("GET", "(none)", 404),
        ("GET", "(none)", 404),
        ("GET", "/shelf/api/v1/secret", 401),
        ("GET", "/shelf/odd/raise/{what}", 500),
        ("GET", "/shelf/openapi.json", 200),
    ]
    assert lines[1]["request_id"] == "mine"
    assert all(line["ms"] > 0 for line in lines)
    assert set(lines[0]) == {
        *("at", "level", "logger", "event", "request_id", "method", "route", "status", "ms"),
    }
    for private_text in (
        TOKEN,
        KEY,
        "hunter2",
        "annexample",
        "ann@example.org",
        "127.0.0.1",
        "Ann",
    ):
        assert private_text not in log.getvalue(), private_text
    [fault] = [line for line in log.lines if "trace" in line]
    assert fault["request_id"] == lines[5]["request_id"]


def test_an_answer_that_broke_off_is_logged_once(log: Log, memory: Backend) -> None:
    with running(system, memory, workers=False) as service, service.client() as client:
        with pytest.raises(Exception, match="incomplete"):
            client.get("/shelf/odd/stream?lines=1&fail=true")
    assert len([line for line in log.lines if "trace" in line]) == 1
