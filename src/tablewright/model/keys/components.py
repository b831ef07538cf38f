"""The components of a key: which encoder a field has at its place in a template, and whether the
template can be read back.

A component ends where the next literal begins, so that literal must begin with a character that
the component can never hold. Texts escape the delimiter and nothing else, so after a text comes a
delimiter; after a value of fixed width, anything may come.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import TYPE_CHECKING, Literal, get_args, get_origin
from uuid import UUID

from tablewright.model.errors import ModelError
from tablewright.model.keys import encoders
from tablewright.model.keys.digits import (
    DECIMAL,
    SIGNED,
    STORED_DECIMAL,
    STORED_WHOLE,
    fixed_point_encoder,
    padded_encoder,
)
from tablewright.model.keys.encoders import Encoder
from tablewright.model.keys.escapes import inner_code, last_code
from tablewright.model.keys.moments import DAY, stored_epoch_encoder, time_encoder
from tablewright.model.keys.templates import Slot, Template
from tablewright.model.types import Shaped, Stored, TimeForm, UlidMark, UuidMark

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef
    from tablewright.model.table import KeyType

_WHOLE_SPEC = re.compile(r"0([1-9][0-9]*)d").fullmatch
_FIXED_SPEC = re.compile(r"0([1-9][0-9]*)\.([0-9]+)f").fullmatch
_ALLOWED = (
    "str, int, Decimal, datetime, date, bytes, UUID, Ulid, Uuid, and enumerations or Literals of "
    "str or int"
)


@dataclass(frozen=True, eq=False)
class Component:
    """A field at its place in a template."""

    field: str
    encoder: Encoder
    #: The literal after it; "" if another component comes at once, None at the end.
    follow: str | None


def components(
    template: Template, fields: Mapping[str, FieldDef], delimiter: str, raw: bool, where: str
) -> tuple[str | Component, ...]:
    """The pieces of a text template, with the encoders of its fields."""
    pieces = template.pieces
    made: list[str | Component] = []
    for position, piece in enumerate(pieces):
        if isinstance(piece, str):
            made.append(piece)
            continue
        after = pieces[position + 1 : position + 2]
        follow = None if not after else after[0] if isinstance(after[0], str) else ""
        field = field_of(piece, fields, where)
        at = f"{where}, template {template.text!r}, field {field.name}"
        if raw:
            more = any(isinstance(later, Slot) for later in pieces[position + 1 :])
            encoder = _raw_encoder(field, piece.spec, delimiter if more else "", at)
        else:
            encoder = _encoder(field, piece.spec, delimiter, follow is None, at)
            encoder = _checked(encoder, follow, delimiter, at)
        made.append(Component(field.name, encoder, follow))
    return tuple(made)


def stored_component(
    slot: Slot, fields: Mapping[str, FieldDef], kind: KeyType, where: str
) -> Component:
    """The one component of an attribute that holds a value in its stored form."""
    field = field_of(slot, fields, where)
    if slot.spec:
        raise ModelError(
            f"{where}, field {field.name}: a format ({slot.spec}) needs a composed text attribute"
        )
    encoder = stored_encoder(field, f"{where}, field {field.name}")
    found = stored_kind(field)
    if found != kind:
        raise ModelError(
            f"{where}: the key attribute is declared as {kind}, but {field.name} is stored as "
            f"{found}; declare the attribute with the type of the field, or name another one"
        )
    # Numbers and bytes have their order in the attribute itself.
    return Component(field.name, replace(encoder, ordered=True), None)


def field_of(slot: Slot, fields: Mapping[str, FieldDef], where: str) -> FieldDef:
    try:
        return fields[slot.field]
    except KeyError:
        raise ModelError(
            f"{where}: there is no field {slot.field}; the fields are {', '.join(fields)}"
        ) from None


def stored_kind(field: FieldDef) -> KeyType:
    """The type of the attribute that holds the field: what a plain key has to be declared as."""
    core = field.annotation
    if core is bytes:
        return "B"
    if core in (int, Decimal) or (core is datetime and _form(field).startswith("epoch")):
        return "N"
    members = _members(core)
    return "N" if members and not isinstance(_value(members[0]), str) else "S"


# --- encoders by type --------------------------------------------------------------------


def _encoder(field: FieldDef, spec: str, delimiter: str, last: bool, where: str) -> Encoder:
    if spec:
        return _formatted(field, spec, where)
    core = field.annotation
    code = last_code(delimiter) if last else inner_code(delimiter)
    if core is str:
        return _identifier(field) or encoders.text_encoder(code)
    if core is int:
        return _bounded(field) or SIGNED
    if core is datetime:
        return time_encoder(_form(field))
    fixed = {Decimal: DECIMAL, date: DAY, bytes: encoders.HEX, UUID: encoders.UUID_OBJECT}
    if core in fixed:
        return fixed[core]
    members = _members(core)
    values = _values(members, where)
    if isinstance(values[0], str):
        text = encoders.text_encoder(code)
        texts = dict(zip(members, map(text.encode, values), strict=True))
        return encoders.closed_encoder(texts, text.begin, code.ordered)
    numbers = [value for value in values if isinstance(value, int)]
    digits = SIGNED if min(numbers) < 0 else padded_encoder(len(str(max(numbers))))
    return encoders.closed_encoder(dict(zip(members, map(digits.encode, numbers), strict=True)))


def stored_encoder(field: FieldDef, where: str) -> Encoder:
    """The field's value as its attribute holds it: no escaping, no padding."""
    core = field.annotation
    if core is str:
        return _identifier(field) or encoders.stored_text_encoder()
    if core is datetime:
        form = _form(field)
        return stored_epoch_encoder(form) if form.startswith("epoch") else time_encoder(form)
    fixed = {
        int: STORED_WHOLE,
        Decimal: STORED_DECIMAL,
        date: DAY,
        bytes: encoders.BASE64,
        UUID: encoders.UUID_OBJECT,
    }
    if core in fixed:
        return fixed[core]
    members = _members(core)
    values = _values(members, where)
    ordered = isinstance(values[0], str)
    begin = encoders.stored_text_encoder().begin if ordered else None
    texts = dict(zip(members, map(str, values), strict=True))
    return encoders.closed_encoder(texts, begin, ordered)


def _raw_encoder(field: FieldDef, spec: str, refused: str, where: str) -> Encoder:
    # A width that is asked for is how adopted data were written.
    encoder = _formatted(field, spec, where) if spec else stored_encoder(field, where)
    if not refused or encoder.width is not None:
        return encoder
    plain = encoder.encode

    def encode(value: object) -> str:
        text = plain(value)
        if refused in text:
            raise ValueError(
                f"{text!r} holds the delimiter {refused!r}, and another component follows; a raw "
                "key could not be told from another one"
            )
        return text

    pattern = f"[^{re.escape(refused)}]+" if encoder.alphabet is None else encoder.pattern
    return replace(encoder, encode=encode, pattern=pattern)


def _formatted(field: FieldDef, spec: str, where: str) -> Encoder:
    if (found := _WHOLE_SPEC(spec)) and field.annotation is int:
        return padded_encoder(int(found[1]))
    if (found := _FIXED_SPEC(spec)) and field.annotation in (int, Decimal):
        width, places = int(found[1]), int(found[2])
        if width - places - bool(places) < 1:
            raise ModelError(f"{where}: the format {spec} leaves no digit before the point")
        return fixed_point_encoder(width, places, field.annotation is int)
    raise ModelError(
        f"{where}: the format {spec!r} does not fit; there are 012d for an int, and 09.2f (nine "
        "characters, two of them decimal places) for a Decimal or an int"
    )


def _identifier(field: FieldDef) -> Encoder | None:
    for mark in field.metadata:
        if isinstance(mark, UlidMark):
            return encoders.ULID
        if isinstance(mark, UuidMark):
            return encoders.UUID_TEXT
        if isinstance(mark, Shaped):
            return encoders.shaped_encoder(mark)
    return None


def _form(field: FieldDef) -> TimeForm:
    forms = [mark.form for mark in field.metadata if isinstance(mark, Stored)]
    return forms[-1] if forms else "iso_micros"


def _bounded(field: FieldDef) -> Encoder | None:
    """Padded to the width of the highest value, if the field's own limits say there is one."""
    lowest: list[int] = []
    highest: list[int] = []
    for mark in field.metadata:
        for name, limits, step in (
            ("ge", lowest, 0),
            ("gt", lowest, 1),
            ("le", highest, 0),
            ("lt", highest, -1),
        ):
            limit = getattr(mark, name, None)
            if isinstance(limit, int):
                limits.append(limit + step)
    if not lowest or not highest or max(lowest) < 0 or min(highest) < 0:
        return None
    return padded_encoder(len(str(min(highest))))


def _members(core: object) -> tuple[object, ...]:
    if isinstance(core, type) and issubclass(core, Enum):
        return tuple(core)
    return get_args(core) if get_origin(core) is Literal else ()


def _value(member: object) -> object:
    return member.value if isinstance(member, Enum) else member


def _values(members: tuple[object, ...], where: str) -> list[object]:
    """The values of a closed set: all text, or all whole numbers."""
    values = [_value(member) for member in members]
    if values and all(isinstance(value, str) and value for value in values):
        return [str.__str__(value) for value in values if isinstance(value, str)]
    if values and all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        return values
    raise ModelError(f"{where}: its type cannot stand in a key; these can: {_ALLOWED}")


# --- reading back ------------------------------------------------------------------------


def _checked(encoder: Encoder, follow: str | None, delimiter: str, where: str) -> Encoder:
    """``encoder``, knowing whether its order survives what follows."""
    if follow is None or encoder.width is not None:
        return encoder
    if encoder.shaped:
        return replace(encoder, ordered=False)
    if follow == "":
        raise ModelError(
            f"{where}: nothing tells where it ends, since another field follows at once; put "
            f"{delimiter!r} between them"
        )
    if encoder.alphabet is None:
        if follow[0] != delimiter:
            raise ModelError(
                f"{where}: a text may hold {follow[0]!r}, so nothing tells where it ends; let the "
                f"table's delimiter {delimiter!r} follow it"
            )
        return encoder
    if follow[0] in encoder.alphabet:
        raise ModelError(
            f"{where}: {encoder.what} may hold {follow[0]!r}, so nothing tells where it ends; let "
            f"the table's delimiter {delimiter!r} follow it"
        )
    # A shorter text ends in what follows, which must be below whatever a longer one has there.
    return encoder if follow[0] < min(encoder.alphabet) else replace(encoder, ordered=False)
