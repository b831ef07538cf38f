"""P02: a pattern about a table, index or entity that the design does not define."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import parts
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        if design.table(entity.table) is None:
            yield Found(finding.entity(entity.name), f"There is no table {entity.table}.")
        yield from _keys(design, entity.name)
    for pattern in design.patterns:
        for part in parts(pattern):
            for what in _undefined(design, part):
                yield Found(finding.pattern(pattern.name), f"There is no {what}.")


def _keys(design: Design, name: str) -> Iterator[Found]:
    entity = design.entity(name)
    table = None if entity is None else design.table(entity.table)
    if entity is None or table is None:
        return
    for key in entity.keys:
        if key.on is not None and table.index(key.on) is None:
            yield Found(finding.key(name, key.label), f"Table {table.name} has no index {key.on}.")


def _undefined(design: Design, part: Pattern) -> Iterator[str]:
    if part.table is not None and design.table(part.table) is None:
        yield f"table {part.table}"
        return
    if part.entity is not None and design.entity(part.entity) is None:
        yield f"entity {part.entity}"
        return
    table = design.table_of(part)
    if part.index is not None and table is not None and table.index(part.index) is None:
        yield f"index {part.index} on table {table.name}"


RULE = Rule(
    code="P02",
    severity="error",
    title="A pattern uses something that is not defined",
    why="A request for a table or index that does not exist is refused with "
    "ResourceNotFoundException or ValidationException.",
    fix="Define it, or use what there is.",
    bad="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("SCOPE#{scope}")]),
Pattern("seen_before", "get", table="RequestDedup", key={"PK": "REQ#{request_id}"}),
""",
    good="""
Table("Usage", pk="PK"),
Table("RequestDedup", pk="PK"),
Entity("Counter", "Usage", keys=[Key("SCOPE#{scope}")]),
Pattern("seen_before", "get", table="RequestDedup", key={"PK": "REQ#{request_id}"}),
""",
    check=check,
)
