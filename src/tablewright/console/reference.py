"""A system's REST API as pages show it, from its OpenAPI document.

Pure: a document goes in, views come out. Schemas are flattened into rows, so that a reader sees
what to send without opening one definition after another.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Document = Mapping[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
#: Deeper than this, a row says what is there and no more.
DEPTH = 3
_PROBLEM = "application/problem+json"


@dataclass(frozen=True)
class FieldView:
    """A parameter, or a member of a body."""

    name: str
    type: str
    required: bool
    about: str
    #: Of parameters: path, query, header.
    place: str = ""


@dataclass(frozen=True)
class BodyView:
    """What is sent or answered in one media type."""

    media_type: str
    fields: tuple[FieldView, ...]
    example: str


@dataclass(frozen=True)
class ResponseView:
    """One answer."""

    status: str
    about: str
    bodies: tuple[BodyView, ...]


@dataclass(frozen=True)
class OperationView:
    """One route."""

    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[FieldView, ...]
    bodies: tuple[BodyView, ...]
    responses: tuple[ResponseView, ...]
    secured: bool
    curl: str

    @property
    def title(self) -> str:
        """What it does, in one line: its author's words, or else its name."""
        return self.about.partition("\n\n")[0] or self.summary


@dataclass(frozen=True)
class GroupView:
    """The routes about one subject."""

    name: str
    operations: tuple[OperationView, ...]


def groups(document: Document, base_url: str) -> list[GroupView]:
    """All operations by their tag, in the order of the document."""
    tags = [str(each["name"]) for each in document.get("tags", ())]
    found: dict[str, list[OperationView]] = {tag: [] for tag in tags}
    for path, item in document.get("paths", {}).items():
        for method in METHODS:
            if method in item:
                tag = (item[method].get("tags") or ["other"])[0]
                view = _operation(document, base_url, method, path, item[method])
                found.setdefault(tag, []).append(view)
    return [GroupView(tag, tuple(views)) for tag, views in found.items() if views]


def _operation(
    document: Document, base_url: str, method: str, path: str, given: Document
) -> OperationView:
    prefix = str((document.get("servers") or [{"url": ""}])[0]["url"])
    full = f"{prefix}{path}"
    bodies = _bodies(document, given.get("requestBody", {}).get("content", {}))
    secured = bool(given.get("security", document.get("security")))
    about = str(given.get("description", "")).strip()
    summary = str(given.get("summary", "")) or path
    return OperationView(
        id=str(given.get("operationId", f"{method}{path}")),
        method=method.upper(),
        path=full,
        summary=summary,
        about=about,
        parameters=tuple(_parameter(document, each) for each in given.get("parameters", ())),
        bodies=bodies,
        responses=tuple(_responses(document, given.get("responses", {}))),
        secured=secured,
        curl=_curl(method, f"{base_url}{full}", bodies, secured),
    )


def _parameter(document: Document, given: Document) -> FieldView:
    given = resolved(document, given)
    schema = given.get("schema", {})
    about = str(given.get("description", ""))
    required = bool(given.get("required"))
    place = str(given.get("in", ""))
    return FieldView(given["name"], type_text(document, schema), required, about, place)


def _responses(document: Document, given: Document) -> Iterator[ResponseView]:
    for status, each in given.items():
        response = resolved(document, each)
        content = response.get("content", {})
        # Every route answers problems alike; they are explained once.
        plain = {media: body for media, body in content.items() if media != _PROBLEM}
        about = str(response.get("description", ""))
        yield ResponseView(str(status), about, _bodies(document, plain))


def _bodies(document: Document, content: Document) -> tuple[BodyView, ...]:
    return tuple(
        BodyView(media, tuple(fields(document, body.get("schema", {}))), _example(document, body))
        for media, body in content.items()
    )


def _example(document: Document, body: Document) -> str:
    """The author's example, else one made from the schema."""
    given = body.get("example")
    schema = resolved(document, body.get("schema", {}))
    made = example(document, schema) if given is None else given
    return "" if made in (None, {}, []) else json.dumps(made, indent=2, ensure_ascii=False)


# --- schemas -------------------------------------------------------------------------------


def resolved(document: Document, schema: Document) -> Document:
    """What a reference leads to."""
    for _ in range(10):
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            break
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            found = found.get(part, {})
        schema = found
    return schema


def fields(
    document: Document, schema: Document, before: str = "", depth: int = 0
) -> list[FieldView]:
    """The members of an object, and below each those of the objects in it."""
    schema = _object_in(document, schema)
    required = set(schema.get("required", ()))
    rows: list[FieldView] = []
    for name, each in schema.get("properties", {}).items():
        place = f"{before}{name}"
        about = str(each.get("description", "") or resolved(document, each).get("description", ""))
        rows.append(FieldView(place, type_text(document, each), name in required, about))
        if depth < DEPTH:
            mark = "[]." if _is_list(document, each) else "."
            rows += fields(document, each, f"{place}{mark}", depth + 1)
    return rows


def _object_in(document: Document, schema: Document) -> Document:
    """The object that a schema is, or is a list of, or may be."""
    schema = resolved(document, schema)
    if schema.get("type") == "array":
        return _object_in(document, schema.get("items", {}))
    for each in _choices(schema):
        if "properties" in (found := resolved(document, each)):
            return found
    return schema


def _is_list(document: Document, schema: Document) -> bool:
    schema = resolved(document, schema)
    return schema.get("type") == "array" or any(
        resolved(document, each).get("type") == "array" for each in _choices(schema)
    )


def _choices(schema: Document) -> Sequence[Document]:
    found: Sequence[Document] = (
        schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf", ())
    )
    return found


def type_text(document: Document, schema: Document) -> str:
    """A type in a few words: ``list of string (uuid)``, ``integer 1 to 100``."""
    schema = resolved(document, schema)
    if choices := _choices(schema):
        return " or ".join(dict.fromkeys(type_text(document, each) for each in choices))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(each) for each in schema["enum"])
    kind = schema.get("type", "any")
    if kind == "array":
        return f"list of {type_text(document, schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), Mapping):
        return f"map to {type_text(document, schema['additionalProperties'])}"
    form = f" ({schema['format']})" if "format" in schema else ""
    return f"{kind}{form}{_bounds(schema)}"


def _bounds(schema: Document) -> str:
    least = schema.get("minimum", schema.get("minLength"))
    most = schema.get("maximum", schema.get("maxLength"))
    if least is not None and most is not None:
        return f" {least} to {most}"
    if most is not None:
        return f" up to {most}"
    return f" from {least}" if least is not None else ""


_FORMATS = {
    "uuid": "550e8400-e29b-41d4-a716-446655440000",
    "date-time": "2026-11-15T12:00:00Z",
    "date": "2026-11-15",
    "uri": "https://example.org",
    "email": "ada@example.org",
}


def example(document: Document, schema: Document, depth: int = 0) -> object:
    """Something that fits a schema, for people to change."""
    schema = resolved(document, schema)
    for name in ("example", "default", "const"):
        if schema.get(name) is not None:
            return schema[name]
    for name in ("examples", "enum"):
        if schema.get(name):
            return schema[name][0]
    if choices := _choices(schema):
        return example(document, choices[0], depth)
    return _example_of_type(document, schema, depth)


def _example_of_type(document: Document, schema: Document, depth: int) -> object:
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        if depth > DEPTH:
            return {}
        required = schema.get("required") or list(schema.get("properties", {}))
        members = schema.get("properties", {})
        return {
            name: example(document, members[name], depth + 1)
            for name in required
            if name in members
        }
    if kind == "array":
        return [example(document, schema.get("items", {}), depth + 1)] if depth <= DEPTH else []
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    if kind == "boolean":
        return True
    return _FORMATS.get(str(schema.get("format")), "text") if kind == "string" else None


# --- a command to copy ---------------------------------------------------------------------


def _curl(method: str, url: str, bodies: Sequence[BodyView], secured: bool) -> str:
    parts = ["curl" if method == "get" else f"curl -X {method.upper()}", shlex.quote(url)]
    if secured:
        parts.append('-H "Authorization: Bearer $TOKEN"')
    as_json = next((each for each in bodies if each.media_type == "application/json"), None)
    if as_json is not None:
        body = json.dumps(json.loads(as_json.example)) if as_json.example else "{}"
        parts += ["-H 'Content-Type: application/json'", f"-d {shlex.quote(body)}"]
    return " \\\n  ".join(parts)
