"""PutItem, UpdateItem, DeleteItem, BatchWriteItem, TransactWriteItems: changes and write units.

A write costs the base table by the larger of the old and the new item, and each index by its
entry: nothing if that stays as it is, one write if it changes, a delete and a put if its key does.
A transaction doubles what the table is charged, not its indexes.
"""

from __future__ import annotations

from tablewright.model.table import Table
from tablewright.plan.entries import Sizes, entry_of, index_units, own_size
from tablewright.plan.service import Body, Refused, Service, scope_of
from tablewright.plan.units import TRANSACTION, Place, write_units
from tablewright.values import Item, normalize_item


def change_units(
    table: Table, before: Item | None, after: Item | None, size: Sizes = own_size
) -> dict[Place, float]:
    """Units that one changed item takes of its table and of every index."""
    largest = max((size(table, each) for each in (before, after) if each is not None), default=0)
    used: dict[Place, float] = {Place(table.name): write_units(largest)}
    for index in table.indexes.values():
        units = index_units(table, index, before, after, size)
        used[Place(table.name, index.name)] = units
    return used


def put_item(service: Service, body: Body) -> Body:
    return _alone(service, "Put", body)


def update_item(service: Service, body: Body) -> Body:
    return _alone(service, "Update", body)


def delete_item(service: Service, body: Body) -> Body:
    return _alone(service, "Delete", body)


def batch_write_item(service: Service, body: Body) -> Body:
    for table, requests in body["RequestItems"].items():
        for request in requests:
            kind = "Put" if "PutRequest" in request else "Delete"
            _change(service, kind, {"TableName": table, **request[f"{kind}Request"]})
    return {}


def transact_write_items(service: Service, body: Body) -> Body:
    members = [next(iter(member.items())) for member in body["TransactItems"]]
    if not all(_holds(service, each) for _, each in members):
        for _, each in members:
            _use_refused(service, each, TRANSACTION)
        raise Refused
    for kind, each in members:
        _change(service, kind, each, TRANSACTION)
    return {}


def _alone(service: Service, kind: str, body: Body) -> Body:
    if not _holds(service, body):
        _use_refused(service, body)
        raise Refused
    before, after = _change(service, kind, body)
    returned = before if body.get("ReturnValues") == "ALL_OLD" else after
    return {} if returned is None else {"Attributes": returned}


def _holds(service: Service, body: Body) -> bool:
    text = body.get("ConditionExpression")
    return text is None or scope_of(body).condition(text).matches(_stored(service, body))


def _use_refused(service: Service, body: Body, factor: int = 1) -> None:
    """A refused write is paid for by the size of the item that is there."""
    table = body["TableName"]
    size = service.size_of(table, _stored(service, body))
    service.use_write(Place(table), factor * write_units(size), _key(body))


def _change(
    service: Service, kind: str, body: Body, factor: int = 1
) -> tuple[Item | None, Item | None]:
    """Make one change; the item before and after it."""
    name = body["TableName"]
    before = _stored(service, body)
    after = before if kind == "ConditionCheck" else _outcome(kind, body, before)
    used = change_units(service.table(name), before, after, service.size)
    for place, units in used.items():
        if units:
            times = factor if place.index is None else 1
            service.use_write(place, times * units, _written(service, place, before, after, body))
    if after is None:
        service.contents.delete(name, _key(body))
    else:
        service.contents.put(name, after)
    return before, after


def _written(
    service: Service, place: Place, before: Item | None, after: Item | None, body: Body
) -> Item:
    """The item or entry whose partition is written: the new one, if there is one."""
    if place.index is None:
        return _key(body)
    table = service.table(place.table)
    index = table.indexes[place.index]
    return entry_of(table, index, after) or entry_of(table, index, before) or {}


def _outcome(kind: str, body: Body, before: Item | None) -> Item | None:
    if kind == "Delete":
        return None
    if kind == "Put":
        return normalize_item(body["Item"])[0]
    text = body.get("UpdateExpression")
    update = None if text is None else scope_of(body).update(text)
    if update is None:
        return before or _key(body)
    if before is None:
        # Taking attributes away from an item that is not there does not make one.
        return None if update.only_removes else update.apply(_key(body), exists=False)
    return update.apply(before)


def _stored(service: Service, body: Body) -> Item | None:
    return service.contents.get(body["TableName"], _key(body))


def _key(body: Body) -> Item:
    """What the item is found by: a whole item has its key in it."""
    return normalize_item(body.get("Key") or body["Item"])[0]
