"""K04: a primary key made of a field that can be absent or can change."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        key = entity.primary
        for template in () if key is None else key.templates:
            for name in fields(template):
                known = entity.attribute(name)
                if known is None:
                    continue
                if not known.required and not known.default:
                    yield Found(
                        finding.attribute(entity.name, name),
                        f"{name} is optional, but the primary key {template!r} is made of it.",
                    )
                if known.mutable:
                    yield Found(
                        finding.attribute(entity.name, name),
                        f"{name} can change, but the primary key {template!r} is made of it: "
                        "a change would be a second item beside the first.",
                    )


RULE = Rule(
    code="K04",
    severity="error",
    title="A primary key is made of something that can be absent or change",
    why="Every item has all attributes of its primary key, and they never change: UpdateItem "
    "refuses to touch them. Changing one means deleting the item and putting another.",
    fix="Make the key of an id that is given once, and reach the field through an index.",
    bad="""
Table("App", pk="PK"),
Entity("User", "App", keys=[Key("USER#{email}")], attributes=[Attribute("email", mutable=True)]),
""",
    good="""
Table("App", pk="PK"),
Entity("User", "App", keys=[Key("USER#{user_id}")],
       attributes=[Attribute("user_id", format="ulid"), Attribute("email", mutable=True)]),
""",
    check=check,
)
