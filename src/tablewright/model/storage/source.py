"""The compiled way of a codec: one function each to encode and decode, written for one class.

The source is straight-line code over the attributes of the class, with all names bound ahead. For
``class Order(BaseModel): order_id: str; credits: int = 0; note: str | None`` it reads like::

    def encode(m):
        if m.__class__ is not x0 and not isinstance(m, x0): raise TypeError
        d = m.__dict__
        v1 = d['order_id']
        v2 = d['credits']
        item = {
            'order_id': {'S': v1 if v1.__class__ is str else x1(v1)},
            'credits': {'N': str(v2) if v2.__class__ is int and ... else x2(v2)},
        }
        v3 = d['note']
        if v3 is not None: item['note'] = ...
        return item

    def decode(item):
        get = item.get
        present = x3
        m = x4(x0)
        x5(m, '__dict__', {
            'order_id': item['order_id']['S'],
            'credits': ((present := present - x6), x7())[1]
                if (v4 := get('credits')) is None else int(v4['N']),
            'note': ((present := present - x8), None)[1]
                if (v5 := get('note')) is None else v5['S'],
        })
        ...

It checks no more than it must to never give a wrong result, and fails with any exception at all
where something is amiss: the caller then goes the careful way (:mod:`.records`), which says what.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pydantic import BaseModel

from tablewright.model.storage.base import Names
from tablewright.model.storage.containers import SetOf
from tablewright.model.storage.defaults import default_of
from tablewright.values import Item

#: Defaults of these kinds are given as they are: nobody can change them.
_CONSTANTS = (str, int, float, bytes, Decimal, Enum, date, time, timedelta, UUID)

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef


@dataclass(frozen=True)
class Functions:
    """What was compiled, and from what."""

    encode: Callable[[Any], Item]
    decode: Callable[[Item], Any]
    source: str


def compile_functions(model: type[BaseModel], fields: Mapping[str, FieldDef]) -> Functions:
    names = Names()
    source = "\n".join(
        [*_encoder(model, fields.values(), names), *_decoder(model, fields, names), ""]
    )
    space: dict[str, Any] = {}
    exec(compile(source, f"<codec of {model.__name__}>", "exec"), dict(names.values), space)
    return Functions(space["encode"], space["decode"], source)


# --- encode ------------------------------------------------------------------------------


def _encoder(model: type[BaseModel], fields: Any, names: Names) -> list[str]:
    cls = names.of(model)
    variables = [(field, names.fresh()) for field in fields]
    always = [pair for pair in variables if not pair[0].optional and not pair[0].storage.empties]
    return [
        "def encode(m):",
        f"    if m.__class__ is not {cls} and not {names.of(isinstance)}(m, {cls}):",
        f"        raise {names.of(TypeError)}",
        "    d = m.__dict__",
        *(f"    {variable} = d[{field.name!r}]" for field, variable in variables),
        "    item = {",
        *(
            f"        {field.attribute!r}: {field.storage.write(variable, names)},"
            for field, variable in always
        ),
        "    }",
        *(line for pair in variables if pair not in always for line in _perhaps(*pair, names)),
        "    return item",
    ]


def _perhaps(field: FieldDef, variable: str, names: Names) -> list[str]:
    """Lines for a field that is not always stored."""
    written = field.storage.write(variable, names)
    into = f"item[{field.attribute!r}]"
    if isinstance(field.storage, SetOf):
        lines = [f"    if {variable}:", f"        {into} = {written}"]
        if not field.optional:
            lines += [f"    elif {variable} is None:", f"        raise {names.of(TypeError)}"]
        return lines
    lines = [f"    if {variable} is not None:", f"        {into} = {written}"]
    if field.storage.empties:
        lines[1:] = [
            f"        {variable} = {written}",
            f"        if {variable} is not None:",
            f"            {into} = {variable}",
        ]
    return lines


# --- decode ------------------------------------------------------------------------------


def _decoder(model: type[BaseModel], fields: Mapping[str, FieldDef], names: Names) -> list[str]:
    put = names.of(object.__setattr__)
    extra = "{}" if model.model_config.get("extra") == "allow" else "None"
    return [
        "def decode(item):",
        "    get = item.get",
        # One set for all that have every field: Pydantic only ever adds names that are in it.
        f"    present = {names.of(set(fields))}",
        f"    m = {names.of(model.__new__)}({names.of(model)})",
        f"    {put}(m, '__dict__', {{",
        *(f"        {name!r}: {_value(model, fields[name], names)}," for name in fields),
        "    })",
        f"    {put}(m, '__pydantic_fields_set__', present)",
        f"    {put}(m, '__pydantic_extra__', {extra})",
        f"    {put}(m, '__pydantic_private__', None)",
        # This is also what makes the private attributes.
        *(["    m.model_post_init(None)"] if model.__pydantic_post_init__ else []),
        "    return m",
    ]


def _value(model: type[BaseModel], field: FieldDef, names: Names) -> str:
    """The expression of one field's value."""
    absent = _absent(model, field, names)
    if absent is None:
        return field.storage.read(f"item[{field.attribute!r}]", names)
    av = names.fresh()
    read = field.storage.read(av, names)
    return f"{absent} if ({av} := get({field.attribute!r})) is None else {read}"


def _absent(model: type[BaseModel], field: FieldDef, names: Names) -> str | None:
    """The expression for an absent attribute, or None if that is left to the careful way."""
    without = f"(present := present - {names.of(frozenset((field.name,)))})"
    if field.optional:
        return f"({without}, None)[1]"
    if isinstance(field.storage, SetOf):
        return f"({without}, {names.of(field.storage.build)}())[1]"
    info = model.__pydantic_fields__[field.name]
    if not field.has_default or info.default_factory_takes_validated_data:
        return None
    if info.default_factory is not None:
        return f"({without}, {names.of(info.default_factory)}())[1]"
    default = default_of(model, field.name)
    if isinstance(default, _CONSTANTS):
        return f"({without}, {names.of(default)})[1]"
    # Most are empty, and need no more than a copy.
    empty = not default and type(default) in (list, dict)
    copied = default.copy if empty else partial(deepcopy, default)  # type: ignore[attr-defined]
    return f"({without}, {names.of(copied)}())[1]"
