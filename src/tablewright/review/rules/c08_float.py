"""C08: numbers that a program holds as floating point."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.python == "float":
                yield Found(
                    finding.attribute(entity.name, each.name),
                    f"{each.name} is a float in the program.",
                )


RULE = Rule(
    code="C08",
    severity="warning",
    title="A float is to be stored",
    why='Numbers in DynamoDB are decimal, exact to 38 digits. boto3 refuses floats ("Float types '
    'are not supported. Use Decimal types instead."), and what was 0.1 + 0.2 does not compare '
    "equal to 0.3 in a condition.",
    fix="Use Decimal, or whole numbers of the smallest unit.",
    bad="""
Entity("Article", "News", attributes=[Attribute("score", "N", python="float")]),
""",
    good="""
Entity("Article", "News", attributes=[Attribute("score", "N", python="Decimal")]),
""",
    check=check,
)
