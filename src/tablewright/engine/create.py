"""CreateTable: check the definition, make the storage, keep the body."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine import throughput
from tablewright.engine.catalog import create_table_storage, table_name
from tablewright.engine.definitions import check_definition
from tablewright.engine.describe import describe
from tablewright.engine.errors import in_use
from tablewright.engine.schema import Body
from tablewright.engine.store import Transaction

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

Request: TypeAlias = dict[str, Any]
Work: TypeAlias = Callable[[Transaction], Request]

_COPIED = ("AttributeDefinitions", "KeySchema", "DeletionProtectionEnabled")


def create_table(engine: Engine, request: Request, shape: object) -> Work:
    """Answers CREATING, as the service does, though the table can be used at once."""
    name = table_name(request["TableName"])
    check_create(request)

    def work(transaction: Transaction) -> Request:
        if engine.catalog.find(name) is not None:
            raise in_use(f"Table already exists: {name}")
        body = new_body(engine, transaction, name, request)
        table = engine.catalog.save(transaction, body)
        create_table_storage(transaction, table)
        return {"TableDescription": describe(engine, table, "CREATING")}

    return work


def check_create(request: Request) -> None:
    """All that can be said against a CreateTable request before its turn comes."""
    throughput.check_create(request)
    check_definition(request)
    throughput.check_create_indexes(request)


def new_body(engine: Engine, transaction: Transaction, name: str, request: Request) -> Body:
    """The body a new table starts with; gives out its storage numbers."""
    mode = throughput.billing_mode(request) or throughput.PROVISIONED
    arn = f"arn:aws:dynamodb:{engine.region}:{engine.account}:table/{name}"
    body: Body = {
        "TableName": name,
        "number": engine.catalog.next_number(transaction),
        "TableId": str(uuid.uuid4()),
        "TableArn": arn,
        "CreationDateTime": transaction.now,
        "TableStatus": "ACTIVE",
        "BillingMode": mode,
        "ProvisionedThroughput": throughput.new_units(request),
        **throughput.new_on_demand(request),
        **throughput.new_warm(request, mode),
        **{key: request[key] for key in _COPIED if key in request},
    }
    if mode == throughput.ON_DEMAND:
        body["BillingModeSummary"] = {
            "BillingMode": mode,
            "LastUpdateToPayPerRequestDateTime": transaction.now,
        }
    for key in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(key):
            body[key] = [
                new_index(engine, transaction, arn, mode, index, key.startswith("Global"))
                for index in request[key]
            ]
    return body


def new_index(
    engine: Engine, transaction: Transaction, arn: str, mode: str, index: Request, is_global: bool
) -> Body:
    """The body of a new index."""
    body: Body = {
        "IndexName": index["IndexName"],
        "number": engine.catalog.next_number(transaction),
        "KeySchema": index["KeySchema"],
        "Projection": index["Projection"],
        "IndexArn": f"{arn}/index/{index['IndexName']}",
    }
    if is_global:
        body["IndexStatus"] = "ACTIVE"
        body["ProvisionedThroughput"] = throughput.new_units(index)
        body.update(throughput.new_on_demand(index))
        body.update(throughput.new_warm(index, mode))
    return body


OPERATIONS = {"CreateTable": (create_table, True)}
