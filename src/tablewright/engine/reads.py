"""Query and Scan: one page of rows in key order, filtered, projected, counted.

Rows are read in key order until the page is full: ``Limit`` rows looked at, or 1 MB of them. The
row's stored size says how far the page is, so that rows which are neither filtered nor projected
go into the response without ever being decoded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tablewright.engine import parameters
from tablewright.engine.capacity import Units, read_units, report, wants_capacity
from tablewright.engine.errors import AwsError, invalid, validation
from tablewright.engine.ranges import Range, key_range, segment
from tablewright.engine.schema import MISMATCH, Index, Table, code_of, partition_bytes
from tablewright.engine.writes import loads
from tablewright.expressions import Condition, Projection
from tablewright.values import InvalidValue, Item, normalize_item

if TYPE_CHECKING:
    import apsw

    from tablewright.engine.engine import Engine, Request, Response, Shape

PAGE_BYTES = 1024 * 1024
BAD_START = "The provided starting key is invalid"


def query(engine: Engine, request: Request, shape: Shape) -> Response:
    """Items of one partition, in sort-key order."""
    _check_select(request)
    found = parameters.for_query(request)
    start = _start_key(request)
    if found.key_terms is None:
        raise validation(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified "
            "in the request."
        )
    reader = Reader(engine, request, shape, found.filter, found.projection)
    keys = reader.index or reader.table
    hash_ = reader.index.hash if reader.index else [reader.table.hash]
    range_ = reader.index.range if reader.index else reader.table.parts[1:]
    wanted = key_range(found.key_terms, hash_, range_)
    reader.partition = wanted.pk
    if found.filter is not None:
        _refuse_keys(found.filter, keys.key_names, "KeyConditions" in request)
    return reader.page(*_query_sql(reader, wanted, start))


def scan(engine: Engine, request: Request, shape: Shape) -> Response:
    """Items of a table or index, partition by partition."""
    _check_segments(request)
    _check_select(request)
    found = parameters.for_scan(request)
    start = _start_key(request)
    reader = Reader(engine, request, shape, found.filter, found.projection)
    return reader.page(*_scan_sql(reader, start))


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
        for expression in (projection, condition):
            if expression is not None:
                refuse_nested_keys(expression.nested, self.table, self.index)
        self.fetch = self._must_fetch()
        self.fetched = 0.0
        #: the one partition that is read, if it is only one
        self.partition: bytes | None = None
        if engine.lag is not None and not self.consistent:
            self.table = engine.lag.view(self.table)
            self.index = self.index and self.table.indexes[self.index.name]

    @property
    def source(self) -> str:
        """The SQL table to read."""
        return f"t{self.table.number}" if self.index is None else f"x{self.index.number}"

    @property
    def columns(self) -> str:
        return "size, item" if self.index is None else "size, item, base_pk, base_sk"

    def page(self, sql: str, bindings: list[Any]) -> Response:
        """Read one page and answer."""
        if self.limit is not None:
            sql = f"{sql} LIMIT ?"
            bindings.append(self.limit)
        throttle = self.engine.throttle
        if throttle is not None:
            throttle.admit_read(self.table, self.index, self.partition)
        items: list[Any] = []
        count = looked_at = size = 0
        last: bytes | None = None
        with self.engine.store.reading() as connection:
            rows = connection.execute(sql, bindings)
            for row in rows:
                looked_at += 1
                size += row[0]
                kept = self._take(connection, row, items)
                count += kept
                if size >= PAGE_BYTES or looked_at == self.limit:
                    last = row[1]
                    break
            rows.close(True)
        response: Response = {"Count": count, "ScannedCount": looked_at}
        if not self.count_only:
            response["Items"] = items
        if last is not None:
            response["LastEvaluatedKey"] = self._key_of(loads(last))
        if throttle is not None:
            throttle.charge_read(self.table, self._units(size), self.index, self.partition)
        if wants_capacity(self.request):
            response["ConsumedCapacity"] = report(self.request, self.table, self._units(size))
        return response

    def _take(self, connection: apsw.Connection, row: Any, items: list[Any]) -> bool:
        """Add the row to ``items`` if the filter lets it through."""
        if self.filter is None and self.projection is None and not self.fetch:
            if not self.count_only:
                items.append(self.shape(row[1]))
            return True
        blob = row[1]
        if self.fetch:
            blob = self._whole(connection, row)
        item = loads(blob)
        if self.filter is not None and not self.filter.matches(item):
            return False
        if not self.count_only:
            items.append(
                self.shape(blob) if self.projection is None else self.projection.apply(item)
            )
        return True

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


def _query_sql(reader: Reader, wanted: Range, start: Item | None) -> tuple[str, list[Any]]:
    low, high = wanted.low, wanted.high
    where, bindings = ["pk=?"], [wanted.pk]
    if start is not None:
        position = _position(reader, start)
        if reader.index is None and reader.table.range is None:
            # Such a partition holds one item: there is nothing to go on with.
            ((name, av),) = start.items()
            ((kind, value),) = av.items()
            raise validation(
                "The provided exclusive start key is invalid: "
                f"ExclusiveStartKey: {{{name}=AttributeValue: {{{kind}:{value}}}}}"
            )
        _check_inside(reader, wanted, position)
        if reader.index is None:
            if reader.forward:
                low = position[1] + b"\x00"
            else:
                high = position[1]
        else:
            where.append(f"(sk, base_pk, base_sk) {'>' if reader.forward else '<'} (?, ?, ?)")
            bindings.extend(position[1:])
    where.append("sk>=?")
    bindings.append(low)
    if high is not None:
        where.append("sk<?")
        bindings.append(high)
    direction = "" if reader.forward else " DESC"
    keys = ("sk",) if reader.index is None else ("sk", "base_pk", "base_sk")
    order = ", ".join(key + direction for key in keys)
    condition = " AND ".join(where)
    sql = f"SELECT {reader.columns} FROM {reader.source} WHERE {condition} ORDER BY {order}"
    return sql, bindings


def _scan_sql(reader: Reader, start: Item | None) -> tuple[str, list[Any]]:
    where: list[str] = []
    bindings: list[Any] = []
    total = reader.request.get("TotalSegments", 1)
    number = reader.request.get("Segment", 0)
    low, high = segment(number, total)
    names = ("pk", "sk") if reader.index is None else ("pk", "sk", "base_pk", "base_sk")
    if start is not None:
        position = _position(reader, start)
        if position[0] < low or (high is not None and position[0] >= high):
            raise validation(
                f"{BAD_START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with "
                f"correct Segment. TotalSegments: {total} Segment: {number}"
            )
        where.append(f"({', '.join(names)}) > ({', '.join('?' * len(names))})")
        bindings.extend(position)
    elif low:
        where.append("pk>=?")
        bindings.append(low)
    if high is not None:
        where.append("pk<?")
        bindings.append(high)
    condition = f" WHERE {' AND '.join(where)}" if where else ""
    order = ", ".join(names)
    sql = f"SELECT {reader.columns} FROM {reader.source}{condition} ORDER BY {order}"
    return sql, bindings


def _position(reader: Reader, start: Item) -> tuple[bytes, ...]:
    """Where a page left off, as the columns of the row it ended with."""
    table, index = reader.table, reader.index
    names = set(table.key_names) | set(index.key_names if index else ())
    if start.keys() != names:
        detail = f": {MISMATCH}" if index is None else ""
        raise validation(BAD_START + detail)
    try:
        base = table.locate(table.key_from(start))
    except AwsError as error:
        raise validation(f"{BAD_START}: {error.message}") from None
    if index is None:
        return base
    for part in index.parts:
        if part.kind not in start[part.name]:
            raise validation(f"{BAD_START}: {MISMATCH}")
    pk = partition_bytes(code_of(index.hash, start))
    return pk, code_of(index.range, start) if index.range else b"", *base


def _check_inside(reader: Reader, wanted: Range, position: tuple[bytes, ...]) -> None:
    conditioned = wanted.low or wanted.high is not None
    if conditioned and not wanted.holds(position[1]):
        raise validation("The provided starting key does not match the range key predicate")
    if position[0] != wanted.pk:
        raise validation(
            "The provided starting key is outside query boundaries based on provided conditions"
        )


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


def _start_key(request: Request) -> Item | None:
    start = request.get("ExclusiveStartKey")
    if start is None:
        return None
    try:
        item, _ = normalize_item(start)
    except InvalidValue as error:
        text = str(error)
        number = any(word in text for word in ("duplicates", "number", "Number", "numeric"))
        raise validation(text if number else f"{BAD_START}: {text}") from None
    return item


def _check_select(request: Request) -> None:
    select = request.get("Select")
    for name in ("AttributesToGet", "ProjectionExpression"):
        if request.get(name) is not None and select not in (None, "SPECIFIC_ATTRIBUTES"):
            raise validation(f"Cannot specify the {name} when choosing to get {select}")
    if select == "SPECIFIC_ATTRIBUTES" and not (
        request.get("AttributesToGet") or request.get("ProjectionExpression")
    ):
        raise validation(
            "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
            "SPECIFIC_ATTRIBUTES"
        )
    if select == "ALL_PROJECTED_ATTRIBUTES" and request.get("IndexName") is None:
        raise invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")


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


def refuse_nested_keys(names: frozenset[str], table: Table, index: Index | None = None) -> None:
    """Key attributes are scalars: a path into one can never lead anywhere."""
    if not names:
        return
    for name in (*table.key_names, *(index.key_names if index else ())):
        if name in names:
            raise validation(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are "
                f"not allowed: IndexKey: {name}"
            )


OPERATIONS = {"Query": (query, False), "Scan": (scan, False)}
