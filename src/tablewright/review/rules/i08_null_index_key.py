"""I08: an index key that may be NULL or empty."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import single


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for key in entity.keys:
            for template in key.templates:
                known = entity.attribute(single(template) or "")
                if known is not None and known.nullable:
                    yield Found(
                        finding.attribute(entity.name, known.name),
                        f"{known.name} may be stored as NULL, but is the key of "
                        f"{key.on or entity.table}: the write is refused.",
                    )


RULE = Rule(
    code="I08",
    severity="error",
    title="An index key may be NULL",
    why="A key attribute of an index has the declared type or is absent. NULL is another type: "
    'the whole write is refused with "Type mismatch for Index Key ... Expected: S Actual: NULL".',
    fix="Leave the attribute out, or REMOVE it: an item without it is simply not in the index.",
    bad="""
Table("Teams", pk="id", indexes=[Index("by_manager", pk="manager")]),
Entity("Team", "Teams", keys=[Key("{id}"), Key("{manager}", on="by_manager")],
       attributes=[Attribute("id"), Attribute("manager", nullable=True)]),
""",
    good="""
Table("Teams", pk="id", indexes=[Index("by_manager", pk="manager")]),
Entity("Team", "Teams", keys=[Key("{id}"), Key("{manager}", on="by_manager")],
       attributes=[Attribute("id"), Attribute("manager", required=False)]),
""",
    check=check,
)
