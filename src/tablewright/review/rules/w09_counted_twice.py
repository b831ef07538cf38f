"""W09: a count that may be repeated, and counts again."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import (
    calls,
    changes,
    condition_attributes,
    condition_tree,
    writes,
)
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if not pattern.idempotent:
            continue
        # A member that can be created only once stops the whole transaction.
        guarded = any(_guards(design, each) for each in writes(pattern))
        for write in writes(pattern):
            counted = _counted(write)
            if counted and not guarded:
                yield Found(
                    finding.pattern(pattern.name),
                    f"It may be sent again, but adds to {', '.join(counted)} every time."
                    + _sets(write),
                )


def _guards(design: Design, write: Pattern) -> bool:
    """Whether the condition can fail the second time: that the item exists holds each time."""
    if write.condition is None:
        return False
    if condition_tree(write) is None or calls(write, "attribute_not_exists"):
        return True
    entity = design.entity(write.entity)
    table = None if entity is None else design.table(entity.table)
    keys = () if table is None else (*table.partition, *table.sort)
    return not condition_attributes(write) <= {each.name for each in keys}


def _counted(write: Pattern) -> list[str]:
    """The numbers that the update raises."""
    return [
        str(change.path[0])
        for change in changes(write)
        if (change.action == "ADD" and "N" in (change.value or {"N": ""}))
        or (change.action == "SET" and str(change.path[0]) in change.sources)
    ]


def _sets(write: Pattern) -> str:
    added = [
        str(change.path[0])
        for change in changes(write)
        if change.action == "ADD" and change.value and change.value.keys() & {"SS", "NS", "BS"}
    ]
    if not added:
        return ""
    return (
        f" That {', '.join(added)} takes the same member only once does not stop the numbers "
        "beside it."
    )


RULE = Rule(
    code="W09",
    severity="error",
    title="A repeated write counts twice",
    why="SDKs repeat requests whose answer was lost, and callers do, too. ADD adds each time. A "
    "set in the same update swallows the repeated member, but the numbers beside it still grow.",
    fix="Put an item with the request's id in the same transaction, with attribute_not_exists(PK).",
    bad="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c, ids :i", idempotent=True,
        values={":c": "N", ":i": "SS"}),
""",
    good="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c, ids :i", idempotent=True,
        values={":c": "N", ":i": "SS", ":id": "S"}, condition="NOT contains(ids, :id)"),
""",
    check=check,
)
