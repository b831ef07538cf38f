"""INSERT, UPDATE, DELETE and EXISTS as changes to one item, the same that PutItem and the other
write operations become.

What PartiQL adds are conditions: an INSERT needs the item not to be there, an UPDATE needs it to
be there, and a DELETE of what is not there asks nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.items.changes import (
    TOO_LARGE,
    Change,
    check_size,
    delete_from,
    put_into,
    update_into,
)
from tablewright.engine.partiql.conditions import where_condition
from tablewright.engine.partiql.keys import (
    check_single,
    joined,
    one_item,
    single_key,
    wrong_type,
)
from tablewright.engine.partiql.literals import is_literal, literal, pairs
from tablewright.engine.partiql.syntax import (
    Call,
    Delete,
    Exists,
    Expression,
    Infix,
    Insert,
    Missing,
    Name,
    Parameter,
    Path,
    Struct,
    Unary,
    Update,
)
from tablewright.engine.partiql.updates import update_of
from tablewright.engine.schema import Table
from tablewright.expressions import Condition, nodes
from tablewright.expressions import Update as UpdateExpression
from tablewright.values import AttributeValue, Item, item_size

RETURNS = {
    None: "NONE",
    "ALL OLD": "ALL_OLD",
    "ALL NEW": "ALL_NEW",
    "MODIFIED OLD": "UPDATED_OLD",
    "MODIFIED NEW": "UPDATED_NEW",
}
_NO_STRUCT = (
    "Unsupported format in item expression. Please use struct format {{...}} to express item "
    "values for insert statement. at {}"
)
_NOT_EXISTS = "EXISTS() must contain a single item read with additional condition"


def duplicate_item() -> AwsError:
    """The error of an INSERT of what is there."""
    return AwsError("DuplicateItemException", "Duplicate primary key exists in table")


@dataclass(frozen=True, slots=True)
class Insertion:
    """An INSERT, before it has met its table."""

    statement: Insert
    item: Item
    size: int

    @classmethod
    def of(cls, statement: Insert, values: list[AttributeValue]) -> Insertion:
        if not isinstance(statement.item, Struct):
            raise validation(_NO_STRUCT.format(statement.item.at))
        item = {name: _member(value, values) for name, value in pairs(statement.item)}
        if "" in item:
            raise validation("Path component cannot be an empty string")
        size = item_size(item)
        check_size(size, TOO_LARGE)
        return cls(statement, item, size)

    def bind(self, table: Table) -> Change:
        """The change, with PartiQL's own words for a key that is wrong."""
        for part in table.parts:
            if part.name not in self.item:
                raise validation(f"Key attribute should be present in the item: Key {part.name}")
            if part.kind not in self.item[part.name]:
                raise wrong_type(part.name)
        return self.bind_in_transaction(table)

    def bind_in_transaction(self, table: Table) -> Change:
        absent = nodes.Call("attribute_not_exists", (nodes.Attribute((table.hash.name,)),))
        return put_into(table, self.item, self.size, Condition(absent))


@dataclass(frozen=True, slots=True)
class Alteration:
    """An UPDATE, a DELETE or an EXISTS, before it has met its table."""

    statement: Update | Delete | Exists
    where: nodes.Condition | None
    update: UpdateExpression | None = None

    @classmethod
    def of(cls, statement: Update | Delete | Exists, values: list[AttributeValue]) -> Alteration:
        clause = statement.select.where if isinstance(statement, Exists) else statement.where
        update = None
        if isinstance(statement, Update):
            update = update_of(statement.assignments, values)
        if statement.target.index is not None:
            raise validation(
                "Reads on indices are not supported within transactions."
                if isinstance(statement, Exists)
                else "This operation is not supported on an index"
            )
        return cls(statement, None if clause is None else where_condition(clause, values), update)

    def bind(self, table: Table) -> Change:
        """The change to the one item that the WHERE clause names."""
        found = one_item(self.where, table)
        return self._change(table, single_key(found, table), found.rest)

    def bind_in_transaction(self, table: Table) -> Change:
        """The same, where an incomplete key is refused like that of a TransactWriteItems."""
        if isinstance(self.statement, Exists):
            return self._check(table)
        found = one_item(self.where, table)
        for name, values in found.key.items():
            check_single(name, values)
        key = {name: values[0] for name, values in found.key.items()}
        return self._change(table, key, found.rest)

    def _change(self, table: Table, key: Item, rest: list[nodes.Condition]) -> Change:
        subject = (nodes.Attribute((table.hash.name,)),)
        condition = joined(rest)
        if isinstance(self.statement, Delete):
            if condition is not None:
                condition = nodes.Or((nodes.Call("attribute_not_exists", subject), condition))
            return delete_from(table, key, None if condition is None else Condition(condition))
        present = joined([nodes.Call("attribute_exists", subject), *rest])
        return update_into(table, key, self.update, None if present is None else Condition(present))

    def check_exists(self, table: Table) -> None:
        """Refuse an EXISTS that is not about one item, or asks nothing of it."""
        found = one_item(self.where, table)
        if found.key.keys() != table.key_types.keys() or not self._beyond_key(table):
            raise validation(_NOT_EXISTS)

    def _beyond_key(self, table: Table) -> list[nodes.Condition]:
        """What EXISTS asks besides the key; a second value for a key attribute is a condition."""
        found = one_item(self.where, table)
        again = [
            nodes.Comparison("=", nodes.Attribute((name,)), nodes.Literal(value))
            for name, values in found.key.items()
            for value in values[1:]
        ]
        return [*found.rest, *again]

    def _check(self, table: Table) -> Change:
        found = one_item(self.where, table)
        key = {name: values[0] for name, values in found.key.items()}
        present = nodes.Call("attribute_exists", (nodes.Attribute((table.hash.name,)),))
        condition = nodes.And((present, *self._beyond_key(table)))
        return Change(table, key, table.locate(key), Condition(condition), None)


def _member(node: Expression, values: list[AttributeValue]) -> AttributeValue:
    """The value of one attribute of an inserted item."""
    if isinstance(node, Parameter):
        return values[node.number]
    if is_literal(node):
        return literal(node)
    if isinstance(node, Path):
        raise validation("Unsupported data type: PATH under key root")
    kind = type(node).__name__
    if isinstance(node, Name):
        kind = node.text
    elif isinstance(node, Infix | Unary):
        kind = node.operator
    elif isinstance(node, Call):
        kind = node.function
    elif isinstance(node, Missing):
        kind = "MISSING"
    raise validation(f"Unsupported data type: {kind} under key root at {node.at}")
