"""C02: optimistic locking that is promised, without an attribute for it."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        known = None if entity.version is None else entity.attribute(entity.version)
        if entity.versioned and entity.version is None:
            message = f"{entity.name} is said to have versions, but has no attribute for them."
        elif entity.version is not None and known is None and not entity.open:
            message = f"{entity.name} has no attribute {entity.version} to hold its version."
        elif known is not None and known.type not in ("N", ""):
            message = f"The version of {entity.name} is a {known.type}; it has to be a number."
        else:
            continue
        yield Found(finding.entity(entity.name), message)


RULE = Rule(
    code="C02",
    severity="error",
    title="Versions without an attribute",
    why="Optimistic locking is a number in the item, raised by every write and compared by every "
    "condition. DynamoDB has none of its own.",
    fix="Add `version` (N), raise it with every write, and condition writes on the one read.",
    bad="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")], attributes=[Attribute("name")], versioned=True),
""",
    good="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")], version="version", versioned=True,
       attributes=[Attribute("name"), Attribute("version", "N")]),
""",
    check=check,
)
