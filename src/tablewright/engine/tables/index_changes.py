"""UpdateTable's GlobalSecondaryIndexUpdates: adding, removing and changing global indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablewright.engine.catalog import create_index_storage
from tablewright.engine.errors import AwsError, invalid, not_found, validation
from tablewright.engine.handler import Request
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction
from tablewright.engine.tables import backfill, throughput
from tablewright.engine.tables.create import by_name, new_index
from tablewright.engine.tables.definitions import (
    MAX_GLOBAL_INDEXES,
    attribute_names,
    check_new_index,
    check_projected_total,
)
from tablewright.engine.tables.describe import warm_throughput

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


_KINDS = ("Update", "Create", "Delete")


def actions(request: Request) -> Iterator[tuple[str, Request]]:
    """What is to be done, one kind and its details after the other."""
    for update in request.get("GlobalSecondaryIndexUpdates") or ():
        for kind in _KINDS:
            if kind in update:
                yield kind, update[kind]


def of_kind(request: Request, *kinds: str) -> list[Request]:
    return [action for kind, action in actions(request) if kind in kinds]


# --- checks that need no table -----------------------------------------------------------


def check_request(request: Request) -> None:
    """What can be said against the updates whatever the table is like."""
    seen: set[str] = set()
    for update in request.get("GlobalSecondaryIndexUpdates") or ():
        given = [update[kind] for kind in _KINDS if kind in update]
        if not given:
            raise invalid(
                "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
                "GlobalSecondaryIndexUpdate.Delete must not be null"
            )
        if len(given) > 1:
            raise invalid(
                "Only one global secondary index action is allowed per "
                "GlobalSecondaryIndexUpdate object"
            )
        name = given[0]["IndexName"]
        if name in seen:
            raise invalid(
                "Only one global secondary index update per index is allowed simultaneously. "
                f"Index: {name}"
            )
        seen.add(name)
    for kind, action in actions(request):
        if kind == "Create":
            _check_create(request, action)
        elif action.get("WarmThroughput") == {}:
            raise invalid(
                "WarmThroughput must have at least one of ReadUnitsPerSecond or "
                f"WriteUnitsPerSecond specified for index: {action['IndexName']}"
            )


def _check_create(request: Request, index: Request) -> None:
    if not request.get("AttributeDefinitions"):
        raise invalid(f"AttributeDefinitions is not specified for index: {index['IndexName']}")
    check_new_index(index, [each["AttributeName"] for each in request["AttributeDefinitions"]])


# --- checks against the table ------------------------------------------------------------


def check_state(table: Table, request: Request) -> None:
    """What can be said against adding and removing indexes of this table."""
    online = of_kind(request, "Create", "Delete")
    unsettled = {index.name for index in table.indexes.values() if index.status != "ACTIVE"}
    names = {action["IndexName"] for action in online}
    # The one thing that may be done to an index that is being filled is to remove it.
    if len(online) > 1 or (online and unsettled - names):
        raise _limit("Only 1 online index can be created or deleted simultaneously per table")
    for kind, action in actions(request):
        if kind == "Create":
            _check_addition(table, request, action)
            continue
        units = action.get("ProvisionedThroughput") or {}
        if any(value > throughput.MAX_UNITS for value in units.values()):
            raise validation(
                "This operation cannot be performed with given input values. Please contact "
                "DynamoDB service team for more info: Action Blocked: IndexUpdate"
            )
        _check_known(table, kind, action["IndexName"])


def _check_known(table: Table, kind: str, name: str) -> None:
    index = table.indexes.get(name)
    if index is None:
        raise not_found(f"Requested resource not found: Index {name} for table {table.name}")
    if not index.is_global:
        raise validation(
            f"Cannot {kind.lower()} an index that is not a GlobalSecondaryIndex: {name}"
        )


def _check_addition(table: Table, request: Request, new: Request) -> None:
    if new["IndexName"] in table.indexes:
        raise validation("Attempting to create an index which already exists")
    existing = [index.body for index in table.indexes.values()]
    if sum(index.is_global for index in table.indexes.values()) >= MAX_GLOBAL_INDEXES:
        raise _limit(
            f"Number of global secondary indexes exceeds per-table limit of {MAX_GLOBAL_INDEXES}"
        )
    _check_types(table, request, new)
    check_projected_total((*existing, new))


def _check_types(table: Table, request: Request, new: Request) -> None:
    types = _types(request["AttributeDefinitions"])
    for name in attribute_names(new["KeySchema"]):
        if table.types.get(name, types[name]) != types[name]:
            schemas = [table.body["KeySchema"], *(i.body["KeySchema"] for i in _indexes(table))]
            known = next(each for each in schemas if name in attribute_names(each))
            raise invalid(
                "Attributes cannot be redefined. Please check that your attribute has the same "
                "type as previously defined. "
                f"Existing schema: {_schema(known, table.types)} "
                f"New schema: {_schema(new['KeySchema'], types)}"
            )


def _indexes(table: Table) -> list[Any]:
    return list(table.indexes.values())


def _types(definitions: list[Request]) -> dict[str, str]:
    return {each["AttributeName"]: each["AttributeType"] for each in definitions}


def _schema(key_schema: list[dict[str, str]], types: dict[str, str]) -> str:
    elements = (
        f"SchemaElement: key{{{each['AttributeName']}:{types[each['AttributeName']]}:"
        f"{each['KeyType']}}}"
        for each in key_schema
    )
    return f"Schema:[{', '.join(elements)}]"


def _limit(message: str) -> AwsError:
    return AwsError("LimitExceededException", f"Subscriber limit exceeded: {message}")


# --- changes of the body -----------------------------------------------------------------


def change_throughput(body: Body, request: Request, mode: str, switched: bool, now: float) -> None:
    """Change the throughput of indexes; ``mode`` is the billing mode there will be."""
    updates = {each["IndexName"]: each for each in of_kind(request, "Update")}
    indexes = {each["IndexName"]: each for each in body.get("GlobalSecondaryIndexes") or ()}
    if switched and mode == throughput.PROVISIONED:
        missing = [n for n in indexes if "ProvisionedThroughput" not in updates.get(n, {})]
        if missing:
            raise invalid(f"ProvisionedThroughput must be specified for index: {','.join(missing)}")
    for name, wanted in updates.items():
        _change_index(body, indexes[name], wanted, request, mode, switched, now)
    for added in of_kind(request, "Create"):
        throughput.check_added_index(added, mode)


def _change_index(
    body: Body,
    index: Body,
    wanted: Request,
    request: Request,
    mode: str,
    switched: bool,
    now: float,
) -> None:
    name = index["IndexName"]
    units = wanted.get("ProvisionedThroughput")
    bounds, warm = wanted.get("OnDemandThroughput"), wanted.get("WarmThroughput")
    if mode == throughput.ON_DEMAND:
        _check_on_demand(name, request, units, bounds, warm)
    elif units is None and not bounds and not warm:
        raise invalid(
            f"Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
        )
    if bounds:
        throughput.change_on_demand(index, bounds, mode, name)
    if warm:
        throughput.change_warm(index, warm, warm_throughput(body, index), name)
    if units is not None:
        if switched:
            throughput.set_units(index, units)
        else:
            throughput.change_units(index, units, name, now)


def _check_on_demand(
    name: str, request: Request, units: object, bounds: object, warm: object
) -> None:
    if units is not None and throughput.billing_mode(request) is not None:
        raise invalid(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
            f"{name} when BillingMode is PAY_PER_REQUEST"
        )
    if units is not None or not (bounds or warm):
        raise invalid(
            f"The only Updates for index: {name} when TableThroughputMode is PAY_PER_REQUEST can "
            "be to OnDemandThroughput, WarmThroughput"
        )


def apply(engine: Engine, transaction: Transaction, body: Body, request: Request) -> Body:
    """Add and remove the indexes; the body to keep."""
    for action in of_kind(request, "Delete"):
        body = _without(transaction, body, action["IndexName"])
        transaction.after_commit(lambda: backfill.clear_garbage(engine))
    for action in of_kind(request, "Create"):
        body = _with(engine, transaction, body, request, action)
    return body


def _without(transaction: Transaction, body: Body, name: str) -> Body:
    kept = [each for each in body["GlobalSecondaryIndexes"] if each["IndexName"] != name]
    (gone,) = (each for each in body["GlobalSecondaryIndexes"] if each["IndexName"] == name)
    transaction.changes += 1
    transaction.execute("INSERT INTO garbage (name) VALUES (?)", (f"x{gone['number']}",))
    body = {**body, "GlobalSecondaryIndexes": kept}
    used = {
        attribute
        for schema in (
            body["KeySchema"],
            *(each["KeySchema"] for each in (*kept, *(body.get("LocalSecondaryIndexes") or ()))),
        )
        for attribute in attribute_names(schema)
    }
    body["AttributeDefinitions"] = [
        each for each in body["AttributeDefinitions"] if each["AttributeName"] in used
    ]
    return body


def _with(
    engine: Engine, transaction: Transaction, body: Body, request: Request, action: Request
) -> Body:
    index = new_index(engine, transaction, body, action, is_global=True)
    index.update(IndexStatus="CREATING", Backfilling=True)
    types = _types(body["AttributeDefinitions"])
    new = [
        each
        for each in request["AttributeDefinitions"]
        if each["AttributeName"] in attribute_names(index["KeySchema"])
        and each["AttributeName"] not in types
    ]
    body = {
        **body,
        "AttributeDefinitions": by_name([*body["AttributeDefinitions"], *new]),
        "GlobalSecondaryIndexes": [*(body.get("GlobalSecondaryIndexes") or ()), index],
    }
    create_index_storage(transaction, index["number"])
    table = Table(body)
    # A small table is done at once; its index can be used as soon as the caller has the answer.
    last = backfill.fill_slice(transaction, table, table.indexes[index["IndexName"]])
    if last is None:
        return backfill.finished(body, index["IndexName"])
    number: int = index["number"]
    transaction.after_commit(lambda: backfill.fill_index(engine, table.name, number, last))
    return body
