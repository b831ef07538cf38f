"""C01: something that has to be unique, and that nothing keeps so."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        key = entity.primary
        held = {name for each in (key.templates if key else ()) for name in fields(each)}
        for unique in entity.unique:
            if unique.lock is None and held != set(unique.names):
                yield Found(
                    finding.entity(entity.name),
                    f"No two {entity.name} may have the same {', '.join(unique.names)}, but "
                    "nothing makes sure of it: it is neither the primary key nor the key of an "
                    "item of its own.",
                )


RULE = Rule(
    code="C01",
    severity="error",
    title="Nothing keeps a value unique",
    why="Only a primary key is unique. Index keys are not: any number of items can have the same "
    "one.",
    fix="Write an item whose key is the value, in one transaction with the entity, and remove it "
    "with it: Unique(...) does that.",
    bad="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")], attributes=[Attribute("name")],
       unique=[Unique("name")]),
""",
    good="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")], attributes=[Attribute("name")],
       unique=[Unique("name", lock="TEAMNAME#{name}")]),
""",
    check=check,
)
