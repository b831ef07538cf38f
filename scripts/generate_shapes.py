"""Write ``engine/shapes/shapes.json``: what AWS's service model says about each request.

    python scripts/generate_shapes.py            # write the file
    python scripts/generate_shapes.py --check    # only tell whether it is up to date

The model comes from botocore, which is needed here and nowhere at run time. The published model
is not quite what the service enforces; ``CORRECTIONS`` and its neighbours below hold every
known difference (the order in which enumerations are printed, limits the model leaves out,
limits another stage words differently), so that the generated file can simply be believed.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import botocore

Shape = dict[str, Any]

OUTPUT = Path(__file__).parents[1] / "src/tablewright/engine/shapes/shapes.json"
SERVICES = ("dynamodb", "dynamodbstreams")

#: Enumerations in the order the service prints them; the others are printed as modelled.
ENUM_ORDER = {
    "ComparisonOperator": (
        "IN NULL BETWEEN LT NOT_CONTAINS EQ GT NOT_NULL NE LE BEGINS_WITH GE CONTAINS"
    ),
    "ConditionalOperator": "OR AND",
    "ContributorInsightsMode": "THROTTLED_KEYS ACCESSED_AND_THROTTLED_KEYS",
    "ProjectionType": "ALL INCLUDE KEYS_ONLY",
    "ReturnValue": "ALL_NEW UPDATED_OLD ALL_OLD NONE UPDATED_NEW",
    "ScalarAttributeType": "B N S",
    "Select": "SPECIFIC_ATTRIBUTES COUNT ALL_ATTRIBUTES ALL_PROJECTED_ATTRIBUTES",
    "ShardIteratorType": (
        "AFTER_SEQUENCE_NUMBER LATEST AT_TIMESTAMP AT_SEQUENCE_NUMBER TRIM_HORIZON"
    ),
    "StreamViewType": "OLD_IMAGE KEYS_ONLY NEW_AND_OLD_IMAGES NEW_IMAGE",
}

#: Members in the order the service reports them; those not named follow as modelled.
MEMBER_ORDER = {
    "AttributeDefinition": "AttributeType AttributeName",
    "BatchGetItemInput": "ReturnConsumedCapacity RequestItems",
    "BatchWriteItemInput": "ReturnConsumedCapacity ReturnItemCollectionMetrics RequestItems",
    "CreateTableInput": (
        "AttributeDefinitions TableName BillingMode ProvisionedThroughput KeySchema"
        " GlobalSecondaryIndexes LocalSecondaryIndexes"
    ),
    "DeleteItemInput": (
        "ReturnConsumedCapacity TableName ReturnValues ReturnItemCollectionMetrics Key"
        " ConditionalOperator Expected"
    ),
    "GetItemInput": "ReturnConsumedCapacity AttributesToGet TableName Key",
    "GlobalSecondaryIndexUpdate": "Update Create Delete",
    "ProvisionedThroughput": "WriteCapacityUnits ReadCapacityUnits",
    "PutItemInput": (
        "ReturnConsumedCapacity TableName Item ConditionalOperator Expected ReturnValues"
        " ReturnItemCollectionMetrics"
    ),
    "QueryInput": (
        "Select IndexName ReturnConsumedCapacity QueryFilter TableName ConditionalOperator"
        " AttributesToGet Limit KeyConditions"
    ),
    "ScanInput": (
        "Select IndexName TotalSegments ReturnConsumedCapacity TableName ConditionalOperator"
        " ScanFilter Segment Limit AttributesToGet"
    ),
    "TimeToLiveSpecification": "AttributeName Enabled",
    "UpdateItemInput": (
        "ReturnConsumedCapacity TableName ReturnItemCollectionMetrics ReturnValues"
        " ConditionalOperator Key Expected AttributeUpdates"
    ),
    "WriteRequest": "DeleteRequest PutRequest",
}

_NAME = {"type": "string", "min": 3, "max": 255, "pattern": "[a-zA-Z0-9_.-]+"}

#: Shapes that replace or extend the modelled ones.
CORRECTIONS: dict[str, Shape] = {
    # A name or an ARN; the service applies the rules of a name to what is not an ARN.
    "TableArn": {**_NAME, "arn": True},
    # Only indexes may have more than one attribute per key role.
    "TableKeySchema": {"type": "list", "member": "KeySchemaElement", "min": 1, "max": 2},
    # These two are worded without the value, and only if nothing else is wrong.
    "QueryLimit": {"type": "integer", "min": 1, "late": True},
    "BatchKeyList": {"type": "list", "member": "Key", "min": 1, "max": 100, "late": True},
    "KMSMasterKeyId": {"type": "string", "min": 1},
    # The number of tables in one batch follows from the number of requests.
    "BatchGetRequestMap": {
        "type": "map", "key": "TableArn", "value": "KeysAndAttributes", "min": 1,
    },
    "BatchWriteItemRequestMap": {
        "type": "map", "key": "TableArn", "value": "WriteRequests", "min": 1,
    },
    # The tag operations, the operations on ARNs and the replica operations do their own checks.
    "AnyString": {"type": "string"},
    "TagKeyString": {"type": "string"},
    "TagValueString": {"type": "string"},
    "NonKeyAttributeNameList": {"type": "list", "member": "NonKeyAttributeName", "min": 1},
    "HundredLimit": {"type": "integer", "min": 1, "max": 100},
    "ThousandLimit": {"type": "integer", "min": 1, "max": 1000},
    "AutoScalingPolicyName": {"type": "string", "min": 1, "max": 256},
    "AutoScalingRoleArn": {"type": "string", "min": 1, "max": 1600},
}  # fmt: skip

#: Members that have another shape than modelled, or are not modelled: (structure, member) -> shape.
MEMBER_SHAPES = {
    # The older name of BillingMode, which the service still reads.
    ("CreateTableInput", "TableThroughputMode"): "BillingMode",
    ("UpdateTableInput", "TableThroughputMode"): "BillingMode",
    ("CreateTableInput", "KeySchema"): "TableKeySchema",
    ("LocalSecondaryIndex", "KeySchema"): "TableKeySchema",
    ("TableCreationParameters", "KeySchema"): "TableKeySchema",
    ("QueryInput", "Limit"): "QueryLimit",
    ("KeysAndAttributes", "Keys"): "BatchKeyList",
    ("CreateTableInput", "GlobalTableSourceArn"): "AnyString",
    ("ExportTableToPointInTimeInput", "TableArn"): "AnyString",
    ("ListExportsInput", "TableArn"): "AnyString",
    ("ListImportsInput", "TableArn"): "AnyString",
    ("RestoreTableToPointInTimeInput", "SourceTableArn"): "AnyString",
    ("ListTagsOfResourceInput", "ResourceArn"): "AnyString",
    ("TagResourceInput", "ResourceArn"): "AnyString",
    ("UntagResourceInput", "ResourceArn"): "AnyString",
    ("DescribeStreamInput", "Limit"): "HundredLimit",
    ("ListStreamsInput", "Limit"): "HundredLimit",
    ("GetRecordsInput", "Limit"): "ThousandLimit",
}

#: What is required, where the model says something else.
REQUIRED: dict[str, list[str]] = {
    "CreateTableInput": ["AttributeDefinitions", "KeySchema", "TableName"],
    "CreateReplicaAction": [],
    "CreateReplicationGroupMemberAction": [],
    "CreateGlobalTableWitnessGroupMemberAction": [],
    "DeleteGlobalTableWitnessGroupMemberAction": [],
    "Tag": [],
}


def main() -> int:
    text = render()
    if "--check" in sys.argv[1:]:
        current = OUTPUT.read_text() if OUTPUT.exists() else ""
        if current != text:
            print(f"{OUTPUT.name} is not what botocore {botocore.__version__} gives")
            return 1
        return 0
    OUTPUT.write_text(text)
    print(f"{OUTPUT.name}: {len(text)} characters")
    return 0


def render() -> str:
    """The generated file: one line per operation and per shape."""
    operations: dict[str, dict[str, str]] = {}
    shapes: dict[str, Shape] = {}
    for service in SERVICES:
        model = load(service)
        operations[service] = {
            name: operation["input"]["shape"] for name, operation in model["operations"].items()
        }
        for name in operations[service].values():
            collect(model["shapes"], name, shapes)
    lines = ["{", f'"source": "botocore {botocore.__version__}",', '"operations": {']
    lines += _entries(operations)
    lines += ["},", '"shapes": {']
    lines += _entries(dict(sorted(shapes.items())))
    lines += ["}", "}"]
    return "\n".join(lines) + "\n"


def _entries(mapping: dict[str, Any]) -> list[str]:
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in mapping.items()]
    lines[-1] = lines[-1].rstrip(",")
    return lines


def load(service: str) -> dict[str, Any]:
    root = Path(botocore.__file__).parent / "data" / service / "2012-08-10"
    with gzip.open(root / "service-2.json.gz") as stream:
        model: dict[str, Any] = json.load(stream)
    return model


def collect(model: dict[str, Shape], name: str, into: dict[str, Shape]) -> None:
    """Put shape ``name`` and what it refers to into ``into``."""
    if name == "AttributeValue":
        into[name] = {"type": "value"}
        return
    shape = CORRECTIONS.get(name) or simplify(name, model[name])
    if name in into:
        # The two services share names; a shape that differs would need a name of its own.
        assert into[name] == shape, name
        return
    into[name] = shape
    references = [shape.get("member"), shape.get("key"), shape.get("value")]
    references += shape.get("members", {}).values()
    for reference in references:
        if reference:
            collect(model, reference, into)


def simplify(name: str, source: Shape) -> Shape:
    shape: Shape = {"type": source["type"]}
    if source["type"] == "structure":
        shape["members"] = members(name, source)
        required = REQUIRED.get(name, source.get("required", []))
        if required:
            shape["required"] = required
    for part in ("member", "key", "value"):
        if part in source:
            shape[part] = source[part]["shape"]
    for limit in ("min", "max", "pattern"):
        if limit in source:
            shape[limit] = source[limit]
    if "enum" in source:
        shape["enum"] = enumeration(name, source["enum"])
    if shape.get("min") == 0 and source["type"] == "string":
        del shape["min"]
    return shape


def members(name: str, source: Shape) -> dict[str, str]:
    order = MEMBER_ORDER.get(name, "").split()
    order += [member for member in source["members"] if member not in order]
    order += [added for of, added in MEMBER_SHAPES if of == name and added not in order]
    return {
        member: MEMBER_SHAPES.get((name, member)) or source["members"][member]["shape"]
        for member in order
    }


def enumeration(name: str, values: list[str]) -> list[str]:
    order = ENUM_ORDER[name].split() if name in ENUM_ORDER else values
    return [value for value in order if value in values] + sorted(set(values) - set(order))


if __name__ == "__main__":
    raise SystemExit(main())
