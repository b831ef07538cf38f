"""The table browser: what somebody asks of a table or an index, and the items that are there.

A look is an op like any other, so paging, retries and signed cursors are the client's; only that it
takes items as they are, whosever they may be.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from tablewright.console.explorer.jsonable import as_text
from tablewright.console.explorer.stored import Side
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.errors import TablewrightError
from tablewright.model.keys.bound import KeyCondition
from tablewright.model.keys.ranges import Operator, SortTerm
from tablewright.model.ops import Query, Selection
from tablewright.model.table import KeyAttribute, Table
from tablewright.model.unique import is_lock
from tablewright.service.problems import FieldError, invalid
from tablewright.values import AttributeValue, InvalidValue, Item, canonical_number, item_size

#: What can be asked of a sort key; "" asks nothing.
OPERATORS: Mapping[str, str] = {
    "": "anything",
    "=": "is",
    "begins_with": "begins with",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "between": "is between",
}
#: Under this name looks are measured.
PATTERN = "browse"


@dataclass(frozen=True)
class Asked:
    """What was typed, as it was typed."""

    #: For each attribute of the partition key; nothing in all of them asks for everything.
    partition: tuple[str, ...] = ()
    operator: str = ""
    sort: str = ""
    upper: str = ""
    backwards: bool = False

    @property
    def scans(self) -> bool:
        return not any(self.partition)


@dataclass(frozen=True)
class Raw:
    """Reads items as they are."""

    table: Table
    name: str = "item"
    projection: None = None

    def decode(self, item: Item) -> Item:
        return item

    def owns(self, item: Item) -> bool:
        return True

    def expired(self, item: Item, now: float) -> bool:
        return False


@dataclass(frozen=True)
class ItemView:
    """One item: stored, and as the entity that it is of."""

    #: Attribute and value, of the key of the table or index and of the table's own.
    keys: tuple[tuple[str, str], ...]
    kind: str
    size: int
    #: It has ended; the service will delete it.
    ended: bool
    raw: str
    decoded: str
    #: Why it is not decoded.
    undecoded: str = ""


def look(side: Side, asked: Asked) -> Query[Item]:
    """The op of a look; the problem 422 names what cannot be asked."""
    selection = Selection(
        table=side.table,
        index=side.index,
        condition=None if asked.scans else _condition(side, asked),
        forward=not asked.backwards,
        readers=(Raw(side.table),),
        expired=True,
    )
    return Query(selection, pattern=PATTERN)


# --- conditions ----------------------------------------------------------------------------


@dataclass
class _Values:
    """Reads the values of keys, and gathers what is wrong with them."""

    errors: list[FieldError] = field(default_factory=list)

    def read(self, name: str, attribute: KeyAttribute, text: str) -> AttributeValue:
        try:
            return key_value(attribute, text)
        except ValueError as error:
            self.errors.append(FieldError(name, str(error)))
            return {}


def _condition(side: Side, asked: Asked) -> KeyCondition:
    values = _Values()
    texts = (*asked.partition, *[""] * len(side.partition))
    equal = [
        (each.name, values.read(f"p{place}", each, texts[place]))
        for place, each in enumerate(side.partition)
    ]
    asked_of_sort = _sort_values(side, asked, values) if asked.operator else ()
    if values.errors:
        raise invalid(*values.errors)
    if not asked_of_sort:
        return KeyCondition(tuple(equal))
    first = side.sort[0].name
    if asked.operator == "=":
        return KeyCondition((*equal, (first, asked_of_sort[0])))
    operator = cast("Operator", asked.operator)
    return KeyCondition(tuple(equal), SortTerm(first, operator, asked_of_sort))


def _sort_values(side: Side, asked: Asked, values: _Values) -> tuple[AttributeValue, ...]:
    """What the first sort attribute is compared with."""
    if asked.operator not in OPERATORS or not side.sort:
        said = "Choose one of these." if side.sort else f"{side.name} has no sort key."
        raise invalid(FieldError("operator", said))
    first = side.sort[0]
    if asked.operator == "begins_with" and first.type == "N":
        raise invalid(FieldError("operator", f"{first.name} is a number: it begins with nothing."))
    lower = values.read("sort", first, asked.sort)
    if asked.operator != "between":
        return (lower,)
    return lower, values.read("upper", first, asked.upper)


def key_value(attribute: KeyAttribute, text: str) -> AttributeValue:
    """A text as the value of a key attribute; ValueError says what is wrong with it."""
    if text == "":
        raise ValueError("A value is needed.")
    if attribute.type == "S":
        return {"S": text}
    if attribute.type == "N":
        return {"N": _number(text.strip())}
    try:
        base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise ValueError("Bytes are written in base64.") from None
    return {"B": text}


def _number(text: str) -> str:
    try:
        return canonical_number(text)
    except (InvalidValue, ValueError, ArithmeticError):
        raise ValueError(f"{text!r} is not a number.") from None


# --- items ---------------------------------------------------------------------------------


def item_views(side: Side, items: Sequence[Item], now: float) -> tuple[ItemView, ...]:
    return tuple(item_view(side, each, now) for each in items)


def item_view(side: Side, item: Item, now: float) -> ItemView:
    entity = entity_of(side.table, item)
    decoded, why = _decoded(side, entity, item)
    attributes = dict.fromkeys((*side.partition, *side.sort, *side.table.primary()))
    return ItemView(
        keys=tuple((each.name, scalar_text(item.get(each.name))) for each in attributes),
        kind=_kind(side.table, entity, item),
        size=item_size(item),
        ended=entity is not None and entity.expired(item, now),
        raw=as_text(item),
        decoded=decoded,
        undecoded=why,
    )


def _kind(table: Table, entity: EntityDef[Any] | None, item: Item) -> str:
    if entity is not None:
        return entity.cls.__name__
    return "lock" if is_lock(table, item) else "unknown"


def _decoded(side: Side, entity: EntityDef[Any] | None, item: Item) -> tuple[str, str]:
    if entity is None:
        if is_lock(side.table, item):
            return "", "It keeps a value unique, and is no entity."
        return "", "No entity of the model owns it."
    try:
        return as_text(entity.decode(item)), ""
    except (TablewrightError, ValidationError, ValueError, KeyError, TypeError):
        if side.held is not None:
            return "", f"{side.name} holds only some of its attributes."
        return "", f"It is not what {entity.cls.__name__} says that it is."


def scalar_text(value: AttributeValue | None) -> str:
    """The value of a key attribute, for people."""
    if not value:
        return ""
    ((kind, content),) = value.items()
    return str(content) if kind in ("S", "N", "B") else f"{kind}"
