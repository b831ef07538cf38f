"""Values of a model as JSON that people can read and edit, and back as far as types are known.

Bytes are ``{"base64": "…"}``, exact numbers are texts, and a mapping whose keys are no texts is a
list of pairs; :mod:`arguments` reads all of it again.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum

from pydantic import BaseModel, TypeAdapter
from pydantic_core import PydanticUndefined

#: More than anybody reads; a page of a query may have a megabyte.
MOST_TEXT = 60_000

_MOST_CELL = 90
_BYTES = "base64"
_SPAN = TypeAdapter(timedelta)


def jsonable(value: object) -> object:
    """``value`` made of what JSON has."""
    if isinstance(value, Enum):
        return jsonable(value.value)
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes | bytearray):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, datetime | date | timedelta | Decimal):
        return _text(value)
    if (named := members(value)) is not None:
        return {name: jsonable(each) for name, each in named.items()}
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, set | frozenset):
        return sorted(map(jsonable, value), key=str)
    return [jsonable(each) for each in value] if isinstance(value, Iterable) else str(value)


def members(value: object) -> dict[str, object] | None:
    """The parts of something that has parts with names; those that say nothing are left out."""
    if isinstance(value, BaseModel):
        return {name: getattr(value, name) for name in _telling(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return dict(value._asdict())
    return None


def as_text(value: object, most: int = MOST_TEXT) -> str:
    """JSON with line breaks, cut where nobody would read on."""
    text = json.dumps(jsonable(value), indent=2, ensure_ascii=False)
    if len(text) <= most:
        return text
    return f"{text[:most]}\n… {len(text) - most:,} more characters"


def in_a_cell(value: object) -> str:
    """A value in a line of a table; the rest is in its JSON."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(jsonable(value), ensure_ascii=False)
    return text if len(text) <= _MOST_CELL else f"{text[: _MOST_CELL - 1]}…"


def parsed(text: str) -> object:
    """JSON as Python has it, with exact numbers; ValueError says where it is wrong."""
    try:
        found: object = json.loads(text, object_hook=_bytes_back, parse_float=Decimal)
        json.dumps(found, ensure_ascii=False, default=str).encode()
        return found
    except UnicodeEncodeError:
        raise ValueError("A text in it has half of a character: \\ud800 and the like.") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ValueError(f"This is not JSON: {error.msg} in {place}.") from None
    except RecursionError:
        raise ValueError("This JSON is nested too deeply.") from None


def _text(value: datetime | date | timedelta | Decimal) -> object:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return value.isoformat()
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, timedelta):
        return _SPAN.dump_python(value, mode="json")
    return str(value)


def _telling(value: BaseModel) -> Iterable[str]:
    for name, known in type(value).model_fields.items():
        empty = known.default is None and known.default is not PydanticUndefined
        if not (empty and getattr(value, name) is None):
            yield name


def _mapping(value: Mapping[object, object]) -> object:
    if all(isinstance(key, str) for key in value):
        return {str(key): jsonable(each) for key, each in value.items()}
    return [[jsonable(key), jsonable(each)] for key, each in value.items()]


def _bytes_back(found: dict[str, object]) -> object:
    coded = found.get(_BYTES)
    if len(found) != 1 or not isinstance(coded, str):
        return found
    try:
        return base64.b64decode(coded, validate=True)
    except ValueError:
        raise ValueError(f"{coded!r} is not base64.") from None
