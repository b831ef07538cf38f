"""W16: an entity that no pattern reads or writes."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.asked import asks_for
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import parts
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    if not design.patterns:
        return
    for entity in design.entities:
        if not any(_uses(design, p, entity) for each in design.patterns for p in parts(each)):
            yield Found(
                finding.entity(entity.name),
                f"No pattern reads or writes {entity.name}"
                + ("." if entity.attributes else ", and nothing says what it holds."),
            )


def _uses(design: Design, pattern: Pattern, entity: Entity) -> bool:
    if pattern.entity is not None or not pattern.key:
        return entity.name in (pattern.entity, *pattern.also)
    table = design.table_of(pattern)
    key = entity.key_on(pattern.index)
    if table is None or key is None or table.name != entity.table:
        return False
    return asks_for(pattern, entity, key, table)


RULE = Rule(
    code="W16",
    severity="warning",
    title="An entity that nobody uses",
    why="A design is made for its patterns. What none of them reads or writes has no rate, no "
    "permission and no reason for its key.",
    fix="Declare its patterns, or leave it out.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("User", "App", keys=[Key("USER#{id}", "PROFILE")]),
Entity("Statistics", "App", keys=[Key("STATS", "DAILY#{day}")]),
Pattern("user", "get", "User", key={"PK": "USER#{id}", "SK": "PROFILE"}),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("User", "App", keys=[Key("USER#{id}", "PROFILE")]),
Pattern("user", "get", "User", key={"PK": "USER#{id}", "SK": "PROFILE"}),
""",
    check=check,
)
