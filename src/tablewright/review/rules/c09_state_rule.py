"""C09: attributes that a state requires, and that nothing requires of it."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.required_when and not each.enforced_by:
                yield Found(finding.attribute(entity.name, each.name), _message(entity, each))


def _message(entity: Entity, each: Attribute) -> str:
    state = " and ".join(f"{name} is {value}" for name, value in each.required_when.items())
    return f"{entity.name} needs {each.name} when {state}, but nothing makes sure of it."


RULE = Rule(
    code="C09",
    severity="warning",
    title="A state that requires more is not checked",
    why="DynamoDB knows no required attributes, and a model in which the attribute is optional "
    "accepts the state without it.",
    fix="Set state and attribute in one write, and validate them together.",
    bad="""
Entity("Article", "News", attributes=[
    Attribute("status", values=["pending", "analyzed"]),
    Attribute("score", "N", required=False, required_when={"status": "analyzed"})]),
""",
    good="""
Entity("Article", "News", attributes=[
    Attribute("status", values=["pending", "analyzed"]),
    Attribute("score", "N", required=False, required_when={"status": "analyzed"},
              enforced_by="a validator of the model")]),
""",
    check=check,
)
