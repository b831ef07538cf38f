"""T04: an end that is written, but not where the table looks."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        if entity.ttl is None or table is None or entity.ttl == table.ttl:
            continue
        looks = (
            "has no time to live enabled" if table.ttl is None else f"deletes by {table.ttl} alone"
        )
        yield Found(
            finding.attribute(entity.name, entity.ttl),
            f"{entity.name} ends by {entity.ttl}, but table {table.name} {looks}.",
        )


RULE = Rule(
    code="T04",
    severity="error",
    title="The table does not look at the time to live",
    why="A table deletes by one attribute, whose name is a setting of the table. An attribute of "
    "another name, or without the setting, is a number like any other.",
    fix="Enable time to live for that attribute (UpdateTimeToLive); one name for all entities.",
    bad="""
Table("App", pk="PK"),
Entity("Draft", "App", keys=[Key("DRAFT#{id}")], ttl="ttl", attributes=[Attribute("ttl", "N")]),
""",
    good="""
Table("App", pk="PK", ttl="ttl"),
Entity("Draft", "App", keys=[Key("DRAFT#{id}")], ttl="ttl", attributes=[Attribute("ttl", "N")]),
""",
    check=check,
)
