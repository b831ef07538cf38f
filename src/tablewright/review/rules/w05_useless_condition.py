"""W05: a condition that is meant to keep something unique, and cannot."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, calls
from tablewright.review.rule import Rule
from tablewright.review.templates import fields, single


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        key = None if entity is None else entity.primary
        absent = calls(write, "attribute_not_exists")
        if not write.unique or not absent or entity is None or key is None:
            continue
        if any(
            each.lock is not None and set(write.unique) <= set(each.names) for each in entity.unique
        ):
            continue
        held = [name for each in key.templates for name in fields(each)]
        table = design.table(entity.table)
        attributes = [] if table is None else [*table.partition, *table.sort]
        # A key attribute that is the field itself is known by either name.
        plain = {a.name: single(t) for a, t in zip(attributes, key.templates, strict=False)}
        wanted = {plain.get(name) or name for name in write.unique}
        more = [name for name in held if name not in wanted]
        if more or not wanted <= set(held):
            reason = (
                f"its key also has {', '.join(more)}, so a second one has another key"
                if wanted <= set(held)
                else f"{', '.join(sorted(wanted - set(held)))} is not in its key"
            )
            yield Found(
                finding.pattern(pattern.name),
                f"attribute_not_exists({', '.join(sorted(absent))}) is to keep "
                f"{', '.join(write.unique)} unique, but looks only at the item with the same key, "
                f"and {reason}: the condition always holds.",
            )


RULE = Rule(
    code="W05",
    severity="error",
    title="A condition that cannot keep anything unique",
    why="A condition is evaluated on one item: the one with the very key of the request, partition "
    "and sort key. It sees no other item, and no index.",
    fix="Make the value the whole key, or of an item that is put in the same transaction.",
    bad="""
Table("News", pk="id", sk="at"),
Entity("Article", "News", keys=[Key("{id}", "{at}")]),
Pattern("ingest", "put", "Article", condition="attribute_not_exists(id)", unique=["id"]),
""",
    good="""
Table("News", pk="id"),
Entity("Article", "News", keys=[Key("{id}")]),
Pattern("ingest", "put", "Article", condition="attribute_not_exists(id)", unique=["id"]),
""",
    check=check,
)
