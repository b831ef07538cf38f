"""C12: one table, defined differently in two places."""

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.review import finding
from tablewright.review.design import Definition, Design, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        described = [("the description", _of_table(table))]
        described += [(d.source, _of_body(d)) for d in design.definitions if d.table == table.name]
        (_, first), *others = described
        for source, other in others:
            for name in first:
                if name in other and first[name] != other[name]:
                    yield Found(
                        finding.table(table.name),
                        f"{name} is {_shown(first[name])} in the description, but "
                        f"{_shown(other[name])} in {source}.",
                    )


def _of_table(table: Table) -> dict[str, Any]:
    """What is said of a table, by the names of the findings."""
    known: dict[str, Any] = {
        "the name": table.name,
        "the key": tuple(each.name for each in (*table.partition, *table.sort)),
        "the list of indexes": sorted(each.name for each in table.indexes),
        "billing": table.billing,
        "the TTL attribute": table.ttl,
    }
    if table.pitr is not None:
        known["point-in-time recovery"] = bool(table.pitr)
    for index in table.indexes:
        # A local index has the table's partition key.
        partition = index.partition or (table.partition if index.local else ())
        known[f"the key of {index.name}"] = tuple(e.name for e in (*partition, *index.sort))
        projection = index.projection
        known[f"the projection of {index.name}"] = (
            projection if isinstance(projection, str) else sorted(projection)
        )
    return known


def _of_body(definition: Definition) -> dict[str, Any]:
    """The same of a body of CreateTable or of a template, as far as it goes."""
    body = definition.body
    known: dict[str, Any] = {}
    if "TableName" in body:
        known["the name"] = body["TableName"]
    if "KeySchema" in body:
        known["the key"] = _key(body)
    if "BillingMode" in body:
        on_demand = body["BillingMode"] == "PAY_PER_REQUEST"
        known["billing"] = "on-demand" if on_demand else "provisioned"
    indexes = [
        *body.get("GlobalSecondaryIndexes", ()),
        *body.get("LocalSecondaryIndexes", ()),
    ]
    if "KeySchema" in body or indexes:
        known["the list of indexes"] = sorted(each.get("IndexName", "") for each in indexes)
    for each in indexes:
        known |= _of_index(each)
    if "TimeToLiveSpecification" in body:
        known["the TTL attribute"] = body["TimeToLiveSpecification"].get("AttributeName")
    if "PointInTimeRecoverySpecification" in body:
        settings = body["PointInTimeRecoverySpecification"]
        known["point-in-time recovery"] = bool(settings.get("PointInTimeRecoveryEnabled"))
    return known


def _of_index(body: Mapping[str, Any]) -> dict[str, Any]:
    name = body.get("IndexName", "")
    known: dict[str, Any] = {}
    if "KeySchema" in body:
        known[f"the key of {name}"] = _key(body)
    if "Projection" in body:
        projection = body["Projection"]
        kind = projection.get("ProjectionType")
        known[f"the projection of {name}"] = (
            sorted(projection.get("NonKeyAttributes", ())) if kind == "INCLUDE" else kind
        )
    return known


def _key(body: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(each.get("AttributeName", "") for each in body["KeySchema"])


def _shown(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "empty"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


RULE = Rule(
    code="C12",
    severity="error",
    title="One table in two versions",
    why="Code and permissions use the name and the indexes of one definition; what is deployed is "
    "the other. The difference shows as ResourceNotFoundException, or as a query that is empty.",
    fix="Generate templates and documents from one model: `tablewright template`, `tablewright "
    "document`.",
    bad="""
Table("Orders", pk="PK", sk="SK"),
Definition("Orders", "the template",
           {"TableName": "${AWS::StackName}-table", "BillingMode": "PROVISIONED"}),
""",
    good="""
Table("Orders", pk="PK", sk="SK", billing="provisioned"),
Definition("Orders", "the template", {"TableName": "Orders", "BillingMode": "PROVISIONED"}),
""",
    check=check,
)
