"""C11: attributes that every entity is said to have, and some have not."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        names = {each.name for each in entity.attributes}
        missing = [name for name in design.common if name not in names]
        if missing and not entity.open:
            yield Found(
                finding.entity(entity.name),
                f"Every item is said to have {', '.join(missing)}, but {entity.name} does not.",
            )


RULE = Rule(
    code="C11",
    severity="warning",
    title="An attribute that all should have is missing",
    why="What a document promises of all entities (audit fields, soft deletion) is relied upon by "
    "those who read it, and is missed when it is too late to write it.",
    fix="Add it, or take the promise back.",
    bad="""
Design.of("example", Entity("Report", "Reports", attributes=[Attribute("createdAt", "N")]),
          common=["createdAt", "createdBy"])
""",
    good="""
Design.of("example", Entity("Report", "Reports", attributes=[
              Attribute("createdAt", "N"), Attribute("createdBy")]),
          common=["createdAt", "createdBy"])
""",
    check=check,
)
