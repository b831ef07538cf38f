"""Running a SELECT: queries where the partition key is fixed, a scan where it is not.

Both are the Query and Scan of ``queries``; only the choice between them, the order and the paging
over several queries are PartiQL's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablewright.engine.capacity import wants_capacity
from tablewright.engine.errors import AwsError, invalid, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.partiql import cursors
from tablewright.engine.partiql.columns import Columns, columns_of
from tablewright.engine.partiql.conditions import where_condition
from tablewright.engine.partiql.cursors import Cursor
from tablewright.engine.partiql.keys import Query, decomposed, one_item
from tablewright.engine.partiql.syntax import Constant, Expression, Name, Order, Select
from tablewright.engine.queries import pages as reads
from tablewright.engine.queries.pages import Reader
from tablewright.engine.queries.start_keys import check_start
from tablewright.engine.schema import Index, Table
from tablewright.expressions import Condition, nodes
from tablewright.values import AttributeValue, Item, equal, key_bytes

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

NO_INDEX = "The table does not have the specified index"
MULTIPLE_KEYS = (
    "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
    "multi-attribute RANGE keys."
)


@dataclass(frozen=True)
class Selection:
    """A SELECT with its parameters, before it has met its table."""

    statement: Select
    columns: Columns | None
    where: nodes.Condition | None

    @classmethod
    def of(cls, statement: Select, values: list[AttributeValue]) -> Selection:
        """Translate ``statement``; refuses what can be refused without the table."""
        where = None if statement.where is None else where_condition(statement.where, values)
        columns = columns_of(statement.columns)
        if statement.order and where is None:
            raise validation("Must have WHERE clause in the statement when using ORDER BY clause.")
        return cls(statement, columns, where)


def refuse_multiple_keys(engine: Engine, statement: Select) -> None:
    """PartiQL does not read indexes whose keys have several attributes."""
    target = statement.target
    if target.index is None:
        return
    table = engine.catalog.find(target.table)
    index = table.indexes.get(target.index) if table is not None else None
    if index is not None and (len(index.hash) > 1 or len(index.range) > 1):
        raise validation(MULTIPLE_KEYS)


def select(engine: Engine, request: Request, shape: Shape, selection: Selection) -> Response:
    """Answer one page of a SELECT."""
    target = selection.statement.target
    table = engine.catalog.table(target.table)
    index = _find_index(table, target.index)
    if index is not None and index.is_global and request.get("ConsistentRead"):
        raise validation("Strongly consistent read is not supported on Global Secondary Indexes")
    queries = decomposed(selection.where, table, index)
    forward = True
    if selection.statement.order:
        queries, forward = _ordered(queries, selection.statement.order, table, index)
    if index is not None and index.projected is not None:
        _check_projected(index, selection, queries)
    page = _Page(engine, request, shape, selection, forward)
    return page.read(queries)


def single_item(selection: Selection, table: Table, operation: str) -> Item:
    """The key of the one item that a SELECT in a batch or transaction reads."""
    found = one_item(selection.where, table, choices=True)
    complete = all(
        name in found.key and all(equal(value, found.key[name][0]) for value in found.key[name])
        for name in table.key_names
    )
    if not complete or found.rest:
        decomposed(selection.where, table, None)
        raise validation(
            f"Select statements within {operation} must specify the primary key in the "
            "where clause."
        )
    return {name: found.key[name][0] for name in table.key_names}


def add_report(total: dict[str, Any], entry: dict[str, Any]) -> None:
    """Add one ConsumedCapacity entry of a table to another."""
    for key, value in entry.items():
        if isinstance(value, dict):
            add_report(total.setdefault(key, {}), value)
        elif isinstance(value, float):
            total[key] = total.get(key, 0.0) + value
        else:
            total[key] = value


# --- pages -------------------------------------------------------------------------------


class _SelectReader(Reader):
    """A Query or Scan whose filter may be about anything.

    In PartiQL it may mention keys, and it sees what an index holds: other attributes do not make
    it read the table, as they do in a Query.
    """

    def check_expressions(self, *, filter_keys: bool) -> None:
        condition, self.filter = self.filter, None
        super().check_expressions(filter_keys=False)
        self.filter = condition


class _Page:
    """One page of results, collected from as many queries as it takes."""

    def __init__(
        self,
        engine: Engine,
        request: Request,
        shape: Shape,
        selection: Selection,
        forward: bool,
    ) -> None:
        self._engine = engine
        self._request = request
        self._shape = shape
        self._selection = selection
        self._forward = forward
        self._left: int | None = request.get("Limit")
        self._room = reads.PAGE_BYTES
        self._items: list[Any] = []
        self._capacity: dict[str, Any] = {}

    def read(self, queries: list[Query] | None) -> Response:
        """Read on from the request's token until the page is full."""
        count = 1 if queries is None else len(queries)
        cursor = cursors.decode(self._request, count)
        first = cursor.query if cursor is not None else 0
        stopped: Cursor | None = None
        for number in range(first, count):
            start = cursor.key if cursor is not None and number == first else None
            last = self._read_one(None if queries is None else queries[number], start)
            if last is not None:
                stopped = Cursor(number, last)
            elif self._room <= 0 and number + 1 < count:
                stopped = Cursor(number + 1, None)
            if stopped is not None:
                break
        return self._response(stopped)

    def _read_one(self, query: Query | None, start: Item | None) -> Item | None:
        """Read one query, or scan; the key at which the page was full."""
        where = self._selection.where if query is None else query.condition
        reader = self._reader(None if where is None else Condition(where))
        holds_one = reader.index is None and reader.table.range is None
        if query is not None and start is not None and holds_one:
            return None  # the page before has had the one item there is
        try:
            if start is not None:
                check_start(start, reader.table, reader.index, scan=query is None)
            if query is None:
                found = reads.scan_page(reader, start)
            else:
                found = reads.query_page(reader, query.range, start)
        except AwsError as error:
            if start is not None and error.code == "ValidationException":
                raise cursors.invalid_token() from None
            raise
        self._items.extend(found["Items"])
        self._room -= reader.bytes_read
        if self._left is not None:
            self._left -= found["ScannedCount"]
        if "ConsumedCapacity" in found:
            add_report(self._capacity, found["ConsumedCapacity"])
        last: Item | None = found.get("LastEvaluatedKey")
        return last

    def _reader(self, condition: Condition | None) -> Reader:
        target = self._selection.statement.target
        request: dict[str, Any] = {
            "TableName": target.table,
            "ConsistentRead": self._request.get("ConsistentRead"),
            "ScanIndexForward": self._forward,
            "ReturnConsumedCapacity": self._request.get("ReturnConsumedCapacity", "NONE"),
        }
        if target.index is not None:
            request["IndexName"] = target.index
        if self._left is not None:
            request["Limit"] = self._left
        columns = self._selection.columns
        return _SelectReader(self._engine, request, self._shape, condition, columns)

    def _response(self, stopped: Cursor | None) -> Response:
        response: Response = {"Items": self._items}
        if stopped is not None:
            response["NextToken"] = cursors.encode(self._request, stopped)
            if stopped.key is not None:
                response["LastEvaluatedKey"] = stopped.key
        if wants_capacity(self._request) and self._capacity:
            response["ConsumedCapacity"] = self._capacity
        return response


# --- order -------------------------------------------------------------------------------


def _ordered(
    queries: list[Query] | None, order: tuple[Order, ...], table: Table, index: Index | None
) -> tuple[list[Query], bool]:
    """The queries as ORDER BY wants them, and whether sort keys go up."""
    parts = index.parts if index is not None else table.parts
    terms = {_order_name(term.by): term.descending for term in reversed(order)}
    for name in terms:
        if name not in [part.name for part in parts]:
            raise validation(f"Attribute {name} in ORDER BY clause must be part of the primary key")
    if queries is None:
        raise validation(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )
    hash_ = parts[0]
    several = len({query.range.pk for query in queries}) > 1
    if several and hash_.name not in terms:
        raise validation(
            "Must have hash key in ORDER BY clause when more than one hash key condition "
            "specified in WHERE clause."
        )
    # Where only the hash key is named, AWS goes through the sort keys from the end.
    forward = len(parts) > 1 and terms.get(parts[1].name, True) is False
    ordered = queries if forward else queries[::-1]
    if several:
        ordered = sorted(
            ordered,
            key=lambda query: key_bytes(hash_.kind, query.partition[hash_.kind]),
            reverse=terms[hash_.name],
        )
    return ordered, forward


def _order_name(by: Expression) -> str:
    if isinstance(by, Name):
        return by.text
    kind = by.text if isinstance(by, Constant) else type(by).__name__.upper()
    raise validation(f"Argument to ORDER BY must be of type VariableReference. Type: {kind}")


# --- indexes -----------------------------------------------------------------------------


def _find_index(table: Table, name: str | None) -> Index | None:
    if name is None:
        return None
    index = table.indexes.get(name)
    if index is None:
        raise validation(NO_INDEX)
    return index


def _check_projected(index: Index, selection: Selection, queries: list[Query] | None) -> None:
    """Refuse attributes that the index does not hold and PartiQL would not go and fetch."""
    projected = index.projected or frozenset()
    if selection.columns is not None and index.is_global:
        wanted = dict.fromkeys(str(path[0]) for path in selection.columns.paths)
        missing = [name for name in wanted if name not in projected]
        if missing:
            raise invalid(
                f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
            )
    # One query in order is enough for AWS to run all; else it names what the last one lacks.
    kind = index.hash[0].kind
    ordered = sorted(queries or (), key=lambda query: key_bytes(kind, query.partition[kind]))
    filters = [_unprojected(query.condition, projected) for query in ordered]
    if filters and all(filters):
        raise invalid(
            f"Secondary index {index.name} does not project one or more filter attributes: "
            f"[{', '.join(filters[-1])}]"
        )


def _unprojected(condition: nodes.Condition | None, projected: frozenset[str]) -> list[str]:
    """The attributes in a condition that an index does not hold."""
    if condition is None:
        return []
    mentioned = [
        str(node.steps[0])
        for node in nodes.bottom_up(condition)
        if isinstance(node, nodes.Attribute)
    ]
    return [name for name in dict.fromkeys(mentioned) if name not in projected]
