"""I03: an entity that has only some of an index's key attributes."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for key in entity.keys:
            side = None if table is None else table.index(key.on) if key.on else table
            if side is None:
                continue
            declared = [each.name for each in (*side.partition, *side.sort)]
            given = [*key.partition, *key.sort]
            if len(key.partition) < len(side.partition) or len(key.sort) < len(side.sort):
                missing = _missing(side.partition, key.partition) + _missing(side.sort, key.sort)
                lost = "no item can be written" if key.on is None else f"none is in {key.on}"
                yield Found(
                    finding.key(entity.name, key.label),
                    f"{entity.name} writes {len(given)} of the {len(declared)} key attributes of "
                    f"{key.on or entity.table}; {', '.join(missing)} is missing, so {lost}.",
                )


def _missing(declared: tuple[object, ...], given: tuple[str, ...]) -> list[str]:
    return [getattr(each, "name", "") for each in declared[len(given) :]]


RULE = Rule(
    code="I03",
    severity="error",
    title="Half of a key is written",
    why="An item is in an index only if it has every key attribute of the index, the sort key "
    "included. One that lacks any is silently left out; a table refuses it.",
    fix="Write all key attributes; a constant will do where there is nothing to sort by.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", "USER#{id}", on="GSI1")]),
""",
    check=check,
)
