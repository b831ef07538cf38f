"""Words for settings: what one may be, what is wrong with a value, what was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator
from typing import Any, get_args

from pydantic import SecretStr, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails


def _schema(info: FieldInfo) -> dict[str, Any]:
    try:
        return TypeAdapter(info.rebuild_annotation()).json_schema()
    except Exception:  # a type without a schema has no words of its own
        return {}


def _branches(info: FieldInfo) -> list[dict[str, Any]]:
    schema = _schema(info)
    branches: list[dict[str, Any]] = schema.get("anyOf", [schema])
    return branches


def shape(info: FieldInfo) -> set[str]:
    """The JSON types that a setting may have."""
    return {str(each.get("type")) for each in _branches(info)}


def is_secret(info: FieldInfo) -> bool:
    """Whether its value must not be shown."""
    kinds = (info.annotation, *get_args(info.annotation))
    return SecretStr in kinds


def allowed(info: FieldInfo) -> str:
    """What a setting may be, and what it is for."""
    words = [_words(each) for each in _branches(info) if each.get("type") != "null"]
    text = " or ".join(dict.fromkeys(word for word in words if word)) or "see the documentation"
    return f"{text} ({info.description})" if info.description else text


_PLAIN = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "array": "a list",
    "object": "a table",
}


def _words(schema: dict[str, Any]) -> str:
    """``a whole number from 0 to 65535``."""
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        return ", ".join(str(each) for each in schema["enum"])
    text = _PLAIN.get(str(schema.get("type")), "")
    return text + "".join(_bounds(schema))


def _bounds(schema: dict[str, Any]) -> Iterator[str]:
    for name, word in (
        ("minimum", "from"),
        ("exclusiveMinimum", "above"),
        ("maximum", "to"),
        ("exclusiveMaximum", "below"),
        ("minLength", "of at least"),
        ("maxLength", "of at most"),
        ("pattern", "like"),
    ):
        if name in schema:
            unit = " characters" if name.endswith("Length") else ""
            yield f" {word} {schema[name]}{unit}"


def message(error: ErrorDetails) -> str:
    """What is wrong, as part of a sentence."""
    if error["type"] == "value_error":
        return str(error.get("ctx", {}).get("error", error["msg"]))
    text = error["msg"]
    return text[:1].lower() + text[1:]


def shown(error: ErrorDetails, info: FieldInfo) -> str:
    """The value that was given."""
    return "(not shown)" if is_secret(info) else repr(error["input"])


def nearest(name: str, known: Collection[str]) -> str | None:
    """What a name is probably a misspelling of."""
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), None)


def advice(name: str, known: Collection[str], form: Callable[[str], str] = str) -> str:
    """What was probably meant, or else all that there is."""
    near = difflib.get_close_matches(name, known, 1, 0.6)
    names = ", ".join(form(each) for each in sorted(known))
    return f"did you mean {form(near[0])}?" if near else f"there are {names}"
