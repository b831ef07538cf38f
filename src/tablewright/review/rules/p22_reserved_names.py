"""P22: attributes whose names are reserved words."""

from collections.abc import Iterator

from tablewright.expressions import is_reserved
from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    if design.aliased:
        return
    for entity in design.entities:
        names = [each.name for each in entity.attributes if is_reserved(each.name)]
        if names:
            yield Found(
                finding.entity(entity.name),
                f"{', '.join(names)}: as {'a name' if len(names) == 1 else 'names'} in an "
                "expression, only a placeholder will do.",
            )


RULE = Rule(
    code="P22",
    severity="note",
    title="Attribute names that are reserved words",
    why="DynamoDB reserves 573 words (name, status, year, ttl, ...). An expression that names one "
    'as it is fails: "Attribute name is a reserved keyword".',
    fix="Use a placeholder for every name: #name, with ExpressionAttributeNames.",
    bad="""
Entity("Team", "App", attributes=[Attribute("team_id"), Attribute("name"), Attribute("status")]),
""",
    good="""
Entity("Team", "App", attributes=[Attribute("team_id"), Attribute("team_name")]),
""",
    check=check,
)
