"""What a pattern can be called with, as the fields of a form.

A parameter's annotation says which kind of field it is. What has no field of its own (entities,
lists, mappings) is written as JSON. :mod:`arguments` makes typed values of what is typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel

from tablewright.console.explorer.jsonable import as_text, jsonable
from tablewright.model.pattern import Pattern

FieldKind: TypeAlias = Literal[
    "text", "integer", "number", "choice", "switch", "date", "moment", "span", "json"
]

_HINTS: Mapping[FieldKind, str] = {
    "moment": "In UTC.",
    "span": "As PT30S (30 seconds) or P1DT2H.",
    "json": "As JSON.",
}
_KINDS: tuple[tuple[type, FieldKind], ...] = (
    (str, "text"),
    (bool, "switch"),
    (int, "integer"),
    (float, "number"),
    (Decimal, "number"),
    (datetime, "moment"),
    (date, "date"),
    (timedelta, "span"),
)
_YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True)
class ParameterField:
    """One parameter of a pattern."""

    name: str
    kind: FieldKind
    #: As its author wrote it.
    type: str
    annotation: Any
    #: None is a value of it.
    nullable: bool
    #: What it is if nothing is said; ``inspect.Parameter.empty`` if something must be.
    default: object
    #: By their texts, of a choice.
    choices: Mapping[str, object]
    #: What the form begins with.
    text: str

    @property
    def required(self) -> bool:
        return not self.nullable and self.default is inspect.Parameter.empty

    @property
    def hint(self) -> str:
        told = _HINTS.get(self.kind, "")
        return f"{self.type}. {told}".strip() if told else self.type

    @property
    def exact(self) -> bool:
        """A time with more digits than a browser's own field for times can hold."""
        return self.kind == "moment" and len(self.text) > len("2026-11-20T12:00:00.000")

    @property
    def rows(self) -> int:
        return min(max(self.text.count("\n") + 1, 3), 18)


def fields_of(
    pattern: Pattern[..., Any], arguments: Mapping[str, object], types: Mapping[str, str]
) -> tuple[ParameterField, ...]:
    """The form of a pattern, filled with the arguments of a call; else with its defaults."""
    return tuple(
        _field(each, arguments.get(name, each.default), types.get(name, ""))
        for name, each in pattern.parameters.items()
    )


def _field(parameter: inspect.Parameter, value: object, type_text: str) -> ParameterField:
    inner, nullable = _without_none(parameter.annotation)
    choices = _choices(inner)
    kind = _kind(inner, choices)
    if kind == "switch" and nullable:
        kind, choices = "choice", _YES_NO
    return ParameterField(
        name=parameter.name,
        kind=kind,
        type=type_text,
        annotation=parameter.annotation,
        nullable=nullable,
        default=parameter.default,
        choices=choices,
        text=_text(kind, value, choices) or _skeleton(inner, nullable),
    )


def _without_none(annotation: Any) -> tuple[Any, bool]:
    """An annotation without its marks and without None, and whether None was there."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) not in (Union, UnionType):
        return annotation, annotation is type(None)
    others = [each for each in get_args(annotation) if each is not type(None)]
    nullable = len(others) < len(get_args(annotation))
    if len(others) != 1:
        return reduce(or_, others), nullable
    inner, _ = _without_none(others[0])
    return inner, nullable


def _choices(annotation: Any) -> Mapping[str, object]:
    """The values of an enumeration by their texts; of a union of literals too."""
    if get_origin(annotation) is Literal:
        return {_choice_text(each): each for each in get_args(annotation)}
    if get_origin(annotation) in (Union, UnionType):
        parts = [_choices(_without_none(each)[0]) for each in get_args(annotation)]
        return {text: each for part in parts for text, each in part.items()} if all(parts) else {}
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {_choice_text(each): each for each in annotation}
    return {}


def _choice_text(value: object) -> str:
    return str(value.value if isinstance(value, Enum) else value)


def _kind(annotation: Any, choices: Mapping[str, object]) -> FieldKind:
    if choices:
        return "choice"
    if not isinstance(annotation, type):
        return "json"
    return next((kind for known, kind in _KINDS if issubclass(annotation, known)), "json")


def _text(kind: FieldKind, value: object, choices: Mapping[str, object]) -> str:
    if value is inspect.Parameter.empty or value is None:
        return ""
    if kind == "choice":
        return next((text for text, each in choices.items() if each == value), "")
    if kind == "switch":
        return "yes" if value else ""
    if kind == "moment" and isinstance(value, datetime):
        return _moment_text(value)
    return as_text(value) if kind == "json" else str(jsonable(value))


def _skeleton(annotation: Any, nullable: bool) -> str:
    """What has to be said of an entity of which there is none to begin with."""
    if nullable or not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return ""
    fields = annotation.model_fields.items()
    return as_text({name: _blank(each.annotation) for name, each in fields if each.is_required()})


def _blank(annotation: Any) -> object:
    inner, nullable = _without_none(annotation)
    if nullable:
        return None
    if choices := _choices(inner):
        return next(iter(choices.values()))
    blanks: dict[object, object] = {str: "", bool: False, int: 0, list: [], dict: {}}
    return blanks.get(get_origin(inner) or inner)


def _moment_text(value: datetime) -> str:
    """As a browser's field for times has it: without its zone, which is UTC."""
    moment = value.astimezone(UTC).replace(tzinfo=None)
    precise = "milliseconds" if moment.microsecond % 1000 == 0 else "microseconds"
    return moment.isoformat(timespec=precise if moment.microsecond else "seconds")
