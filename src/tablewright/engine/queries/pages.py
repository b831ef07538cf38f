"""Query and Scan: one page of rows in key order, filtered, projected, counted.

Rows are read in key order until the page is full: ``Limit`` rows looked at, or 1 MB of them. The
row's stored size says how far the page is, so that rows which are neither filtered nor projected
go into the response without ever being decoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from tablewright.engine.capacity import Units, read_units, report, wants_capacity
from tablewright.engine.errors import invalid, validation
from tablewright.engine.handler import Request, Response, Shape
from tablewright.engine.items import parameters
from tablewright.engine.items.excerpts import excerpts_of
from tablewright.engine.items.writes import loads
from tablewright.engine.queries import plans
from tablewright.engine.queries.ranges import Range, key_range, segment
from tablewright.engine.queries.start_keys import (
    BAD_START,
    check_inside,
    check_start,
    position,
    refuse_single_item,
    start_key,
)
from tablewright.engine.schema import Index, Table
from tablewright.engine.storage.transaction import ANSWERS
from tablewright.engine.wording import reword_refusal
from tablewright.expressions import Condition, KeyTerm, Projection
from tablewright.expressions.condition import Test
from tablewright.expressions.operands import Values
from tablewright.values import Item

if TYPE_CHECKING:
    import apsw

    from tablewright.engine.engine import Engine

PAGE_BYTES = 1024 * 1024


def query(engine: Engine, request: Request, shape: Shape) -> Response:
    """Items of one partition, in sort-key order."""
    try:
        found, start = _prepared_query(request)
    except ANSWERS as error:
        raise reword_refusal(engine, error) from None
    reader = Reader(engine, request, shape, found.filter, found.projection)
    if start is not None:
        check_start(start, reader.table, reader.index)
    response = query_page(reader, reader.range_of(found.key_terms or []), start)
    plans.remember(request, reader.table, reader.fetch)
    return response


def _prepared_query(request: Request) -> tuple[parameters.Expressions, Item | None]:
    """All that a query says, as far as it can be checked without the table."""
    parameters.refuse_mixture(request, parameters.QUERY)
    found = parameters.for_reading(request, "QueryFilter")
    start = start_key(request)
    if request.get("KeyConditions") is None and request.get("KeyConditionExpression") is None:
        raise validation(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified "
            "in the request."
        )
    parameters.add_expressions(request, found)
    _check_select(request)
    return found, start


def scan(engine: Engine, request: Request, shape: Shape) -> Response:
    """Items of a table or index, partition by partition."""
    parameters.refuse_mixture(request, parameters.SCAN)
    found = parameters.for_reading(request, "ScanFilter")
    start = start_key(request)
    _check_segments(request)
    parameters.add_expressions(request, found)
    _check_select(request)
    reader = Reader(engine, request, shape, found.filter, found.projection)
    if start is not None:
        check_start(start, reader.table, reader.index, scan=True)
    return scan_page(reader, start)


def query_page(reader: Reader, wanted: Range, start: Item | None) -> Response:
    """One page of a range of one partition, after ``start``."""
    reader.partition = wanted.pk
    sql, bindings = query_sql(reader, wanted, start)
    reader.check_expressions(filter_keys=True)
    return reader.page(sql, bindings)


def scan_page(reader: Reader, start: Item | None) -> Response:
    """One page of a whole table or index, after ``start``."""
    sql, bindings = _scan_sql(reader, start)
    reader.check_expressions(filter_keys=False)
    return reader.page(sql, bindings)


class Reader:
    """One Query or Scan under way."""

    def __init__(
        self,
        engine: Engine,
        request: Request,
        shape: Shape,
        condition: Condition | None,
        projection: Projection | None,
    ) -> None:
        self.engine = engine
        self.request = request
        self.shape = shape
        self.filter = condition
        self.projection = projection
        self.table = engine.catalog.table(request["TableName"])
        self.index = _find_index(self.table, request)
        self.consistent = bool(request.get("ConsistentRead"))
        self.count_only = request.get("Select") == "COUNT"
        self.limit: int | None = request.get("Limit")
        self.forward = request.get("ScanIndexForward", True) is not False
        self.fetch = False
        self.fetched = 0.0
        self.bytes_read = 0
        #: the one partition that is read, if it is only one
        self.partition: bytes | None = None
        if engine.lag is not None and not self.consistent:
            self.table = engine.lag.view(self.table)
            self.index = self.index and self.table.indexes[self.index.name]

    def range_of(self, terms: list[KeyTerm]) -> Range:
        """What the key conditions ask of the table or index."""
        if self.index is not None:
            return key_range(terms, self.index.hash, self.index.range)
        return key_range(terms, [self.table.hash], self.table.parts[1:])

    def check_expressions(self, *, filter_keys: bool) -> None:
        """Refuse what the filter and the projection may not ask for."""
        if self.projection is not None:
            self.table.refuse_nested_keys(self.projection.nested)
        if filter_keys and self.filter is not None:
            keys = self.index or self.table
            _refuse_keys(self.filter, keys.key_names, "QueryFilter" in self.request)
            _refuse_unprojected(self.filter, self.index)
        self.fetch = self._must_fetch()
        if self.filter is not None:
            self.table.refuse_nested_keys(self.filter.nested)

    @property
    def source(self) -> str:
        """The columns to read, and from where; rows of an index are called x."""
        table, index = self.table, self.index
        if index is None:
            return f"SELECT size, item FROM t{table.number} AS x"
        if index.projected is not None:
            return f"SELECT size, item, base_pk, base_sk FROM x{index.number} AS x"
        # CROSS, so that SQLite goes through the index in its order and looks the items up.
        return (
            f"SELECT t.size, t.item, x.base_pk, x.base_sk FROM x{index.number} AS x"
            f" CROSS JOIN t{table.number} AS t ON t.pk = x.base_pk AND t.sk = x.base_sk"
        )

    def page(self, sql: str, bindings: list[Any]) -> Response:
        """Read one page and answer."""
        if self.limit is not None:
            sql = f"{sql} LIMIT ?"
            bindings.append(self.limit)
        throttle = self.engine.throttle
        if throttle is not None:
            throttle.admit_read(self.table, self.index, self.partition)
        items: list[Any] = []
        store = self.engine.store
        connection = store.take_reader()
        try:
            rows = connection.execute(sql, bindings)
            try:
                if self.filter is None and self.projection is None and not self.fetch:
                    seen, last = self._collect(rows, items)
                    count = seen
                else:
                    count, seen, last = self._select(connection, rows, items)
            finally:
                rows.close(True)
        finally:
            store.return_reader(connection)
        response: Response = {"Count": count, "ScannedCount": seen}
        if not self.count_only:
            response["Items"] = items
        if last is not None:
            response["LastEvaluatedKey"] = self._key_of(loads(last))
        if throttle is not None:
            units = self._units(self.bytes_read)
            throttle.charge_read(self.table, units, self.index, self.partition)
        if wants_capacity(self.request):
            units = self._units(self.bytes_read)
            response["ConsumedCapacity"] = report(self.request, self.table, units)
        return response

    def _collect(self, rows: Iterable[Any], items: list[Any]) -> tuple[int, bytes | None]:
        """Take every row as it is: how many, and the last one if the page is full."""
        blobs: list[bytes] = []
        size = 0
        limit = self.limit
        last: bytes | None = None
        for row in rows:
            size += row[0]
            blobs.append(row[1])
            if size >= PAGE_BYTES or len(blobs) == limit:
                last = row[1]
                break
        self.bytes_read = size
        if not self.count_only:
            items.extend(map(self.shape, blobs))
        return len(blobs), last

    def _select(
        self, connection: apsw.Connection, rows: Iterable[Any], items: list[Any]
    ) -> tuple[int, int, bytes | None]:
        """Take the rows that the filter lets through: how many, of how many, and the last."""
        test: Test | None = None
        values: Values = {}
        if self.filter is not None:
            test, values = self.filter.test, self.filter.values
        project = self.projection.apply if self.projection is not None else None
        read = excerpts_of(self._looked_at())
        fetch, limit = self.fetch, self.limit
        # Whoever only wants to know how many there are gets no items.
        keep = items.append if not self.count_only else lambda item: None
        shape = self.shape
        count = seen = size = 0
        last: bytes | None = None
        for row in rows:
            seen += 1
            size += row[0]
            blob = self._whole(connection, row) if fetch else row[1]
            item = read(blob)
            if test is None or test(item, values):
                count += 1
                keep(shape(blob) if project is None else project(item))
            if size >= PAGE_BYTES or seen == limit:
                last = row[1]
                break
        self.bytes_read = size
        return count, seen, last

    def _looked_at(self) -> frozenset[str]:
        """The attributes that the filter and the projection are about."""
        names: frozenset[str] = frozenset()
        if self.filter is not None:
            names |= self.filter.attributes
        if self.projection is not None:
            names |= self.projection.attributes
        return names

    def _whole(self, connection: apsw.Connection, row: Any) -> bytes:
        """The whole item behind a row of a local index, which costs a read of its own."""
        for size, blob in connection.execute(self.table.get_sql, row[2:4]):
            self.fetched += read_units(size, self.consistent)
            return bytes(blob)
        return bytes(row[1])

    def _must_fetch(self) -> bool:
        """True if a local index has to be completed from the table; refuses it for global ones."""
        index = self.index
        if index is None or index.projected is None:
            return False
        wanted: frozenset[str] = frozenset()
        if self.projection is not None:
            wanted |= self.projection.attributes
        if index.is_global:
            if self.request.get("Select") == "ALL_ATTRIBUTES":
                raise invalid(
                    "Select type ALL_ATTRIBUTES is not supported for global secondary index "
                    f"{index.name} because its projection type is not ALL"
                )
            missing = sorted(wanted - index.projected)
            if missing:
                raise invalid(
                    f"Global secondary index {index.name} does not project [{', '.join(missing)}]"
                )
            return False
        if self.request.get("Select") == "ALL_ATTRIBUTES":
            return True
        if self.filter is not None and self.projection is not None:
            wanted |= self.filter.attributes
        return not wanted <= index.projected

    def _key_of(self, item: Item) -> Item:
        names = list(self.table.key_names)
        if self.index is not None:
            names += [name for name in self.index.key_names if name not in names]
        return {name: item[name] for name in names}

    def _units(self, size: int) -> Units:
        read = read_units(size, self.consistent)
        if self.index is None:
            return Units(read)
        units = Units(self.fetched)
        (units.globals if self.index.is_global else units.local)[self.index.name] = read
        return units


# --- where to read -----------------------------------------------------------------------


def query_sql(reader: Reader, wanted: Range, start: Item | None) -> tuple[str, list[Any]]:
    """The statement that reads ``wanted``, after ``start``, and its values."""
    low, high = wanted.low, wanted.high
    bindings: list[Any] = [wanted.pk]
    if start is not None:
        place = position(start, reader.table, reader.index)
        check_inside(place, wanted)
        if reader.index is None and reader.table.range is None:
            raise refuse_single_item(start)
        if reader.index is not None:
            bindings.extend(place[1:])
        elif reader.forward:
            low = place[1] + b"\x00"
        else:
            high = place[1]
    bindings.append(low)
    if high is not None:
        bindings.append(high)
    on_index = reader.index is not None
    order = _query_order(on_index, on_index and start is not None, high is not None, reader.forward)
    return reader.source + order, bindings


@cache
def _query_order(on_index: bool, resumed: bool, bounded: bool, forward: bool) -> str:
    """The end of a query's statement; it has a place for every value that may be there."""
    where = " WHERE x.pk=?"
    if resumed:
        where += f" AND (x.sk, x.base_pk, x.base_sk) {'>' if forward else '<'} (?, ?, ?)"
    where += " AND x.sk>=?"
    if bounded:
        where += " AND x.sk<?"
    keys = ("x.sk", "x.base_pk", "x.base_sk") if on_index else ("x.sk",)
    return f"{where} ORDER BY " + ", ".join(key + ("" if forward else " DESC") for key in keys)


def _scan_sql(reader: Reader, start: Item | None) -> tuple[str, list[Any]]:
    where: list[str] = []
    bindings: list[Any] = []
    total = reader.request.get("TotalSegments", 1)
    number = reader.request.get("Segment", 0)
    low, high = segment(number, total)
    names = ["x.pk", "x.sk"]
    if reader.index is not None:
        names += ["x.base_pk", "x.base_sk"]
    if start is not None:
        place = position(start, reader.table, reader.index)
        if place[0] < low or (high is not None and place[0] >= high):
            raise validation(
                f"{BAD_START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                f"correct Segment. TotalSegments: {total} Segment: {number}"
            )
        where.append(f"({', '.join(names)}) > ({', '.join('?' * len(names))})")
        bindings.extend(place)
    elif low:
        where.append("x.pk>=?")
        bindings.append(low)
    if high is not None:
        where.append("x.pk<?")
        bindings.append(high)
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    order = ", ".join(names)
    return f"{reader.source}{condition} ORDER BY {order}", bindings


# --- checks ------------------------------------------------------------------------------


def _find_index(table: Table, request: Request) -> Index | None:
    name = request.get("IndexName")
    if name is None:
        return None
    index = table.indexes.get(name)
    if index is None:
        raise validation(f"The table does not have the specified index: {name}")
    if index.is_global and request.get("ConsistentRead"):
        raise validation("Consistent reads are not supported on global secondary indexes")
    if index.status == "CREATING":
        raise validation(f"Cannot read from backfilling global secondary index: {name}")
    return index


def _check_select(request: Request) -> None:
    select = request.get("Select")
    if select is None:
        return
    for name in ("AttributesToGet", "ProjectionExpression"):
        if request.get(name) is not None and select != "SPECIFIC_ATTRIBUTES":
            what = "only the Count" if select == "COUNT" else select
            raise validation(f"Cannot specify the {name} when choosing to get {what}")
    if select == "SPECIFIC_ATTRIBUTES" and not (
        request.get("AttributesToGet") or request.get("ProjectionExpression")
    ):
        raise validation(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        raise validation(
            "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
        )


def _check_segments(request: Request) -> None:
    number, total = request.get("Segment"), request.get("TotalSegments")
    if number is not None and total is None:
        raise validation(
            "The TotalSegments parameter is required but was not present in the request when "
            "Segment parameter is present"
        )
    if total is not None and number is None:
        raise validation(
            "The Segment parameter is required but was not present in the request when parameter "
            "TotalSegments is present"
        )
    if total is not None and number is not None and number >= total:
        raise validation(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {number} is not less than TotalSegments: {total}"
        )


def _refuse_keys(condition: Condition, names: Iterable[str], old_form: bool) -> None:
    for name in names:
        if name in condition.attributes:
            word = "QueryFilter" if old_form else "Filter Expression"
            raise validation(
                f"{word} can only contain non-primary key attributes: Primary key attribute: {name}"
            )


def _refuse_unprojected(condition: Condition, index: Index | None) -> None:
    """Refuse the filter of a query on attributes that its index does not hold.

    A local index is no exception, although a query may have it completed from the table.
    """
    if index is None or index.projected is None:
        return
    missing = sorted(condition.attributes - index.projected)
    if missing:
        raise invalid(
            f"Secondary index {index.name} does not project one or more filter attributes: "
            f"[{', '.join(missing)}]"
        )


OPERATIONS = {"Query": (query, False), "Scan": (scan, False)}
