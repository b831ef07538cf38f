"""The OpenAPI document of a system: its routes, and the problems that each of them can answer."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import RedirectResponse, Response

from tablewright import __version__
from tablewright.service.jsons import Json
from tablewright.service.problem_answers import PROBLEM_SCHEMA, complete, shared_answers
from tablewright.service.system import Reference, System

#: What the framework calls every answer that nobody has described.
_NAMELESS = "Successful Response"
#: The subjects that every system has.
_SUBJECTS = {
    "api-keys": "Keys for programs that act with a role.",
    "stream-token": "Tokens for streams of events, where no header can be sent.",
    "sessions": "Sessions of people in browsers, which an administrator can end.",
    "outbox": "Messages to the outside that were sent, or given up.",
}


def describe(app: FastAPI, system: System, reference: Reference, page: str | None = None) -> None:
    """Let the app document itself: ``openapi.json``, and ``docs`` leads to the page about it."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app, system, reference)
        return app.openapi_schema

    async def as_json() -> Response:
        # It takes a while the first time; others need not wait for it.
        return Json(app.openapi_schema or await asyncio.to_thread(openapi))

    async def docs() -> Response:
        return RedirectResponse(page or f"/{system.name}/openapi.json", 307)

    app.openapi = openapi  # type: ignore[method-assign]
    for path, answer in (("/openapi.json", as_json), ("/docs", docs)):
        app.add_api_route(path, answer, methods=["GET", "HEAD"], include_in_schema=False)


def document(app: FastAPI, system: System, reference: Reference) -> dict[str, object]:
    """The whole document."""
    made = get_openapi(
        title=system.title,
        version=__version__,
        summary=system.about,
        description=reference.about or system.about,
        routes=app.routes,
        servers=[{"url": f"/{system.name}"}],
    )
    components = made.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    tags: dict[str, None] = {}
    names: set[str] = set()
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            _complete(path, operation, schemas)
            operation["operationId"] = _name(operation, method, names)
            tags |= dict.fromkeys(operation["tags"])
    made["tags"] = _subjects(tags, reference)
    components["responses"] = shared_answers()
    components.setdefault("securitySchemes", {}).update(reference.schemes)
    schemas["Problem"] = PROBLEM_SCHEMA
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return made


def _complete(path: str, operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Every operation has a tag, a summary, and the problems that it can answer."""
    operation.setdefault("tags", [_subject(path)])
    if about := operation.get("description"):
        operation["summary"] = about.partition("\n")[0].rstrip(".")
    for answer in operation.setdefault("responses", {}).values():
        if answer.get("description") == _NAMELESS:
            answer["description"] = _described(answer, schemas) or "Done."
    complete(operation)


def _described(answer: dict[str, Any], schemas: dict[str, Any]) -> str:
    """What the schema of an answer says of itself."""
    schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("$ref", "").rpartition("/")[2]
    text: str = schemas.get(name, {}).get("description", "")
    return text.partition("\n\n")[0].replace("\n", " ")


def _subjects(tags: Collection[str], reference: Reference) -> list[dict[str, str]]:
    """The tags in the order to show them: as the system has them, then the others."""
    texts = {**reference.subjects, **_SUBJECTS}
    ordered = [*(tag for tag in texts if tag in tags), *(tag for tag in tags if tag not in texts)]
    return [
        {"name": tag, **({"description": texts[tag]} if tag in texts else {})} for tag in ordered
    ]


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
