"""Errors that callers see: problem documents (RFC 9457) with an UPPER_SNAKE ``code``.

A use case raises :class:`Problem`; what the data layer raises is translated too, so that no route
has to (:mod:`tablewright.service.refusals`). Nothing that is not in the document ever reaches the
caller::

    HTTP/1.1 404 Not Found
    Content-Type: application/problem+json

    {"type": "urn:tablewright:problem:not-found", "title": "Not found", "status": 404,
     "detail": "There is no such organisation.", "code": "NOT_FOUND",
     "instance": "urn:tablewright:request:5f0c...", "request_id": "5f0c..."}

This module does not import the web framework: rules and use cases name problems too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

#: What problem documents are called in ``Content-Type``.
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with what was sent."""

    #: Where: ``body.quotas.premium``.
    field: str
    message: str


class Problem(Exception):
    """A request that is refused: what is wrong, and what to do about it.

    ``code`` is for programs and never changes; ``detail`` is for people.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, object] | None = None,
        leads_to: str = "",
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        #: Further members of the document.
        self.extra = dict(extra or {})
        #: The page where people do what is missing; programs read ``detail``.
        self.leads_to = leads_to


def not_found(what: str) -> Problem:
    """Also for what the caller may not know exists."""
    return Problem(404, "NOT_FOUND", f"There is no such {what}.")


def missing(detail: str, hint: str = "") -> Problem:
    """The same in a sentence of one's own, with what to do about it."""
    return Problem(404, "NOT_FOUND", detail, extra={"hint": hint} if hint else {})


def forbidden(detail: str = "Your role may not do this.") -> Problem:
    return Problem(403, "FORBIDDEN", detail)


def stale(code: str = "STALE_VERSION") -> Problem:
    """What was changed is not what its author has seen."""
    detail = "Somebody has changed it since you read it. Read it again and repeat your change."
    return Problem(412, code, detail)


def conflict(code: str, detail: str) -> Problem:
    """The state of things does not allow it."""
    return Problem(409, code, detail)


def invalid(*errors: FieldError) -> Problem:
    """What was sent can be read, and is wrong."""
    return Problem(422, "INVALID", _summary(errors), errors=errors)


def _summary(errors: Sequence[FieldError]) -> str:
    if len(errors) == 1:
        return f"{errors[0].field}: {errors[0].message}"
    return f"{len(errors)} values are not valid; see errors."


def told(problem: Problem) -> str:
    """What is wrong, where there is no form to say it at."""
    return " ".join(map(_sentence, problem.errors)) or problem.detail


def _sentence(error: FieldError) -> str:
    """``must not be empty`` is said of a field, which has to be named."""
    if not error.message[:1].islower():
        return error.message
    name = error.field.rpartition(".")[2].replace("_", " ").capitalize()
    return f"{name} {error.message.rstrip('.')}."


def document(problem: Problem, request_id: str = "") -> dict[str, object]:
    """The members of the document. What a problem adds cannot hide one of them."""
    members: dict[str, object] = {
        "type": f"urn:tablewright:problem:{problem.code.lower().replace('_', '-')}",
        "title": problem.code.replace("_", " ").capitalize(),
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
    }
    if request_id:
        members["instance"] = f"urn:tablewright:request:{request_id}"
        members["request_id"] = request_id
    if problem.errors:
        members["errors"] = [{"field": e.field, "message": e.message} for e in problem.errors]
    return members | {name: each for name, each in problem.extra.items() if name not in members}


def encode(problem: Problem, request_id: str = "") -> bytes:
    """The document as bytes."""
    return orjson.dumps(document(problem, request_id), default=str)


def to_response(problem: Problem, request: Request) -> Response:
    """The problem as an answer: a page for people, where there is a front, else a document."""
    from starlette.responses import Response

    from tablewright.service.exchange import request_id_of

    if (page := _page(problem, request)) is not None:
        return page
    body = encode(problem, request_id_of(request.scope))
    return Response(body, problem.status, problem.headers, MEDIA_TYPE)


def _page(problem: Problem, request: Request) -> Response | None:
    app = request.scope.get("app")
    front = getattr(getattr(app, "state", None), "problem_page", None)
    if front is None or "text/html" not in request.headers.get("accept", ""):
        return None
    page: Response | None = front(request, problem)
    return page


def install(app: FastAPI) -> None:
    """Answer with problem documents, whatever is raised in the app."""
    from tablewright.service.handlers import install as install_handlers

    install_handlers(app)
