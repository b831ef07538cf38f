"""CreateTable: check the definition, make the storage, keep the body."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from tablewright.engine.catalog import create_table_storage, table_name
from tablewright.engine.errors import in_use
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.tables import policies, settings, tags, throughput
from tablewright.engine.tables.definitions import check_definition
from tablewright.engine.tables.describe import describe_created, moment
from tablewright.engine.tables.listing import check_not_deleting

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


def create_table(engine: Engine, request: Request, shape: object) -> Work:
    """Answers CREATING, as the service does, though the table can be used at once."""
    name = table_name(request["TableName"])
    check_create(request)

    def work(transaction: Transaction) -> Response:
        if engine.catalog.find(name) is not None:
            raise in_use(f"Table already exists: {name}")
        check_not_deleting(engine, name)
        body = new_body(engine, transaction, name, request)
        delays = engine.catalog.delays
        if delays is not None:
            # Before the table is served, so that nobody sees it settled.
            transaction.after_commit(lambda: delays.start_creation(name))
        table = engine.catalog.save(transaction, body)
        create_table_storage(transaction, table)
        warmed = bool(request.get("WarmThroughput"))
        return {"TableDescription": describe_created(engine, table, warmed)}

    return work


def check_create(request: Request) -> None:
    """All that can be said against a CreateTable request before its turn comes."""
    settings.check_offered(request)
    throughput.check_new_table(request)
    check_definition(request)
    throughput.check_new_indexes(request)
    settings.check_new_stream(request)
    settings.check_encryption(request)
    tags.check_tags(request.get("Tags") or ())
    if "ResourcePolicy" in request:
        policies.check_policy(request["ResourcePolicy"])


def new_body(engine: Engine, transaction: Transaction, name: str, request: Request) -> Body:
    """The body a new table starts with; gives out its storage numbers."""
    mode = throughput.billing_mode(request) or throughput.PROVISIONED
    now = moment(transaction.now)
    body: Body = {
        "TableName": name,
        "number": engine.catalog.next_number(transaction),
        "TableId": str(uuid.uuid4()),
        "TableArn": f"arn:aws:dynamodb:{engine.region}:{engine.account}:table/{name}",
        "CreationDateTime": now,
        "TableStatus": "ACTIVE",
        "AttributeDefinitions": by_name(request["AttributeDefinitions"]),
        "KeySchema": request["KeySchema"],
        "BillingMode": mode,
        **throughput.new_throughput(request, mode),
        "DeletionProtectionEnabled": bool(request.get("DeletionProtectionEnabled")),
        "tags": tags.check_tags(request.get("Tags") or ()),
    }
    if mode == throughput.ON_DEMAND:
        body["BillingModeSummary"] = {
            "BillingMode": mode,
            "LastUpdateToPayPerRequestDateTime": now,
        }
    for key in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        if request.get(key):
            body[key] = [
                new_index(engine, transaction, body, index, key.startswith("Global"))
                for index in request[key]
            ]
    if "ResourcePolicy" in request:
        body["policy"] = policies.new_policy(request["ResourcePolicy"], transaction.now)
    settings.set_encryption(engine, body, request)
    settings.set_table_class(body, request, None)
    if (request.get("StreamSpecification") or {}).get("StreamEnabled"):
        settings.set_stream(engine, transaction, body, request)
    return body


def new_index(
    engine: Engine, transaction: Transaction, body: Body, index: Request, is_global: bool
) -> Body:
    """The body of a new index of the table with ``body``."""
    new: Body = {
        "IndexName": index["IndexName"],
        "number": engine.catalog.next_number(transaction),
        "KeySchema": index["KeySchema"],
        "Projection": _projection(index["Projection"]),
        "IndexArn": f"{body['TableArn']}/index/{index['IndexName']}",
    }
    if is_global:
        new["IndexStatus"] = "ACTIVE"
        new.update(throughput.new_throughput(index, body["BillingMode"]))
    return new


def by_name(definitions: list[Body]) -> list[Body]:
    """Attribute definitions in the order in which they are always told."""
    return sorted(definitions, key=lambda each: str(each["AttributeName"]))


def _projection(given: Request) -> Body:
    projection = dict(given)
    if "NonKeyAttributes" in projection:
        projection["NonKeyAttributes"] = sorted(projection["NonKeyAttributes"])
    return projection


OPERATIONS = {"CreateTable": (create_table, True)}
