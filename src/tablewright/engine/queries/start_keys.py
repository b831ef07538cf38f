"""ExclusiveStartKey: where a page goes on.

A start key holds the key attributes of the table and, on an index, of the index. It becomes the
columns of the row after which to go on. The checks and their texts follow AWS's order, which is
another one for Query than for Scan.
"""

from __future__ import annotations

from typing import Any

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.queries.ranges import Range
from tablewright.engine.schema import MISMATCH, Index, Table, code_of, partition_bytes
from tablewright.expressions import ExpressionError
from tablewright.values import InvalidValue, Item, normalize_item

BAD_START = "The provided starting key is invalid"
_OUTSIDE = "The provided starting key is outside query boundaries based on provided conditions"


def start_key(request: dict[str, Any]) -> Item | None:
    """The request's start key, its values checked."""
    start = request.get("ExclusiveStartKey")
    if start is None:
        return None
    try:
        item, _ = normalize_item(start)
    except InvalidValue as error:
        text = str(error)
        plain = any(word in text for word in ("duplicates", "number", "Number", "numeric"))
        raise ExpressionError(
            text if plain else f"{BAD_START}: {text}", error.current if plain else None
        ) from None
    return item


def check_start(start: Item, table: Table, index: Index | None, *, scan: bool = False) -> None:
    """Refuse a start key that has not the attributes of the key that is read."""
    names = {*table.key_names, *(index.key_names if index else ())}
    if len(start) != len(names):
        raise validation(f"{BAD_START}: {MISMATCH}" if scan and index is None else BAD_START)
    if scan and index is None:
        return
    for part in index.parts if index else table.parts:
        if part.name not in start:
            raise validation(BAD_START)
        if part.kind not in start[part.name]:
            raise validation(MISMATCH)


def position(start: Item, table: Table, index: Index | None) -> tuple[bytes, ...]:
    """The columns of the row that ``start`` names."""
    try:
        base = table.locate({name: start[name] for name in table.key_names if name in start})
    except AwsError as error:
        raise validation(f"{BAD_START}: {error.message}") from None
    if index is None:
        return base
    pk = partition_bytes(code_of(index.hash, start))
    return pk, code_of(index.range, start) if index.range else b"", *base


def check_inside(place: tuple[bytes, ...], wanted: Range) -> None:
    """Refuse a start key that the query could never have ended with."""
    if not wanted.low and wanted.high is None:
        if place[0] != wanted.pk:
            raise validation(_OUTSIDE)
        return
    if not wanted.holds(place[1]):
        raise validation("The provided starting key does not match the range key predicate")
    if place[0] != wanted.pk:
        raise validation("The query can return at most one row and cannot be restarted")


def refuse_single_item(start: Item) -> AwsError:
    """A partition without sort key holds one item: there is nothing to go on with."""
    ((name, av),) = start.items()
    ((kind, value),) = av.items()
    return validation(
        "The provided exclusive start key is invalid: "
        f"ExclusiveStartKey: {{{name}=AttributeValue: {{{kind}:{value}}}}}"
    )
