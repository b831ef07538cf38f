"""The problems that operations answer, as their OpenAPI document shows them.

A route says which refusals are its own: ``responses=refusals(404, {409: "`LIMIT`: no room."})``.
Those that follow from what an operation is (it has a body, a cursor, callers who prove who they
are) are added here, and all of them get the schema and the headers of problems.
"""

from __future__ import annotations

from collections.abc import Mapping
from http.client import responses
from typing import Any, NamedTuple, TypeAlias

from tablewright.service.problems import MEDIA_TYPE

#: What FastAPI takes as ``responses``.
Responses: TypeAlias = dict[int | str, dict[str, Any]]
Operation: TypeAlias = dict[str, Any]

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 0}

#: What every problem document has.
PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "description": "An error, as RFC 9457 has it. `code` is for programs and never changes.",
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {**_TEXT, "format": "uri"},
        "title": _TEXT,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {**_TEXT, "description": "What is wrong, for people."},
        "code": {**_TEXT, "pattern": "^[A-Z][A-Z0-9_]*$"},
        "instance": {**_TEXT, "format": "uri"},
        "request_id": {**_TEXT, "description": "What the log knows the request by."},
        "errors": {
            "description": "Each value that is wrong, and why.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": _TEXT, "message": _TEXT},
            },
        },
    },
    "additionalProperties": True,
    "examples": [
        {
            "type": "urn:tablewright:problem:not-found",
            "title": "Not found",
            "status": 404,
            "detail": "There is no such organisation.",
            "code": "NOT_FOUND",
            "instance": "urn:tablewright:request:5f0c1b7ea4d29c60",
            "request_id": "5f0c1b7ea4d29c60",
        }
    ],
}

_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds after which it is worth trying again.",
        "required": True,
        "schema": _COUNT,
    }
}
_AUTHENTICATE = {
    "WWW-Authenticate": {
        "description": "How to prove who is calling.",
        "required": True,
        "schema": _TEXT,
    }
}

#: Of answers that count towards a rate limit.
LIMITED: dict[str, Any] = {
    "RateLimit-Limit": {
        "description": "How many requests of this kind a caller may make at once.",
        "required": True,
        "schema": _COUNT,
    },
    "RateLimit-Remaining": {
        "description": "How many are left.",
        "required": True,
        "schema": _COUNT,
    },
    "RateLimit-Reset": {
        "description": "Seconds until all of them are there again.",
        "required": True,
        "schema": _COUNT,
    },
    "RateLimit-Policy": {
        "description": "The limit, its window, and whether this process or all share it.",
        "required": True,
        "schema": _TEXT,
    },
}


class _Meaning(NamedTuple):
    """What a status means, where a route says no more about it."""

    name: str
    text: str
    headers: Mapping[str, Any] = {}


_MEANINGS = {
    400: _Meaning("BadRequest", "What was sent cannot be read; `code` says which part of it."),
    401: _Meaning("Unauthenticated", "Who is calling is not said, or not proved.", _AUTHENTICATE),
    403: _Meaning("Forbidden", "`FORBIDDEN`: the caller may not do this."),
    404: _Meaning("NotFound", "`NOT_FOUND`: there is none, or the caller may not know of it."),
    409: _Meaning("Conflict", "The state of things does not allow it."),
    412: _Meaning("Stale", "`STALE_VERSION`: somebody has changed it since you read it."),
    413: _Meaning("TooLarge", "`TOO_LARGE`: the body is too large."),
    415: _Meaning("UnsupportedMediaType", "`UNSUPPORTED_MEDIA_TYPE`: such bodies are not read."),
    422: _Meaning("Invalid", "`INVALID`: it can be read, and is wrong; `errors` says where."),
    428: _Meaning("PreconditionRequired", "`PRECONDITION_REQUIRED`: say which version you know."),
    429: _Meaning("RateLimited", "`RATE_LIMITED`: too many requests of this kind.", _RETRY_AFTER),
    503: _Meaning(
        "Unavailable", "`STORE_UNAVAILABLE`, `STORE_BUSY`, `BUSY`: try again soon.", _RETRY_AFTER
    ),
}
#: What the framework says where a value is not valid; its schema for it never comes.
_FRAMEWORKS = "Validation Error"
_ALWAYS: tuple[int, ...] = (503,)
_SECURED = (401, 403, 429)
_WITH_BODY = (400, 413, 415)
_OF_PARAMETERS = {"cursor": (400,), "Idempotency-Key": (400, 409, 422)}


def refusals(*told: int | Mapping[int, str]) -> Responses:
    """The ``responses`` of a route: statuses, and those that have words of their own."""
    found: Responses = {}
    for each in told:
        texts = {each: ""} if isinstance(each, int) else each
        found |= {status: {"description": text} for status, text in texts.items()}
    return found


def complete(operation: Operation) -> None:
    """Add what the operation answers besides, and how it looks."""
    answers: dict[str, Any] = operation["responses"]
    for status in _follows(operation):
        answers.setdefault(str(status), {"description": ""})
    for key, answer in answers.items():
        if key.isdigit() and int(key) >= 400:
            answers[key] = _problem(int(key), answer)
    answers.setdefault("default", {"description": "Any other problem.", "content": _content()})
    operation["responses"] = dict(sorted(answers.items()))


def _follows(operation: Operation) -> tuple[int, ...]:
    """The statuses that follow from what an operation is."""
    found = _ALWAYS
    if operation.get("security"):
        found += _SECURED
    if "requestBody" in operation:
        found += _WITH_BODY
    for parameter in operation.get("parameters", ()):
        found += _OF_PARAMETERS.get(parameter["name"], ())
    return found


def _problem(status: int, answer: Mapping[str, Any]) -> dict[str, Any]:
    meaning = _MEANINGS.get(status)
    text = answer["description"]
    if meaning is not None and text in ("", responses.get(status), _FRAMEWORKS):
        return {"$ref": f"#/components/responses/{meaning.name}"}
    own = answer.get("headers", {})
    headers = {**(meaning.headers if meaning else {}), **own}
    more = {"headers": headers} if headers else {}
    return {"description": text, **more, "content": answer.get("content") or _content()}


def _content() -> dict[str, Any]:
    return {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}


def shared_answers() -> dict[str, object]:
    """The component ``responses`` of a document."""
    return {
        meaning.name: {
            "description": meaning.text,
            **({"headers": dict(meaning.headers)} if meaning.headers else {}),
            "content": _content(),
        }
        for meaning in _MEANINGS.values()
    }
