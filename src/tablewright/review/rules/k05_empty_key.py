"""K05: a key attribute that is, or can be, an empty text."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import single


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for key in entity.keys:
            place = finding.key(entity.name, key.label)
            for side, templates in (("partition", key.partition), ("sort", key.sort)):
                for template in templates:
                    if not template:
                        yield Found(place, f"The {side} key of {entity.name} is an empty text.")
                        continue
                    known = entity.attribute(single(template) or "")
                    if known is not None and known.may_be_empty:
                        yield Found(
                            place, f"The {side} key is {known.name}, which may be an empty text."
                        )


RULE = Rule(
    code="K05",
    severity="error",
    title="A key is empty",
    why="A key attribute of a table or index has at least 1 byte. DynamoDB refuses the write: "
    '"One or more parameter values are not valid. The AttributeValue for a key attribute cannot '
    'contain an empty string value."',
    fix="Give the item a constant, such as PROFILE or #.",
    bad="""
Table("Config", pk="PK", sk="SK"),
Entity("Org", "Config", keys=[Key("ORG#{org_id}", "")]),
""",
    good="""
Table("Config", pk="PK", sk="SK"),
Entity("Org", "Config", keys=[Key("ORG#{org_id}", "ORG")]),
""",
    check=check,
)
