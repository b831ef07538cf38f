"""C10: a reference by something that no key can look up."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            name, _, field = (each.refers or "").partition(".")
            if not name:
                continue
            target = design.entity(name)
            place = finding.attribute(entity.name, each.name)
            if target is None:
                yield Found(place, f"It refers to {name}, which does not exist.")
            elif field and not _found_by(target, field):
                yield Found(
                    place,
                    f"It refers to {name} by {field}, which is no key of {name} and is not kept "
                    "unique: there is no way to look it up, and there may be several.",
                )


def _found_by(entity: Entity, field: str) -> bool:
    if any(each.names == (field,) and each.lock is not None for each in entity.unique):
        return True
    return any({n for t in key.partition for n in fields(t)} == {field} for key in entity.keys)


RULE = Rule(
    code="C10",
    severity="warning",
    title="A reference that cannot be followed",
    why="DynamoDB has no foreign keys and no joins. Who follows a reference reads by a key; what "
    "is no key takes a Scan, and what is not unique leads to several items.",
    fix="Refer by the primary key, and keep the readable value beside it.",
    bad="""
Table("Configs", pk="configId"),
Entity("Config", "Configs", keys=[Key("{configId}")], attributes=[Attribute("version")]),
Entity("Plan", "Plans", attributes=[Attribute("configVersion", refers="Config.version")]),
""",
    good="""
Table("Configs", pk="configId"),
Entity("Config", "Configs", keys=[Key("{configId}")], attributes=[Attribute("version")]),
Entity("Plan", "Plans", attributes=[Attribute("configId", refers="Config.configId")]),
""",
    check=check,
)
