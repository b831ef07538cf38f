"""P01: a read that no key of the design can answer."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if not pattern.reading or pattern.kind == "scan" or pattern.key or pattern.key_condition:
            continue
        entity = design.entity(pattern.entity)
        if entity is None or (pattern.index is not None and not pattern.by):
            continue
        if not any(_answers(design, pattern, entity, key.on) for key in entity.keys):
            yield Found(finding.pattern(pattern.name), _message(pattern, entity))


def _answers(design: Design, pattern: Pattern, entity: Entity, index: str | None) -> bool:
    """Whether what the caller knows is enough for the partition key, and for all of it in a get."""
    key = entity.key_on(index)
    if key is None:
        return False
    needed = {name for each in key.partition for name in fields(each)}
    if pattern.kind in ("get", "batch_get"):
        if index is not None:
            return False
        needed |= {name for each in key.sort for name in fields(each)}
    if not needed:
        # A constant partition: everything of the kind is there.
        return bool(key.partition) and not pattern.by
    return needed <= set(pattern.by)


def _message(pattern: Pattern, entity: Entity) -> str:
    if not pattern.by:
        return f"No key of {entity.name} can give this: it would take a Scan of {entity.table}."
    sets = [a.name for a in entity.attributes if a.name in pattern.by and a.type in ("SS", "NS")]
    reason = f" {', '.join(sets)} is a set, which can be no key." if sets else ""
    return (
        f"{entity.name} is to be found by {', '.join(pattern.by)}, but no key of the table or of "
        f"an index begins with that.{reason}"
    )


RULE = Rule(
    code="P01",
    severity="error",
    title="Nothing serves a pattern",
    why="Query needs the whole partition key of the table or an index, GetItem the whole primary "
    "key. Without one only a Scan is left, which reads and pays for every item of the table.",
    fix="Add an index with that key, or an item whose key is that value and which names the owner.",
    bad="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{team_id}")], attributes=[Attribute("order_id")]),
Pattern("team_of_order", "query", "Team", by=["order_id"]),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("Team", "App", keys=[Key("TEAM#{team_id}"), Key("ORDER#{order_id}", on="GSI1")],
       attributes=[Attribute("order_id")]),
Pattern("team_of_order", "query", "Team", by=["order_id"]),
""",
    check=check,
)
