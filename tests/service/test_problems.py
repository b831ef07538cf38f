"""Whatever goes wrong, callers get a problem document, and nothing that is not in it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
from tests.service.shelf import system
from tests.service.support import asgi, running

from tablewright.model import put
from tablewright.model.errors import (
    AlreadyExists,
    BatchIncomplete,
    CeilingReached,
    ConditionFailed,
    CredentialsError,
    CursorError,
    DataError,
    Failure,
    KeyValueError,
    MissingFields,
    NotFound,
    OutcomeUnknown,
    ServiceError,
    TablewrightError,
    Throttled,
    TransactionCancelled,
    Unavailable,
    UniqueViolation,
    VersionConflict,
)
from tablewright.service.problems import FieldError, Problem, document, invalid
from tablewright.service.refusals import problem_of
from tablewright.testing import Backend

NOTES = "/shelf/api/v1/shelves/x/notes"
JSON = {"content-type": "application/json"}


def ask(
    backend: Backend, work: Callable[[httpx2.AsyncClient], Awaitable[Any]], **settings: Any
) -> Any:
    async def main() -> Any:
        async with asgi(system, backend, **settings) as (client, _):
            return await work(client)

    return asyncio.run(main())


def answers(backend: Backend, method: str, path: str, **options: Any) -> httpx2.Response:
    answer: httpx2.Response = ask(backend, lambda client: client.request(method, path, **options))
    return answer


def check(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """That the answer is a whole problem document."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    members: dict[str, Any] = answer.json()
    assert (members["status"], members["code"]) == (status, code)
    assert members["type"] == f"urn:tablewright:problem:{code.lower().replace('_', '-')}"
    assert members["title"]
    assert members["detail"]
    assert members["request_id"] == answer.headers["x-request-id"]
    assert members["instance"].endswith(members["request_id"])
    return members


# --- what was sent is wrong ------------------------------------------------------------------


def test_values_that_are_not_valid(memory: Backend) -> None:
    body = {"note_id": "A!", "text": 3, "more": 1}
    members = check(answers(memory, "POST", NOTES, json=body), 422, "INVALID")
    assert [each["field"] for each in members["errors"]] == [
        "body.note_id",
        "body.text",
        "body.more",
    ]
    assert all(each["message"] for each in members["errors"])


def test_parameters_that_are_not_valid(memory: Backend) -> None:
    members = check(answers(memory, "GET", f"{NOTES}?limit=101"), 422, "INVALID")
    assert [each["field"] for each in members["errors"]] == ["query.limit"]
    assert "query.limit" in members["detail"]


def test_what_was_sent_is_not_repeated(memory: Backend) -> None:
    sent = {"note_id": "hunter2!", "hunter2": "hunter2"}
    members = check(answers(memory, "POST", NOTES, json=sent), 422, "INVALID")
    assert not any("hunter2" in each["message"] for each in members["errors"])


def test_a_thousand_errors_are_not_all_told(memory: Backend) -> None:
    sent = {"note_id": "a", **{f"x{number}": 1 for number in range(1000)}}
    members = check(answers(memory, "POST", NOTES, json=sent), 422, "INVALID")
    assert 10 < len(members["errors"]) <= 50


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"nope",
        b'{"note_id": "\xff"}',
        b"[" * 100_000,
        b'{"note_id": ' + b"1" * 5000 + b"}",
    ],
    ids=["cut", "empty", "word", "not-utf8", "deep", "digits"],
)
def test_bodies_that_are_not_json(memory: Backend, body: bytes) -> None:
    answer = answers(memory, "POST", NOTES, content=body, headers=JSON)
    if body == b"":
        assert check(answer, 422, "INVALID")["errors"][0]["field"] == "body"
    else:
        check(answer, 400, "MALFORMED")


@pytest.mark.parametrize(
    "body",
    [b'{"note_id": "\\ud800"}', b'{"note_id": NaN}', b"[]", b"null", b'"a"'],
    ids=["half-a-character", "nan", "list", "null", "text"],
)
def test_json_that_is_something_else(memory: Backend, body: bytes) -> None:
    answer = answers(memory, "POST", NOTES, content=body, headers=JSON)
    check(answer, 422, "INVALID")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "nonsense"])
def test_another_content_type(memory: Backend, kind: str) -> None:
    headers = {"content-type": kind}
    answer = answers(memory, "POST", NOTES, content=b"a=1", headers=headers)
    check(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert answer.headers["accept-post"] == "application/json"


def test_no_content_type(memory: Backend) -> None:
    answer = answers(memory, "POST", NOTES, content=b'{"note_id": "a"}')
    check(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.x+json"])
def test_names_of_json(memory: Backend, kind: str) -> None:
    headers = {"content-type": kind}
    body = b'{"note_id": "a"}'
    answer = answers(memory, "POST", NOTES, content=body, headers=headers)
    assert answer.status_code == 201


def test_json_for_a_form(memory: Backend) -> None:
    answer = answers(memory, "POST", "/shelf/api/v1/forms", json={"name": "x"})
    check(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
    assert "multipart/form-data" in answer.headers["accept-post"]
    answer = answers(memory, "POST", "/shelf/api/v1/forms", data={"other": "x"})
    check(answer, 422, "INVALID")


@pytest.mark.parametrize("path", ["/", "/nope", "/shelf/nope", "/shelf/api/v1/", f"{NOTES}/"])
def test_no_such_address(memory: Backend, path: str) -> None:
    check(answers(memory, "GET", path), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", NOTES, {"GET", "POST"}),
        ("POST", f"{NOTES}/a", {"GET", "PUT"}),
        ("OPTIONS", f"{NOTES}/a", {"GET", "PUT"}),
        ("POST", "/health", {"GET", "HEAD"}),
    ],
)
def test_another_method(memory: Backend, method: str, path: str, allowed: set[str]) -> None:
    answer = answers(memory, method, path)
    check(answer, 405, "METHOD_NOT_ALLOWED")
    assert set(answer.headers["allow"].split(", ")) == allowed


# --- what is raised inside --------------------------------------------------------------------


def test_problems_have_members_of_their_own(memory: Backend) -> None:
    answer = answers(memory, "GET", "/shelf/odd/raise/problem")
    members = check(answer, 418, "TEAPOT")
    # It tries to have another status too: the document's own members win.
    assert members["size"] == 2


def test_a_fault_tells_nothing_but_its_id(
    memory: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    answer = answers(memory, "GET", "/shelf/odd/raise/fault")
    check(answer, 500, "INTERNAL")
    assert "hunter2" not in answer.text
    [record] = [each for each in caplog.records if each.exc_info]
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], RuntimeError)


@pytest.mark.parametrize(
    ("what", "status", "code", "retry"),
    [
        ("stale", 412, "STALE_VERSION", None),
        ("throttled", 503, "STORE_UNAVAILABLE", "1"),
        ("unknown", 503, "STORE_UNAVAILABLE", "1"),
    ],
)
def test_what_the_database_refuses(
    memory: Backend, what: str, status: int, code: str, retry: str | None
) -> None:
    answer = answers(memory, "GET", f"/shelf/odd/raise/{what}")
    check(answer, status, code)
    assert answer.headers.get("retry-after") == retry
    assert "SHELF#x" not in answer.text


def test_cursors_and_keys_that_cannot_be(memory: Backend) -> None:
    check(answers(memory, "GET", f"{NOTES}?cursor=x"), 400, "BAD_CURSOR")
    path = f"/shelf/api/v1/shelves/{'x' * 3000}/notes"
    check(answers(memory, "GET", path), 400, "INVALID_VALUE")
    check(answers(memory, "GET", f"{NOTES}/nope"), 404, "NOT_FOUND")


def test_a_version_that_is_stale(memory: Backend) -> None:
    async def work(client: httpx2.AsyncClient) -> httpx2.Response:
        made = await client.post(NOTES, json={"note_id": "a"})
        headers = {"If-Match": str(made.json()["version"])}
        first = await client.put(f"{NOTES}/a", json={"note_id": "a"}, headers=headers)
        assert first.status_code == 200
        return await client.put(f"{NOTES}/a", json={"note_id": "a"}, headers=headers)

    check(ask(memory, work), 412, "STALE_VERSION")


_FAILED = [
    (VersionConflict("k"), 412, "STALE_VERSION"),
    (NotFound("k"), 404, "NOT_FOUND"),
    (AlreadyExists("k"), 409, "ALREADY_EXISTS"),
    (UniqueViolation("k", "mail", {}), 409, "ALREADY_EXISTS"),
    (ConditionFailed("k"), 409, "CONFLICT"),
    (CursorError("k"), 400, "BAD_CURSOR"),
    (KeyValueError("k"), 400, "INVALID_VALUE"),
    (Unavailable("k"), 503, "STORE_UNAVAILABLE"),
    (Throttled("k"), 503, "STORE_UNAVAILABLE"),
    (OutcomeUnknown("k"), 503, "STORE_UNAVAILABLE"),
    (BatchIncomplete("k", (), ()), 503, "STORE_UNAVAILABLE"),
    (CeilingReached("k"), 503, "STORE_UNAVAILABLE"),
    (CredentialsError("k"), 503, "STORE_UNAVAILABLE"),
    (ServiceError("ResourceNotFoundException", "k"), 503, "STORE_UNAVAILABLE"),
]


@pytest.mark.parametrize(("error", "status", "code"), _FAILED, ids=lambda each: str(each)[:24])
def test_every_refusal_has_its_problem(error: TablewrightError, status: int, code: str) -> None:
    problem = problem_of(error)
    assert problem is not None
    assert (problem.status, problem.code) == (status, code)


def test_mistakes_of_ours_are_faults() -> None:
    assert problem_of(DataError("k")) is None
    assert problem_of(MissingFields("k", ["a"])) is None


def test_a_cancelled_transaction_says_what_its_members_failed_for() -> None:
    def cancelled(*errors: TablewrightError) -> Problem | None:
        op = put  # which op it was does not matter
        failures = [Failure(n, op, "Code", error) for n, error in enumerate(errors)]
        return problem_of(TransactionCancelled("k", failures))

    found = cancelled(AlreadyExists("k"), VersionConflict("k"))
    assert found is not None
    assert found.code == "STALE_VERSION"
    found = cancelled(ConditionFailed("k"))
    assert found is not None
    assert found.code == "CONFLICT"
    found = cancelled()
    assert found is not None
    assert (found.status, found.code) == (503, "STORE_UNAVAILABLE")


def test_documents() -> None:
    problem = invalid(FieldError("body.a", "is wrong"), FieldError("body.b", "too"))
    made = document(problem, "r1")
    assert made["errors"] == [
        {"field": "body.a", "message": "is wrong"},
        {"field": "body.b", "message": "too"},
    ]
    assert "2 values" in str(made["detail"])
    assert "request_id" not in document(problem)


# --- behind a port -----------------------------------------------------------------------------


@contextmanager
def served(backend: Backend) -> Iterator[httpx2.Client]:
    with running(system, backend, workers=False) as service, service.client() as client:
        yield client


def test_an_answer_that_breaks_off_is_not_taken_for_a_whole_one(
    memory: Backend,
) -> None:
    with served(memory) as client:
        assert client.get("/shelf/odd/stream?lines=2").text == "0\n1\n"
        with pytest.raises(httpx2.RemoteProtocolError):
            client.get("/shelf/odd/stream?lines=2&fail=true")
        assert client.get("/health").status_code == 200


def test_nothing_a_caller_sends_is_a_500(memory: Backend) -> None:
    odd = ["%00", "%ff", "%F0%9F%98%80", "..%2f", "a" * 3000, "%0a", "'", "{x}", "%23"]
    with served(memory) as client:
        for word in odd:
            for path in (f"{NOTES}/{word}", f"/shelf/api/v1/shelves/{word}/notes", f"/{word}"):
                answer = client.get(path)
                assert answer.status_code in (200, 400, 404), (path, answer.text)
            answer = client.get(NOTES, params={"cursor": word, "limit": word})
            check(answer, 422, "INVALID")
