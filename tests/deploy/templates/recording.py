"""A transport that notes which permissions AWS would ask for, from what is really sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.deploy.templates.evaluator import Asked

from tablewright.client import Embedded
from tablewright.client.transports import Request, Response
from tablewright.engine import Engine

ACCOUNT = "arn:aws:dynamodb:us-east-1:000000000000"
_MEMBERS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
    "Get": "GetItem",
}


class Recorder:
    """Sends to an engine; ``asked`` has the permissions of everything sent so far."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._inner = Embedded(engine)
        self.asked: list[Asked] = []

    def send(self, request: Request) -> Response:
        self.asked += self._needed(request.operation, request.body)
        return self._inner.send(request)

    def close(self) -> None:
        self._inner.close()

    def _needed(self, operation: str, body: Mapping[str, Any]) -> Iterator[Asked]:
        if operation in ("TransactWriteItems", "TransactGetItems"):
            for item in body["TransactItems"]:
                ((kind, inner),) = item.items()
                yield self._single(_MEMBERS[kind], inner)
        elif operation == "BatchGetItem":
            for table, asked in body["RequestItems"].items():
                keys = [self._pk(table, key) for key in asked["Keys"]]
                yield self._on(operation, table, keys, _selected(asked))
        elif operation == "BatchWriteItem":
            for table, requests in body["RequestItems"].items():
                items = [x.get("PutRequest", {}).get("Item") for x in requests]
                items += [x.get("DeleteRequest", {}).get("Key") for x in requests]
                yield self._on(operation, table, [self._pk(table, x) for x in items if x], {})
        elif operation in ("Query", "Scan"):
            yield self._selection(operation, body)
        elif operation in ("GetRecords", "GetShardIterator", "DescribeStream"):
            yield Asked(operation, self._stream(operation, body))
        elif operation == "ListStreams":
            yield Asked(operation, f"{ACCOUNT}:table/{body['TableName']}/stream/2026")
        elif "Key" not in body and "Item" not in body:
            # DescribeTable, and what sets a table up.
            yield Asked(operation, f"{ACCOUNT}:table/{body['TableName']}")
        else:
            yield self._single(operation, body)

    def _single(self, action: str, body: Mapping[str, Any]) -> Asked:
        table = body["TableName"]
        key = self._pk(table, body.get("Key") or body["Item"])
        selected = _selected(body) if action == "GetItem" else {}
        return self._on(action, table, [key], selected)

    def _selection(self, operation: str, body: Mapping[str, Any]) -> Asked:
        table, index = body["TableName"], body.get("IndexName")
        resource = f"{ACCOUNT}:table/{table}" + (f"/index/{index}" if index else "")
        context = dict(_selected(body))
        if "KeyConditionExpression" in body:
            names = self._partition(table, index)
            context["dynamodb:LeadingKeys"] = tuple(_equal(body, name) for name in names)
        return Asked(operation, resource, context)

    def _on(
        self, action: str, table: str, keys: list[str], context: Mapping[str, tuple[str, ...]]
    ) -> Asked:
        held = {**context, "dynamodb:LeadingKeys": tuple(keys)}
        return Asked(action, f"{ACCOUNT}:table/{table}", held)

    def _pk(self, table: str, item: Mapping[str, Any]) -> str:
        (name,) = self._partition(table, None)
        return str(next(iter(item[name].values())))

    def _partition(self, table: str, index: str | None) -> list[str]:
        described = self._engine.call("DescribeTable", {"TableName": table})["Table"]
        schema = described["KeySchema"]
        if index is not None:
            both = [*described.get("GlobalSecondaryIndexes", ())]
            both += described.get("LocalSecondaryIndexes", ())
            (schema,) = (each["KeySchema"] for each in both if each["IndexName"] == index)
        return [each["AttributeName"] for each in schema if each["KeyType"] == "HASH"]

    def _stream(self, operation: str, body: Mapping[str, Any]) -> str:
        if operation == "GetRecords":
            # An iterator does not say its stream; the tests follow one at a time.
            return next(
                each.resource for each in reversed(self.asked) if "/stream/" in each.resource
            )
        arn = re.sub(r"^arn:aws:dynamodb:[^:]*:[^:]*", ACCOUNT, body["StreamArn"])
        return str(arn)


def _selected(body: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The attributes that are named, and what AWS takes for Select where it is not said."""
    names = body.get("ExpressionAttributeNames", {})
    texts = " ".join(str(body.get(f"{kind}Expression", "")) for kind in _EXPRESSIONS)
    used = {names.get(token, token) for token in re.findall(r"#\w+", texts)}
    if "ProjectionExpression" in body:
        return {"dynamodb:Attributes": tuple(used), "dynamodb:Select": ("SPECIFIC_ATTRIBUTES",)}
    whole = "ALL_PROJECTED_ATTRIBUTES" if "IndexName" in body else "ALL_ATTRIBUTES"
    return {"dynamodb:Attributes": tuple(used), "dynamodb:Select": (body.get("Select", whole),)}


_EXPRESSIONS = ("Projection", "KeyCondition", "Filter")


def _equal(body: Mapping[str, Any], attribute: str) -> str:
    """The value that a key condition gives to an attribute of the partition."""
    names, values = body["ExpressionAttributeNames"], body["ExpressionAttributeValues"]
    for name, value in re.findall(r"(#\w+) = (:\w+)", body["KeyConditionExpression"]):
        if names[name] == attribute:
            return str(next(iter(values[value].values())))
    raise AssertionError(f"{attribute} is not in {body['KeyConditionExpression']}")
