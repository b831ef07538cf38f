"""T01: data that is promised to end, in a table that ends nothing."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        if entity.retention is None or table is None:
            continue
        days = f"{entity.retention.days:g} days"
        if table.ttl is None:
            reason = f"table {table.name} has no time to live"
        elif entity.ttl is None and entity.attribute(table.ttl) is None:
            reason = f"it has no {table.ttl}, by which {table.name} deletes"
        else:
            continue
        yield Found(
            finding.entity(entity.name),
            f"{entity.name} is to be kept for {days}, but {reason}: it stays for ever.",
        )


RULE = Rule(
    code="T01",
    severity="error",
    title="Retention without a time to live",
    why="DynamoDB deletes items by one attribute for each table, which has to be named and "
    "enabled, and which each item has to have. What lacks it stays, and is paid for, for ever.",
    fix="Enable time to live for the table, and write its attribute with every such item.",
    bad="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}#{day}")], retention=Retention(days=90)),
""",
    good="""
Table("Usage", pk="PK", ttl="expires_at"),
Entity("Counter", "Usage", keys=[Key("C#{id}#{day}")], retention=Retention(days=90),
       ttl="expires_at", attributes=[Attribute("expires_at", "N", format="epoch_seconds")]),
""",
    check=check,
)
