"""Bodies that a route reads by itself: how, and what the OpenAPI document says of them."""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import BaseModel
from starlette.requests import Request

from tablewright.service.handlers import malformed, unsupported


async def json_of(request: Request) -> object:
    """The body as JSON, whatever is in it; the problem 400 or 415 if it is none."""
    kind = request.headers.get("content-type")
    if kind is not None and "json" not in kind.partition(";")[0].lower():
        raise unsupported(("application/json",))
    try:
        return orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        raise malformed() from None


def takes(body: type[BaseModel]) -> dict[str, Any]:
    """For the route's ``openapi_extra``."""
    schema = body.model_json_schema(ref_template="{model}")
    parts = schema.pop("$defs", {})
    content = {"application/json": {"schema": _inlined(schema, parts)}}
    return {"requestBody": {"required": True, "content": content}}


def _inlined(schema: Any, parts: dict[str, Any]) -> Any:
    """A schema with its parts in their places."""
    if isinstance(schema, list):
        return [_inlined(each, parts) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(parts[schema["$ref"]], parts)
    return {name: _inlined(each, parts) for name, each in schema.items()}
