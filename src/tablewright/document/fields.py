"""Fields in words: their type, their limits, and what their author says about them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from datetime import datetime
from enum import Enum
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from tablewright.document.markdown import code, codes
from tablewright.model.definition import EntityDef
from tablewright.model.fields import FieldDef
from tablewright.model.types import Shaped, ShardMark, Stored, UlidMark, UuidMark, VersionMark

_FORMS = {
    "iso_seconds": "time `2026-11-15T12:00:00Z`",
    "iso_millis": "time `2026-11-15T12:00:00.000Z`",
    "iso_micros": "time `2026-11-15T12:00:00.000000Z`",
    "epoch_seconds": "time, seconds since 1970",
    "epoch_millis": "time, milliseconds since 1970",
}
_COMMENT = re.compile(r"\s*#:\s?(.*)")
_FIELD = re.compile(r"\s+(\w+)\s*:")


def type_text(field: FieldDef) -> str:
    """The type in DynamoDB, and what it means."""
    kind = field.storage.kind or "any"
    meaning = _meaning(field)
    return f"{kind}, {meaning}" if meaning else kind


def _meaning(field: FieldDef) -> str:
    core = field.annotation
    for mark in field.metadata:
        if isinstance(mark, UlidMark):
            return "ULID"
        if isinstance(mark, UuidMark):
            return "UUID"
        if isinstance(mark, VersionMark):
            return "version"
        if isinstance(mark, ShardMark):
            return "shard"
        if isinstance(mark, Stored):
            return _FORMS[mark.form]
    if core is datetime:
        return _FORMS["iso_micros"]
    return _inside(core)


def _inside(core: object) -> str:
    """What a container holds; plain types say enough by their kind."""
    if isinstance(core, type) and issubclass(core, BaseModel):
        return f"{core.__name__}: {codes(core.__pydantic_fields__)}"
    origin, arguments = get_origin(core), get_args(core)
    if origin in (list, tuple, set, frozenset) and arguments:
        inner = _name(arguments[0])
        return f"of {inner}" if inner else ""
    if origin is dict and len(arguments) == 2:
        inner = _name(arguments[1])
        return f"of {inner}" if inner else ""
    return ""


def _name(core: object) -> str:
    if get_origin(core) is typing.Annotated:
        return _name(get_args(core)[0])
    if get_origin(core) in (typing.Union, types.UnionType):
        names = [_name(each) for each in get_args(core) if each is not type(None)]
        return " or ".join(dict.fromkeys(each for each in names if each))
    if get_origin(core) is Literal:
        return "text"
    plain = {str: "text", int: "numbers", float: "numbers", bool: "yes or no", Any: ""}
    if core in plain:
        return plain[core]
    name = getattr(core, "__name__", "")
    return name if isinstance(core, type) else ""


def limits_text(field: FieldDef) -> str:
    """The values that are allowed, where not all are."""
    core = field.annotation
    if get_origin(core) is Literal:
        return codes(str(each) for each in get_args(core))
    if isinstance(core, type) and issubclass(core, Enum):
        return codes(str(each.value) for each in core)
    texts = [text for mark in field.metadata for text in _limits(mark)]
    return ", ".join(texts)


def _limits(mark: object) -> list[str]:
    signs = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<", "multiple_of": "multiple of"}
    found = [
        f"{sign} {_value(getattr(mark, name))}"
        for name, sign in signs.items()
        if getattr(mark, name, None) is not None
    ]
    least, most = getattr(mark, "min_length", None), getattr(mark, "max_length", None)
    if least is not None:
        found.append(f"length ≥ {least}")
    if most is not None:
        found.append(f"length ≤ {most}")
    places = getattr(mark, "decimal_places", None)
    if places is not None:
        found.append(f"{places} places")
    pattern = mark.pattern if isinstance(mark, Shaped) else getattr(mark, "pattern", None)
    if isinstance(pattern, str):
        found.append(code(pattern))
    return found


def _value(limit: object) -> str:
    return f"{limit:,}" if isinstance(limit, int) and not isinstance(limit, bool) else str(limit)


def descriptions(entity: EntityDef[Any]) -> dict[str, str]:
    """What is said about each field: by ``Field(description=...)``, or by a comment above it."""
    found: dict[str, str] = {}
    for base in reversed(entity.cls.__mro__):
        found |= _comments(base)
    for name, info in entity.cls.__pydantic_fields__.items():
        if info.description:
            found[name] = info.description
    return found


def _comments(cls: type) -> dict[str, str]:
    """Texts that begin with ``#:`` above a field, in the source of one class."""
    if cls.__module__.startswith(("pydantic", "tablewright.model", "builtins")):
        return {}
    try:
        lines = inspect.getsource(cls).splitlines()
    except (OSError, TypeError):
        return {}
    found: dict[str, str] = {}
    said: list[str] = []
    for line in lines:
        comment, field = _COMMENT.match(line), _FIELD.match(line)
        if comment:
            said.append(comment[1])
            continue
        if field and said:
            found[field[1]] = " ".join(said)
        said = []
    return found
