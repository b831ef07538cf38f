"""W07: several writes that are meant to make several items, and all have one key."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        if pattern.kind == "transaction" or write.opaque:
            continue
        if write.kind != "put" or write.many is None or write.many < 2:
            continue
        entity = design.entity(write.entity)
        key = None if entity is None else entity.primary
        if entity is None or key is None:
            continue
        held = {name for each in key.templates for name in fields(each)}
        if not held.intersection(write.varies):
            shown = " / ".join(key.templates)
            differ = (
                f"differ only in {', '.join(write.varies)}" if write.varies else "do not differ"
            )
            yield Found(
                finding.pattern(pattern.name),
                f"{write.many:g} puts of {entity.name} {differ}, which is not in the key {shown}: "
                "they are one item, and the last one wins"
                + (" (or, with its condition, the first)." if write.condition else "."),
            )


RULE = Rule(
    code="W07",
    severity="error",
    title="Several writes share one key",
    why="A put with the key of an existing item replaces that item, or fails if its condition says "
    "so. An index does not hold an item twice, either: one item has one entry.",
    fix="Put what differs into the primary key.",
    bad="""
Table("News", pk="id", sk="at", indexes=[Index("by_tag", pk="tag", sk="at")]),
Entity("TagRow", "News", keys=[Key("{id}", "{at}"), Key("{tag}", "{at}", on="by_tag")]),
Pattern("fan_out", "put", "TagRow", many=3, varies=["tag"]),
""",
    good="""
Table("News", pk="id", sk="at", indexes=[Index("by_tag", pk="tag", sk="at")]),
Entity("TagRow", "News", keys=[Key("{id}", "{at}#{tag}"), Key("{tag}", "{at}", on="by_tag")]),
Pattern("fan_out", "put", "TagRow", many=3, varies=["tag"]),
""",
    check=check,
)
