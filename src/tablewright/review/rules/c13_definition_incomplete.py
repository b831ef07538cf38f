"""C13: a table definition that CreateTable refuses."""

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for definition in design.definitions:
        for problem in _problems(definition.body):
            yield Found(
                finding.table(definition.table), f"The definition in {definition.source} {problem}."
            )


def _problems(body: Mapping[str, Any]) -> Iterator[str]:
    if "KeySchema" not in body:
        yield "has no KeySchema"
        return
    indexes = [*body.get("GlobalSecondaryIndexes", ()), *body.get("LocalSecondaryIndexes", ())]
    used = _names(body["KeySchema"])
    for index in indexes:
        used |= _names(index.get("KeySchema", ()))
        if "Projection" not in index:
            yield f"has no Projection for {index.get('IndexName', 'an index')}"
        if not index.get("KeySchema"):
            yield f"has no KeySchema for {index.get('IndexName', 'an index')}"
    defined = _names(body.get("AttributeDefinitions", ()))
    if used - defined:
        yield f"does not define the type of {', '.join(sorted(used - defined))}"
    if defined - used:
        yield f"defines {', '.join(sorted(defined - used))}, which no key uses"
    if body.get("BillingMode", "PROVISIONED") == "PROVISIONED":
        if "ProvisionedThroughput" not in body:
            yield "has neither BillingMode PAY_PER_REQUEST nor ProvisionedThroughput"
    elif "ProvisionedThroughput" in body:
        yield "has ProvisionedThroughput beside PAY_PER_REQUEST"


def _names(listed: Any) -> set[str]:
    return {each.get("AttributeName", "") for each in listed}


RULE = Rule(
    code="C13",
    severity="error",
    title="A table definition is incomplete",
    why="CreateTable wants a KeySchema, the type of every key attribute and of nothing else, a "
    "Projection for every index, and a billing mode; it refuses the rest.",
    fix="Complete it, or generate it: `tablewright template`.",
    bad="""
Definition("Orders", "the setup script", {
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST"}),
""",
    good="""
Definition("Orders", "the setup script", {
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST"}),
""",
    check=check,
)
