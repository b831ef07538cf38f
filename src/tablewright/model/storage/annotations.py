"""Annotations taken apart: the type, what ``Annotated`` adds to it, and whether None is allowed."""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin

import typing_extensions
from pydantic import JsonValue
from pydantic.fields import FieldInfo

NONE = type(None)

#: ``type X = ...`` of Python 3.12 is another class than its forerunner in typing_extensions.
_ALIASES: tuple[type, ...] = (typing_extensions.TypeAliasType,)
if sys.version_info >= (3, 12):
    _ALIASES += (typing.TypeAliasType,)


@dataclass(frozen=True)
class Core:
    """What is left of an annotation when its wrapping is off."""

    annotation: object
    metadata: tuple[object, ...]
    optional: bool


def core_of(annotation: object, metadata: Iterable[object] = ()) -> Core:
    """``annotation`` without ``Annotated``, aliases and None, at whatever depth they wrap it."""
    marks = list(_flat(metadata))
    optional = False
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *more = get_args(annotation)
            # What stands inside was said first.
            marks[:0] = _flat(more)
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif isinstance(annotation, _ALIASES) and annotation is not JsonValue:
            annotation = annotation.__value__  # type: ignore[attr-defined]
        elif is_union(annotation) and NONE in get_args(annotation):
            optional = True
            rest = tuple(each for each in get_args(annotation) if each is not NONE)
            annotation = Union[rest]  # noqa: UP007 - of a tuple
        elif origin is Literal and None in get_args(annotation) and len(get_args(annotation)) > 1:
            optional = True
            annotation = Literal[tuple(each for each in get_args(annotation) if each is not None)]
        else:
            # These hold None as they hold everything else.
            optional = optional or annotation in (Any, object, JsonValue)
            return Core(annotation, tuple(marks), optional)


def is_union(annotation: object) -> bool:
    return get_origin(annotation) in (Union, types.UnionType)


def described(annotation: object) -> str:
    """``annotation`` as a person would write it."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation.__name__
    return str(annotation).replace("typing.", "")


def _flat(metadata: Iterable[object]) -> Iterator[object]:
    for mark in metadata:
        if isinstance(mark, FieldInfo):
            yield from mark.metadata
        else:
            yield mark
