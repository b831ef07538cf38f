"""U07: small changes of items that are large, or that become so."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_ITEM, WRITE_UNIT
from tablewright.review.loads import size_of
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule

#: Units of one update from which on it is worth a thought.
_MANY = 8


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        if entity is None or write.kind != "update":
            continue
        size = size_of(design, write) or 0
        growing = _growing(entity)
        if growing:
            yield Found(
                finding.entity(entity.name),
                f"Each {pattern.name} rewrites the whole item, which grows with "
                f"{', '.join(growing)}: from 1 up to {MAX_ITEM // WRITE_UNIT} write units.",
            )
        elif size > _MANY * WRITE_UNIT:
            yield Found(
                finding.entity(entity.name),
                f"Each {pattern.name} rewrites an item of {size:,} bytes: "
                f"{-(-size // WRITE_UNIT)} write units, whatever it changes.",
                severity="note",
            )


def _growing(entity: Entity) -> list[str]:
    return [each.name for each in entity.attributes if each.grows and each.max_items is None]


RULE = Rule(
    code="U07",
    severity="warning",
    title="An update rewrites a large item",
    why="An update takes the write units of the whole item, before or after, whichever is larger; "
    "a counter beside a list of 50 KB takes 50 units for each count.",
    fix="Keep what changes often in an item of its own, and the members of a collection each in "
    "theirs.",
    bad="""
Table("Counters", pk="id"),
Entity("Counter", "Counters", keys=[Key("{id}")],
       attributes=[Attribute("id"), Attribute("n", "N"), Attribute("seen", "SS", grows=True)]),
Pattern("count", "update", "Counter", update="ADD n :one, seen :id",
        values={":one": "N", ":id": "SS"}),
""",
    good="""
Table("Counters", pk="id"),
Entity("Counter", "Counters", keys=[Key("{id}")],
       attributes=[Attribute("id"), Attribute("n", "N")]),
Pattern("count", "update", "Counter", update="ADD n :one", values={":one": "N"}),
""",
    check=check,
)
