"""GetItem, BatchGetItem, TransactGetItems, Query and Scan: answers and read units."""

from __future__ import annotations

from tablewright.expressions import KeyTerm
from tablewright.plan.contents import Row
from tablewright.plan.entries import entry_size, projected
from tablewright.plan.service import Body, Service, scope_of
from tablewright.plan.units import PAGE_BYTES, TRANSACTION, Place, read_units
from tablewright.values import Item, compare


def get_item(service: Service, body: Body) -> Body:
    table = body["TableName"]
    item = service.contents.get(table, body["Key"])
    _use_item(service, table, body["Key"], item, bool(body.get("ConsistentRead")))
    return {} if item is None else {"Item": item}


def batch_get_item(service: Service, body: Body) -> Body:
    answers: Body = {}
    for table, asked in body["RequestItems"].items():
        found = [service.contents.get(table, key) for key in asked["Keys"]]
        for key, item in zip(asked["Keys"], found, strict=True):
            _use_item(service, table, key, item, bool(asked.get("ConsistentRead")))
        answers[table] = [item for item in found if item is not None]
    return {"Responses": answers}


def transact_get_items(service: Service, body: Body) -> Body:
    found: list[Body] = []
    for member in body["TransactItems"]:
        table, key = member["Get"]["TableName"], member["Get"]["Key"]
        item = service.contents.get(table, key)
        _use_item(service, table, key, item, True, TRANSACTION)
        found.append({} if item is None else {"Item": item})
    return {"Responses": found}


def query(service: Service, body: Body) -> Body:
    terms = scope_of(body).key_condition(body["KeyConditionExpression"])
    rows = service.contents.rows(body["TableName"], body.get("IndexName"))
    key = {term.name: term.values[0] for term in terms if term.operator == "="}
    return _page(service, body, [row for row in rows if _all_met(row.held, terms)], key)


def scan(service: Service, body: Body) -> Body:
    rows = service.contents.rows(body["TableName"], body.get("IndexName"))
    return _page(service, body, rows, None)


def _use_item(
    service: Service, table: str, key: Item, item: Item | None, consistent: bool, factor: int = 1
) -> None:
    units = read_units(service.size_of(table, item), consistent)
    service.use_read(Place(table), factor * units, key)


# --- pages ---------------------------------------------------------------------------------------


def _page(service: Service, body: Body, rows: list[Row], key: Item | None) -> Body:
    """One page of the rows; all that is read counts, whatever the filter leaves of it."""
    place = Place(body["TableName"], body.get("IndexName"))
    consistent = bool(body.get("ConsistentRead"))
    page, more = _cut(service, body, _after_start(service, body, rows))
    size = sum(_held_size(service, place, row) for row in page)
    service.use_read(place, read_units(size, consistent), key)
    service.rows += len(page)
    service.bytes += size
    if _incomplete(service, body, place):
        for row in page:
            _use_item(service, place.table, row.item, row.item, consistent)
    text = body.get("FilterExpression")
    keep = None if text is None else scope_of(body).condition(text, "FilterExpression")
    items = [row.held for row in page if keep is None or keep.matches(row.held)]
    answer: Body = {"Items": items, "Count": len(items)}
    return answer if more is None else {**answer, "LastEvaluatedKey": more}


def _after_start(service: Service, body: Body, rows: list[Row]) -> list[Row]:
    """The rows in the order that was asked for, from the start key on."""
    forward = body.get("ScanIndexForward", True)
    ordered = rows if forward else rows[::-1]
    start = body.get("ExclusiveStartKey")
    if start is None:
        return ordered
    after = service.contents.position(body["TableName"], body.get("IndexName"), start)
    if forward:
        return [row for row in ordered if row.position > after]
    return [row for row in ordered if row.position < after]


def _cut(service: Service, body: Body, rows: list[Row]) -> tuple[list[Row], Item | None]:
    """The rows until ``Limit`` or 1 MB is reached, and the last of them if it was."""
    place = Place(body["TableName"], body.get("IndexName"))
    size = 0
    for number, row in enumerate(rows, 1):
        size += _held_size(service, place, row)
        if size >= PAGE_BYTES or number == body.get("Limit"):
            return rows[:number], row.item
    return rows, None


def _held_size(service: Service, place: Place, row: Row) -> int:
    table = service.table(place.table)
    if place.index is None:
        return service.size(table, row.item)
    return entry_size(table, table.indexes[place.index], row.held, service.size)


def _incomplete(service: Service, body: Body, place: Place) -> bool:
    """Whether a local index lacks what is asked for: each item is then read from the table too."""
    table = service.table(place.table)
    index = None if place.index is None else table.indexes[place.index]
    text = body.get("ProjectionExpression")
    if index is None or not index.local or text is None:
        return False
    held = projected(table, index)
    wanted = scope_of(body).projection(text).attributes
    if body.get("FilterExpression") is not None:
        wanted |= scope_of(body).condition(body["FilterExpression"]).attributes
    return held is not None and not wanted <= held


def _all_met(held: Item, terms: list[KeyTerm]) -> bool:
    return all(_met(held, term) for term in terms)


def _met(held: Item, term: KeyTerm) -> bool:
    value = held[term.name]
    if term.operator == "begins_with":
        (kind,) = value
        return bool(value[kind].startswith(term.values[0][kind]))
    orders = [compare(value, other) or 0 for other in term.values]
    if term.operator == "BETWEEN":
        return orders[0] >= 0 >= orders[1]
    tests = {
        "=": orders[0] == 0,
        "<": orders[0] < 0,
        "<=": orders[0] <= 0,
        ">": orders[0] > 0,
        ">=": orders[0] >= 0,
    }
    return tests[term.operator]
