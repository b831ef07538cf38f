"""What the OpenAPI document says of a body that a route reads by itself."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


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
