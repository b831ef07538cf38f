"""C07: an attribute that has another type elsewhere."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            others = [kind for kind in each.types_elsewhere if kind != each.type]
            if others:
                yield Found(
                    finding.attribute(entity.name, each.name),
                    f"{each.name} is {each.type} in one place and {', '.join(others)} in another.",
                )


RULE = Rule(
    code="C07",
    severity="error",
    title="An attribute has two types",
    why='Types are part of the value: a list is no set, "1" is no 1. Items written by one '
    "definition are not found by conditions, filters and updates made for the other (ADD of a set "
    "to a list fails).",
    fix="Store it in one type, and convert at the edge.",
    bad="""
Entity("Article", "News", attributes=[Attribute("tags", "SS", types_elsewhere=["L"])]),
""",
    good="""
Entity("Article", "News", attributes=[Attribute("tags", "SS")]),
""",
    check=check,
)
