"""Items that a document shows, in the wire's form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tablewright.review.design import Attribute, Design, Entity, Key, Sample, Table
from tablewright.review.templates import pieces
from tablewright.values import AttributeValue, InvalidValue, Item, item_size

#: A text in quotes, or a comment: what is in quotes is none.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"})


class Unreadable(Exception):
    """A sample that is no item at all."""


def wire_item(sample: Sample, entity: Entity | None) -> Item:
    """The sample as an item. Lists become sets where the entity says so; JSON has none."""
    plain = _plain(sample)
    if _is_wire(plain):
        return dict(plain)
    known = {} if entity is None else {each.name: each for each in entity.attributes}
    return {name: _value(value, known.get(name)) for name, value in plain.items()}


def shown_of(design: Design, entity: Entity) -> Iterator[tuple[Sample, Item]]:
    """The samples of an entity that can be read, each with its item."""
    for sample in design.samples_of(entity.name):
        try:
            yield sample, wire_item(sample, entity)
        except Unreadable:
            continue


def items_of(design: Design, entity: Entity) -> Iterator[Item]:
    """The items of an entity's samples that can be read."""
    return (item for _, item in shown_of(design, entity))


def values_of(item: Item, entity: Entity, table: Table | None) -> dict[str, object]:
    """Attributes and key components of an item as Python values."""
    found: dict[str, object] = {**components(item, entity, table)}
    return found | {name: plain_value(value) for name, value in item.items()}


def components(item: Item, entity: Entity, table: Table | None) -> dict[str, str]:
    """The values of the components of its keys, read from the key texts."""
    found: dict[str, str] = {}
    for key in entity.keys:
        for name, template in key_texts(key, table):
            value = item.get(name, {}).get("S")
            found |= {} if value is None else read_template(template, value) or {}
    return found


def key_texts(key: Key, table: Table | None) -> Iterator[tuple[str, str]]:
    """The attributes of a key, each with its template."""
    side = None if table is None else table.index(key.on) if key.on else table
    if side is None:
        return
    names = [each.name for each in (*side.partition, *side.sort)]
    if len(key.partition) == len(side.partition):
        yield from zip(names, key.templates, strict=False)


def read_template(template: str, text: str) -> dict[str, str] | None:
    """The components of a key text; None if the template cannot have made it."""
    expression, fields = "", []
    for piece in pieces(template):
        if isinstance(piece, str):
            expression += re.escape(piece)
        else:
            fields.append(piece.field)
            expression += "(.+?)"
    match = re.fullmatch(expression, text, re.DOTALL)
    return None if match is None else dict(zip(fields, match.groups(), strict=True))


def typical_size(design: Design, entity: Entity) -> int | None:
    """Bytes of one item: as declared, or as the largest sample has."""
    if entity.item_size is not None:
        return entity.item_size
    sizes = []
    for item in items_of(design, entity):
        try:
            sizes.append(item_size(item))
        except (InvalidValue, ValueError, TypeError, KeyError, AttributeError):
            continue
    return max(sizes, default=None)


def _plain(sample: Sample) -> Mapping[str, Any]:
    if not isinstance(sample.item, str):
        return sample.item
    try:
        return strict(sample.item)
    except Unreadable as error:
        try:
            # What people write for people: the values are still worth a look.
            return strict(_COMMENT.sub(lambda match: match[1] or "", sample.item))
        except Unreadable:
            raise error from None


def strict(text: str) -> Mapping[str, object]:
    """The object that a JSON text holds; :class:`Unreadable`."""
    try:
        found = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise Unreadable(f"it is no JSON: {error}") from None
    if not isinstance(found, dict):
        raise Unreadable("it is no JSON object")
    return found


def _is_wire(plain: Mapping[str, Any]) -> bool:
    return bool(plain) and all(
        isinstance(value, dict) and len(value) == 1 and value.keys() <= _TYPES
        for value in plain.values()
    )


def _value(value: object, known: Attribute | None) -> AttributeValue:
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int | float | Decimal):
        return {"N": str(value)}
    if value is None:
        return {"NULL": True}
    if isinstance(value, bytes):
        return {"B": value.decode("latin-1")}
    if isinstance(value, dict):
        return {"M": {str(name): _value(each, None) for name, each in value.items()}}
    if isinstance(value, list | tuple | set | frozenset):
        kind = known.type if known is not None else "L"
        if kind in ("SS", "NS", "BS"):
            return {kind: [str(each) for each in value]}
        return {"L": [_value(each, None) for each in value]}
    return {"S": str(value)}


def plain_value(value: AttributeValue) -> Any:
    """A scalar as Python has it; others as they are on the wire."""
    kind, content = next(iter(value.items()))
    return Decimal(content) if kind == "N" else content
