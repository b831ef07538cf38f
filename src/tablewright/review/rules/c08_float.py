"""C08: numbers that a program holds as floating point."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, changes, condition_attributes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.python != "float":
                continue
            summed = _summed(design, entity, each)
            if design.aliased and summed is None:
                # The typed layer stores a float exactly: only sums and comparisons go wrong.
                continue
            by = "" if summed is None else f" {summed} adds to it or compares it."
            yield Found(
                finding.attribute(entity.name, each.name),
                f"{each.name} is a float in the program.{by}",
            )


def _summed(design: Design, entity: Entity, known: Attribute) -> str | None:
    """The pattern that adds to an attribute, or has it in a condition."""
    for pattern, write in all_writes(design):
        if write.entity != entity.name:
            continue
        added = any(
            change.path[0] == known.name
            and (change.action == "ADD" or known.name in change.sources)
            for change in changes(write)
        )
        if added or known.name in condition_attributes(write):
            return pattern.name
    return None


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
