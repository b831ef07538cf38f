"""W03: an update that creates half an item where there is none."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, holds_for, written
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        if write.kind != "update" or write.opaque or holds_for(write, {}) is not True:
            continue
        entity = design.entity(write.entity)
        missing = [] if entity is None else _missing(entity, write)
        if missing or write.existing:
            lacks = f", without {', '.join(missing)}" if missing else ""
            guard = (
                "has no condition"
                if write.condition is None
                else f"has the condition {write.condition!r}, which an absent item meets"
            )
            yield Found(
                finding.pattern(pattern.name),
                f"The update of {write.entity} {guard}: where there is none, it creates one"
                f"{lacks}.",
            )


def _missing(entity: Entity, write: Pattern) -> list[str]:
    """Required attributes that an item made by the update would lack, if it says what it sets."""
    held = written(write)
    if write.update is None and not write.sets:
        return []
    key = entity.primary
    held |= {name for each in (key.templates if key else ()) for name in fields(each)}
    return [
        each.name
        for each in entity.attributes
        if each.required and not each.required_when and each.name not in held
    ]


RULE = Rule(
    code="W03",
    severity="error",
    title="An update can create a ghost",
    why="UpdateItem creates the item if there is none, with the key and what the expression sets. "
    "Comparisons with an absent attribute are false, but attribute_not_exists of it is true.",
    fix="Add attribute_exists(PK) to the condition.",
    bad="""
Table("Teams", pk="PK"),
Entity("Team", "Teams", keys=[Key("TEAM#{id}")],
       attributes=[Attribute("name"), Attribute("paid", "BOOL", required=False)]),
Pattern("mark_paid", "update", "Team", update="SET paid = :yes", values={":yes": "BOOL"}),
""",
    good="""
Table("Teams", pk="PK"),
Entity("Team", "Teams", keys=[Key("TEAM#{id}")],
       attributes=[Attribute("name"), Attribute("paid", "BOOL", required=False)]),
Pattern("mark_paid", "update", "Team", update="SET paid = :yes", values={":yes": "BOOL"},
        condition="attribute_exists(PK)"),
""",
    check=check,
)
