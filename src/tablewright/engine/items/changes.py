"""A change to one item, prepared: everything that can be known before its turn to write.

PutItem, UpdateItem, DeleteItem, the members of a transaction and PartiQL statements all become a
:class:`Change`. In its turn, a change is given the stored row; it refuses (condition, size, index
keys) or says what the item becomes. Only then is anything written.

A request is looked at in two steps, because AWS answers differently to what goes wrong in them:
:func:`put`, :func:`update`, :func:`delete` and :func:`check` look at the request alone and return
the second step, which is given the table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.engine.errors import condition_failed, invalid, validation
from tablewright.engine.handler import Request
from tablewright.engine.items import parameters
from tablewright.engine.items.writes import Row
from tablewright.engine.schema import Key, Table
from tablewright.engine.shapes.nesting import is_far_too_deep
from tablewright.expressions import Condition, Update
from tablewright.values import InvalidValue, Item, item_size, normalize_item, text_size, value_size

Next = Callable[[Row | None], tuple[Item | None, int]]
Bind = Callable[[Table], "Change"]

MAX_ITEM_SIZE = 400 * 1024
TOO_LARGE = "Item size has exceeded the maximum allowed size"
TOO_LARGE_UPDATE = "Item size to update has exceeded the maximum allowed size"


class Change:
    """What shall become of one item, and under which condition."""

    __slots__ = ("check_charge", "condition", "key", "key_item", "next", "table", "update")

    def __init__(
        self,
        table: Table,
        key_item: Item,
        key: Key,
        condition: Condition | None,
        next_: Next | None,
        update: Update | None = None,
    ) -> None:
        self.table = table
        self.key_item = key_item
        self.key = key
        self.condition = condition
        #: None for a condition check, which changes nothing
        self.next = next_
        self.update = update
        #: what refuses an update for the size of its statement; None for nearly all
        self.check_charge: Callable[[Row | None], None] | None = None

    def refused_by(self, row: Row | None) -> bool:
        """True if the condition does not hold for what is stored."""
        return self.condition is not None and not self.condition.matches(
            row.item if row is not None else None
        )

    def outcome(self, row: Row | None) -> tuple[Item | None, int]:
        """What the item becomes, and its size."""
        if self.next is None:
            return (None, 0) if row is None else (row.item, row.size)
        return self.next(row)


def check_condition(change: Change, row: Row | None, return_old: bool, shape: Any) -> None:
    """Raise ConditionalCheckFailedException if the condition does not hold."""
    if change.refused_by(row):
        raise condition_failed(shape(row.blob) if return_old and row is not None else None)


def put(request: Request) -> Bind:
    """A PutItem, or a Put within a transaction."""
    parameters.refuse_mixture(request, parameters.CONDITION)
    item, size = normalize_item(request["Item"])
    only_old_values(request)
    check_size(size, TOO_LARGE)
    condition = parameters.for_condition(request)
    return lambda table: put_into(table, item, size, condition)


def put_into(table: Table, item: Item, size: int, condition: Condition | None) -> Change:
    """The change that puts a normalised item."""
    if condition is not None:
        table.refuse_nested_keys(condition.nested)
    table.check_item_keys(item)
    if table.indexes:
        table.check_index_keys(item)
    next_item = (item, size)
    return Change(table, item, table.key_of(item), condition, lambda row: next_item)


def delete(request: Request) -> Bind:
    """A DeleteItem, or a Delete within a transaction."""
    parameters.refuse_mixture(request, parameters.CONDITION)
    try:
        key_item, _ = normalize_item(request["Key"])
    except InvalidValue:
        if is_far_too_deep("DeleteItem", request):
            # Other errors come before that of a key which is so deep.
            only_old_values(request)
            parameters.for_condition(request)
        raise
    only_old_values(request)
    condition = parameters.for_condition(request)
    return lambda table: delete_from(table, key_item, condition)


def delete_from(table: Table, key_item: Item, condition: Condition | None) -> Change:
    """The change that removes the item at ``key_item``."""
    if condition is not None:
        table.refuse_nested_keys(condition.nested)
    return Change(table, key_item, table.locate(key_item), condition, lambda row: (None, 0))


def check(request: Request) -> Bind:
    """The condition check of a transaction."""
    parameters.refuse_mixture(request, parameters.CONDITION)
    key_item, _ = normalize_item(request["Key"])
    condition = parameters.for_condition(request)
    return lambda table: Change(table, key_item, table.locate(key_item), condition, None)


def update(request: Request) -> Bind:
    """An UpdateItem, or an Update within a transaction."""
    parameters.refuse_mixture(request, parameters.UPDATE)
    key_item, _ = normalize_item(request["Key"])
    found = parameters.for_update(request)
    return lambda table: update_into(table, key_item, found.update, found.condition)


def update_alone(request: Request) -> Bind:
    """An UpdateItem by itself, of which AWS limits the statement's effect as well as the item.

    The effect is charged before the condition is looked at. Transactions, PartiQL statements and
    ``AttributeUpdates`` are only limited by the size that the item comes to have.
    """
    bind = update(request)
    if request.get("UpdateExpression") is None:
        return bind

    def bind_and_charge(table: Table) -> Change:
        change = bind(table)
        expression = change.update
        if expression is not None and expression.may_be_charged_more_than(MAX_ITEM_SIZE):
            change.check_charge = lambda row: check_size(
                expression.charge({} if row is None else row.item), TOO_LARGE_UPDATE
            )
        return change

    return bind_and_charge


def update_into(
    table: Table, key_item: Item, expression: Update | None, condition: Condition | None
) -> Change:
    """The change that updates the item at ``key_item``; without an update it only makes it."""
    key = table.locate(key_item)
    if expression is not None:
        for name in table.key_names:
            if name in expression.attributes:
                raise invalid(f"Cannot update attribute {name}. This attribute is part of the key")
        table.refuse_nested_keys(expression.nested)
    if condition is not None:
        table.refuse_nested_keys(condition.nested)

    def next_item(row: Row | None) -> tuple[Item | None, int]:
        if row is None and expression is not None and expression.only_removes:
            # Taking attributes away from an item that is not there does not make one.
            return None, 0
        before = key_item if row is None else row.item
        after = before if expression is None else expression.apply(before, row is not None)
        size = item_size(after) if row is None else _size_after(row, after, expression)
        check_size(size, TOO_LARGE_UPDATE)
        if table.indexes:
            table.check_index_keys(after, expression)
        return after, size

    return Change(table, key_item, key, condition, next_item, expression)


def _size_after(row: Row, after: Item, expression: Update | None) -> int:
    """The size of an updated item: only what was touched is measured again."""
    size = row.size
    if expression is not None:
        for name in expression.attributes:
            if name in row.item:
                size -= text_size(name) + value_size(row.item[name])
            if name in after:
                size += text_size(name) + value_size(after[name])
    return size


def only_old_values(request: Request) -> None:
    """Refuse a put or a delete that wants new values back."""
    if request.get("ReturnValues", "NONE") not in ("NONE", "ALL_OLD"):
        raise validation("ReturnValues can only be ALL_OLD or NONE")


def check_size(size: int, message: str) -> None:
    if size > MAX_ITEM_SIZE:
        raise validation(message)
