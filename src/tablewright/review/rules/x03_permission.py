"""X03: permissions that do not fit what a component does."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from tablewright.review.design import Design, Pattern, Permission
from tablewright.review.finding import Found, Place
from tablewright.review.reading import parts
from tablewright.review.rule import Rule

#: The action that each kind of request needs. Transactions need those of their members.
_ACTIONS = {
    "get": "GetItem",
    "query": "Query",
    "count": "Query",
    "scan": "Scan",
    "batch_get": "BatchGetItem",
    "put": "PutItem",
    "update": "UpdateItem",
    "delete": "DeleteItem",
    "check": "ConditionCheckItem",
}


def check(design: Design) -> Iterator[Found]:
    for component in dict.fromkeys(each.component for each in design.permissions):
        granted = [each for each in design.permissions if each.component == component]
        place = Place("permission", component)
        for pattern in (each for each in design.patterns if each.component == component):
            for message in _lacking(design, pattern, granted):
                yield Found(place, message)


def _lacking(design: Design, pattern: Pattern, granted: list[Permission]) -> Iterator[str]:
    for action, resource in dict.fromkeys(_needed(design, pattern)):
        fitting = [each for each in granted if _allows(each, action)]
        if not fitting:
            yield f"{pattern.name} needs {action}, which is not allowed."
        elif not any(_covers(each, resource) for each in fitting):
            yield f"{pattern.name} needs {action} on {resource}, which no statement names."


def _needed(design: Design, pattern: Pattern) -> Iterator[tuple[str, str]]:
    """Actions and the resources they are for."""
    for part in parts(pattern):
        action = "BatchWriteItem" if pattern.kind == "batch_write" else _ACTIONS.get(part.kind)
        table = design.table_of(part)
        if action is None or table is None:
            continue
        resource = f"table/{table.name}"
        yield action, f"{resource}/index/{part.index}" if part.index else resource
        if part.hydrate:
            yield "BatchGetItem", resource


def _allows(permission: Permission, action: str) -> bool:
    return any(fnmatchcase(action, each.removeprefix("dynamodb:")) for each in permission.actions)


def _covers(permission: Permission, resource: str) -> bool:
    """Without resources the document may mean the table, but hardly an index of it."""
    if not permission.resources:
        return "/index/" not in resource
    return any(fnmatchcase(resource, each.rpartition(":")[2]) for each in permission.resources)


RULE = Rule(
    code="X03",
    severity="error",
    title="A permission does not cover what is done",
    why="A request needs its own action, transactions and batches those of their parts, and each "
    "index is a resource beside its table: table/NAME does not include table/NAME/index/GSI1. "
    "What is not allowed fails with AccessDeniedException.",
    fix="Write the policy from the patterns of each component: their actions, the table, and the "
    "indexes that they read.",
    bad="""
Table("Orders", pk="id", indexes=[Index("by_state", pk="state")]),
Entity("Order", "Orders", keys=[Key("{id}"), Key("{state}", on="by_state")]),
Pattern("open", "query", "Order", index="by_state", key={"state": "open"}, component="web"),
Permission("web", ["dynamodb:Query"], ["table/Orders"]),
""",
    good="""
Table("Orders", pk="id", indexes=[Index("by_state", pk="state")]),
Entity("Order", "Orders", keys=[Key("{id}"), Key("{state}", on="by_state")]),
Pattern("open", "query", "Order", index="by_state", key={"state": "open"}, component="web"),
Permission("web", ["dynamodb:Query"], ["table/Orders/index/by_state"]),
""",
    check=check,
)
