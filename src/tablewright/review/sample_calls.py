"""Sample calls for patterns that have none, with arguments made up from their annotations.

A write is a function with a body: what it sends is only known once it is called. Bodies are pure,
so calling one with made-up arguments is safe. Every value differs from the others, so that two
members of a transaction do not look like the same item by chance.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from itertools import count
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo

from tablewright.model.ops import Op
from tablewright.model.pattern import Pattern

_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: How deep models inside models are filled.
_DEEPEST = 4


class NoValue(Exception):
    """No value could be made for an annotation."""


def sample_call(pattern: Pattern[..., Any]) -> Op[Any] | None:
    """Call ``pattern`` with made-up arguments; None if that is not possible."""
    maker = _Maker()
    try:
        arguments = {
            name: maker.value(_annotation(pattern, name, parameter.annotation))
            for name, parameter in pattern.parameters.items()
            if parameter.default is inspect.Parameter.empty
        }
        op: Op[Any] = pattern(**arguments)
    except Exception:
        # Whatever the body objects to, its author has to show a call: see `demo()`.
        return None
    return op


def _annotation(pattern: Pattern[..., Any], name: str, declared: Any) -> Any:
    """The annotation of a parameter: that of the field with its name, which may say more.

    ``customer_id: str`` of a pattern is the ``customer_id: Ulid`` of its entity.
    """
    for entity in pattern.entities:
        info = entity.cls.model_fields.get(name)
        if info is not None and _core(info.annotation) == _core(declared):
            return _annotated(info)
    return declared


def _annotated(info: FieldInfo) -> Any:
    return Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation


class _Maker:
    """Makes values that pass validation, all of them different."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def value(self, annotation: Any, depth: int = 0) -> Any:
        """Return a value for ``annotation``; raises :class:`NoValue`."""
        if depth > _DEEPEST:
            raise NoValue(annotation)
        core = _core(annotation)
        if isinstance(core, type) and issubclass(core, BaseModel):
            return self._model(core, depth)
        if typing.is_typeddict(core):
            return self._mapping(typing.get_type_hints(core, include_extras=True), depth)
        adapter: TypeAdapter[Any] = TypeAdapter(annotation)
        for candidate in self._candidates(core, depth):
            with suppress(Exception):
                return adapter.validate_python(candidate)
        raise NoValue(annotation)

    def _model(self, core: type[BaseModel], depth: int) -> BaseModel:
        needed = {
            name: _annotated(info) for name, info in core.model_fields.items() if info.is_required()
        }
        return core(**self._mapping(needed, depth))

    def _mapping(self, hints: Mapping[str, Any], depth: int) -> dict[str, Any]:
        return {name: self.value(hint, depth + 1) for name, hint in hints.items()}

    def _candidates(self, core: Any, depth: int) -> Iterator[object]:
        """Values to try, most fitting first."""
        origin, arguments = get_origin(core), get_args(core)
        if origin is Literal:
            yield from arguments
        elif isinstance(core, type) and issubclass(core, Enum):
            yield from core
        elif origin is tuple and arguments:
            kinds = arguments[:1] if arguments[-1] is Ellipsis else arguments
            yield tuple(self.value(each, depth + 1) for each in kinds)
        elif origin is dict:
            yield {self.value(arguments[0], depth + 1): self.value(arguments[1], depth + 1)}
        elif isinstance(origin, type) and issubclass(origin, Iterable) and len(arguments) == 1:
            yield [self.value(arguments[0], depth + 1)]
        yield from self._scalars()

    def _scalars(self) -> Iterator[object]:
        number = next(self._numbers)
        moment = _EPOCH + timedelta(hours=number)
        yield from (
            f"x{number}",
            f"x-{number}",
            f"X{number}",
            f"{number}",
            f"person{number}@example.com",
            f"https://example.com/{number}",
            f"01ARZ3NDEKTSV4RRFFQ69G5F{_CROCKFORD[number // 32 % 32]}{_CROCKFORD[number % 32]}",
            f"00000000-0000-4000-8000-{number:012d}",
            f"+4915112345{number % 1000:03d}",
            f"{number:064x}",
            f"{number:032x}",
            date.isoformat(moment.date()),
        )
        yield from (moment, (_EPOCH + timedelta(days=number)).date(), number, Decimal(number))
        yield from (number / 100, f"{number}".encode(), [], {})


def _core(annotation: Any) -> Any:
    """The type itself: without ``Annotated``, and without None."""
    if get_origin(annotation) is Annotated:
        return _core(get_args(annotation)[0])
    if type(None) in get_args(annotation) and get_origin(annotation) is not Literal:
        kinds = [each for each in get_args(annotation) if each is not type(None)]
        return _core(kinds[0])
    return annotation
