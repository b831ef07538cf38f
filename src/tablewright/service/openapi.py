"""The OpenAPI document of a system: its routes, and the problems that each of them can answer."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import RedirectResponse, Response

from tablewright import __version__
from tablewright.service.jsons import Json
from tablewright.service.problems import MEDIA_TYPE
from tablewright.service.system import System

_TEXT = {"type": "string"}

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
        "detail": _TEXT,
        "code": {**_TEXT, "pattern": "^[A-Z][A-Z0-9_]*$"},
        "instance": {**_TEXT, "format": "uri"},
        "request_id": _TEXT,
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "message"],
                "properties": {"field": _TEXT, "message": _TEXT},
            },
        },
    },
    "additionalProperties": True,
}

_PROBLEM = {
    "description": "It cannot be done; the document says why.",
    "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def describe(app: FastAPI, system: System, reference: str | None = None) -> None:
    """Let the app document itself: ``openapi.json``, and ``docs`` leads to the page about it."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app, system)
        return app.openapi_schema

    async def as_json() -> Response:
        # It takes a while the first time; others need not wait for it.
        return Json(app.openapi_schema or await asyncio.to_thread(openapi))

    async def docs() -> Response:
        return RedirectResponse(reference or f"/{system.name}/openapi.json", 307)

    app.openapi = openapi  # type: ignore[method-assign]
    for path, answer in (("/openapi.json", as_json), ("/docs", docs)):
        app.add_api_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False)


def document(app: FastAPI, system: System) -> dict[str, Any]:
    """The whole document."""
    made = get_openapi(
        title=system.title,
        version=__version__,
        description=system.about,
        routes=app.routes,
        servers=[{"url": f"/{system.name}"}],
    )
    tags: set[str] = set()
    names: set[str] = set()
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            _complete(path, operation)
            operation["operationId"] = _name(operation, method, names)
            tags.update(operation["tags"])
    made["tags"] = [{"name": tag} for tag in sorted(tags)]
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = PROBLEM_SCHEMA
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return made


def _complete(path: str, operation: dict[str, Any]) -> None:
    """Every operation has a tag and the problems; the framework's own errors never come."""
    responses = operation.setdefault("responses", {})
    if "HTTPValidationError" in str(responses.get("422")):
        del responses["422"]
    responses.setdefault("default", _PROBLEM)
    operation.setdefault("tags", [_subject(path)])


def _name(operation: dict[str, Any], method: str, taken: set[str]) -> str:
    """The name of the function that answers, and more of it where two have the same."""
    plain: str = operation["operationId"]
    subject = operation["tags"][0].replace("-", "_")
    choices = (plain, f"{subject}_{plain}", f"{subject}_{plain}_{method}")
    name = next((each for each in choices if each not in taken), f"{plain}_{len(taken)}")
    taken.add(name)
    return name


def _subject(path: str) -> str:
    """``/api/v1/orgs/{org_id}`` is about orgs."""
    words = [word for word in path.split("/") if word and not word.startswith("{")]
    plain = [word for word in words if word != "api" and not word[1:].isdigit()]
    return plain[0] if plain else "other"
