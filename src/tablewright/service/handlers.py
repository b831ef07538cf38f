"""Everything that can be raised while a request is answered, as a problem document.

The framework's own errors become problems with codes of ours. Texts are made from what was asked
for, never from what was sent: values may be secrets.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, params
from fastapi.exceptions import RequestValidationError
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from tablewright.model.errors import TablewrightError
from tablewright.service.exchange import log_fault
from tablewright.service.problems import FieldError, Problem, invalid, to_response
from tablewright.service.refusals import problem_of
from tablewright.service.routes import methods_at
from tablewright.service.validation_messages import describe_validation_error

#: More than these help nobody.
MOST_ERRORS = 50

_log = logging.getLogger(__name__)


def install(app: FastAPI) -> None:
    """Let the app answer with problem documents."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(TablewrightError, _store)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _fault)


def install_database_errors(app: FastAPI) -> None:
    """Answer errors of the data layer with the right status, in any FastAPI or Starlette app.

    A malformed id or cursor is 400, what is absent 404, a conflict 409, a version that has moved
    on 412, a busy or absent database 503; mistakes of the program stay 500.
    """
    app.add_exception_handler(TablewrightError, _store)


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return to_response(error, request)


async def _store(request: Request, error: Exception) -> Response:
    assert isinstance(error, TablewrightError)
    problem = problem_of(error)
    if problem is None:
        return await _fault(request, error)
    if problem.status >= 500:
        # No trace: there are many of these while it is busy, and all look alike.
        _log.warning("the database failed a request: %s: %s", error.code, error)
    return to_response(problem, request)


async def _gone(request: Request, error: Exception) -> Response:
    """The caller left before all was sent: nobody reads the answer, and it is no fault of ours."""
    return to_response(Problem(400, "MALFORMED", "The body broke off."), request)


async def _fault(request: Request, error: Exception) -> Response:
    log_fault(request.scope, error)
    return to_response(internal(), request)


def internal() -> Problem:
    """For what nobody thought of."""
    detail = "Something went wrong here. It is logged under this request id."
    return Problem(500, "INTERNAL", detail)


# --- what was sent is wrong ---------------------------------------------------------------


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return to_response(_refusal(request, error), request)


def _refusal(request: Request, error: RequestValidationError) -> Problem:
    found: Sequence[Any] = error.errors()
    if any(each["type"] == "json_invalid" for each in found):
        return malformed()
    wanted = _wanted_media(request)
    if wanted and any(each["loc"][:1] == ("body",) for each in found):
        given = request.headers.get("content-type", "")
        if _has_body(request.headers) and not _is_media(given, wanted):
            return unsupported(wanted)
    errors = [FieldError(_place(each["loc"]), _words(each)) for each in found[:MOST_ERRORS]]
    return invalid(*errors)


def malformed() -> Problem:
    return Problem(400, "MALFORMED", "The body is not JSON in UTF-8.")


def unsupported(wanted: Sequence[str]) -> Problem:
    """What was sent is written in something that is not read here."""
    names = " or ".join(wanted)
    headers = {"Accept-Post": ", ".join(wanted)}
    detail = f"Send it as {names} and say so in Content-Type."
    return Problem(415, "UNSUPPORTED_MEDIA_TYPE", detail, headers=headers)


def _wanted_media(request: Request) -> tuple[str, ...]:
    """What the route reads; nothing if it reads no body, or reads it by itself."""
    field = getattr(request.scope.get("route"), "body_field", None)
    if field is None:
        return ()
    if isinstance(field.field_info, params.File):
        return ("multipart/form-data",)
    if isinstance(field.field_info, params.Form):
        return ("application/x-www-form-urlencoded", "multipart/form-data")
    return ("application/json",)


def _is_media(given: str, wanted: Sequence[str]) -> bool:
    kind = given.split(";", 1)[0].strip().lower()
    as_json = "application/json" in wanted and kind.endswith("+json")
    return kind in wanted or as_json


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


def _place(parts: Sequence[object]) -> str:
    return ".".join(str(part) for part in parts)[:200]


def _words(error: Any) -> str:
    return describe_validation_error(error)[:500]


# --- what the framework refuses ------------------------------------------------------------

_CODES = {
    400: ("MALFORMED", "The request cannot be read."),
    401: ("UNAUTHENTICATED", "Say who you are."),
    403: ("FORBIDDEN", "Your role may not do this."),
    404: ("NOT_FOUND", "There is nothing at this address."),
    405: ("METHOD_NOT_ALLOWED", "This address does not take this method; see Allow."),
    413: ("TOO_LARGE", "The body is too large."),
    415: ("UNSUPPORTED_MEDIA_TYPE", "The body is not of a kind that is read here."),
}


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code < 400:
        return Response(status_code=error.status_code, headers=error.headers)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(methods_at(request)) or headers.get("Allow", "")
    phrase = _phrase(error.status_code)
    named = phrase.upper().replace(" ", "_").replace("-", "_")
    code, detail = _CODES.get(error.status_code, (named, f"{phrase}."))
    if error.detail not in (phrase, _BAD_BODY):
        detail = str(error.detail)
    return to_response(Problem(error.status_code, code, detail, headers=headers), request)


#: What the framework says of a body that it cannot read.
_BAD_BODY = "There was an error parsing the body"


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"
