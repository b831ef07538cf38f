"""What somebody typed into the form of a pattern, as its arguments.

Each text becomes a value of its parameter's type, by Pydantic; what is wrong is said of the field
that it stands in.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import AfterValidator, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError

from tablewright.console.explorer.jsonable import parsed
from tablewright.console.explorer.parameters import ParameterField
from tablewright.model.entity import Entity
from tablewright.service.problems import FieldError, invalid

#: Of one field; a whole entity has at most 400 KB.
MOST_TYPED = 500_000

_MANY = (Iterable, Collection, Sequence, Iterator)
_MAPPINGS = (dict, Mapping, MutableMapping)


class Wrong(Exception):
    """What is wrong with one field; each text is one thing."""

    def __init__(self, *texts: str) -> None:
        super().__init__(*texts)
        self.texts = texts


def read_arguments(
    fields: Sequence[ParameterField],
    typed: Mapping[str, str],
    entities: Sequence[type[Entity]],
) -> dict[str, object]:
    """The arguments, or the problem 422 that names every field that is wrong."""
    found: dict[str, object] = {}
    errors: list[FieldError] = []
    for field in fields:
        try:
            found[field.name] = read_argument(field, typed.get(field.name, ""), entities)
        except Wrong as wrong:
            errors += (FieldError(field.name, text) for text in wrong.texts)
    if errors:
        raise invalid(*errors)
    return found


def read_argument(field: ParameterField, text: str, entities: Sequence[type[Entity]]) -> object:
    """One argument."""
    if len(text) > MOST_TYPED:
        raise Wrong(f"This is too long: {MOST_TYPED:,} characters are the most.")
    if field.kind == "switch":
        return text == "yes"
    if not text.strip():
        return _left_out(field)
    if field.kind == "choice":
        return _chosen(field, text)
    return _validated(field, text, entities)


def _left_out(field: ParameterField) -> object:
    if field.nullable:
        return None
    if field.default is inspect.Parameter.empty:
        raise Wrong("A value is needed.")
    return field.default


def _chosen(field: ParameterField, text: str) -> object:
    if text not in field.choices:
        raise Wrong(f"Choose one of {', '.join(field.choices)}.")
    return field.choices[text]


def _validated(field: ParameterField, text: str, entities: Sequence[type[Entity]]) -> object:
    try:
        raw = _raw(field, text)
        adapter: TypeAdapter[Any] = TypeAdapter(readable(field.annotation, entities))
        return adapter.validate_python(raw)
    except ValidationError as error:
        raise Wrong(*_told(error)) from None
    except PydanticUserError:
        raise Wrong(f"A {field.type} cannot be written here; call the pattern in Python.") from None
    except (ValueError, RecursionError) as error:
        raise Wrong(str(error)) from None


def _raw(field: ParameterField, text: str) -> object:
    if field.kind == "json":
        return parsed(text)
    if field.kind == "moment":
        return f"{text}Z" if _has_no_zone(text) else text
    return text if field.kind == "text" else text.strip()


def _has_no_zone(text: str) -> bool:
    clock = text.partition("T")[2]
    return bool(clock) and not any(sign in clock for sign in "Zz+-")


def _told(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in each["loc"])
        message = each["msg"].removeprefix("Value error, ")
        told = f"{place}: {message}" if place else message
        yield told if told.endswith((".", "!", "?")) else f"{told}."


def readable(annotation: Any, entities: Sequence[type[Entity]] = ()) -> Any:
    """The same type as JSON can give it.

    Pydantic would read an Iterable only when it is used, which is too late to say what is wrong
    with it; JSON has no keys but texts; and which entity is meant by any must be known.
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is Entity and entities:
        return reduce(or_, entities)
    if not inner:
        return annotation
    if origin is Annotated:
        return Annotated[(readable(inner[0], entities), *inner[1:])]
    parts = tuple(each if each is ... else readable(each, entities) for each in inner)
    if origin in (Union, UnionType):
        return reduce(or_, parts)
    if origin in _MANY:
        return list[parts[0]]  # type: ignore[valid-type]
    if origin in _MAPPINGS and inner[0] is not str:
        return Annotated[list[tuple[parts]], AfterValidator(dict)]  # type: ignore[valid-type]
    rebuilt: Any = origin
    return rebuilt[parts] if origin in (list, tuple, set, frozenset, dict) else annotation
