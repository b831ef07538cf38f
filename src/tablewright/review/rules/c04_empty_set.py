"""C04: a required set that can be empty."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.type in ("SS", "NS", "BS") and each.required and each.may_be_empty:
                yield Found(
                    finding.attribute(entity.name, each.name),
                    f"{each.name} is a required set, but may have no members; there is no empty "
                    "set to store.",
                )


RULE = Rule(
    code="C04",
    severity="error",
    title="A set that is required and may be empty",
    why='DynamoDB has no empty sets: "An string set may not be empty". The last member cannot be '
    "removed without removing the attribute, which DELETE does by itself.",
    fix="Make it optional, and let absent mean empty.",
    bad="""
Entity("Team", "Teams", attributes=[Attribute("members", "SS", may_be_empty=True)]),
""",
    good="""
Entity("Team", "Teams", attributes=[Attribute("members", "SS", required=False)]),
""",
    check=check,
)
