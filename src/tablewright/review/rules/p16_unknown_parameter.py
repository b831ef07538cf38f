"""P16: a request parameter that DynamoDB does not have."""

from collections.abc import Iterator
from difflib import get_close_matches

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import parts
from tablewright.review.rule import Rule

_COMMON = ("TableName", "ReturnConsumedCapacity", "ExpressionAttributeNames")
_WRITE = (
    *_COMMON,
    "ConditionExpression",
    "ExpressionAttributeValues",
    "ReturnItemCollectionMetrics",
    "ReturnValues",
    "ReturnValuesOnConditionCheckFailure",
)
_SELECT = (
    *_COMMON,
    "IndexName",
    "FilterExpression",
    "ProjectionExpression",
    "ExpressionAttributeValues",
    "Select",
    "Limit",
    "ConsistentRead",
    "ExclusiveStartKey",
)
_READ = (*_COMMON, "Key", "ProjectionExpression", "ConsistentRead")
_BATCH = ("RequestItems", "ReturnConsumedCapacity", "ReturnItemCollectionMetrics")
#: The parameters of each operation, but for those that were replaced by expressions.
KNOWN = {
    "get": _READ,
    "query": (*_SELECT, "KeyConditionExpression", "ScanIndexForward"),
    "count": (*_SELECT, "KeyConditionExpression", "ScanIndexForward"),
    "scan": (*_SELECT, "Segment", "TotalSegments"),
    "put": (*_WRITE, "Item"),
    "update": (*_WRITE, "Key", "UpdateExpression"),
    "delete": (*_WRITE, "Key"),
    "check": (*_WRITE, "Key"),
    "batch_get": _BATCH,
    "batch_write": _BATCH,
    "transaction": (*_BATCH, "TransactItems", "ClientRequestToken"),
}
#: What people mean by parameters that do not exist.
_MEANT = {"SortKeyCondition": "ScanIndexForward", "SortOrder": "ScanIndexForward"}


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        for part in parts(pattern):
            known = KNOWN[part.kind]
            for name in part.options:
                if name not in known:
                    near = [_MEANT[name]] if name in _MEANT else get_close_matches(name, known, 1)
                    yield Found(
                        finding.pattern(pattern.name),
                        f"{name} is no parameter of the request.",
                        fix=f"Use {near[0]}." if near else "",
                    )


RULE = Rule(
    code="P16",
    severity="error",
    title="A parameter that does not exist",
    why="The SDKs refuse unknown parameters; a raw request ignores them, and does something else "
    "than was meant.",
    fix="Use the parameters that the operation has.",
    bad="""
Table("Configs", pk="id"),
Entity("Config", "Configs", keys=[Key("{id}")]),
Pattern("latest", "query", "Config", key={"id": "{id}"}, options={"SortKeyCondition": "desc"}),
""",
    good="""
Table("Configs", pk="id"),
Entity("Config", "Configs", keys=[Key("{id}")]),
Pattern("latest", "query", "Config", key={"id": "{id}"}, options={"ScanIndexForward": False}),
""",
    check=check,
)
