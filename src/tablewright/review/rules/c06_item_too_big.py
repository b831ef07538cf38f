"""C06: an item that can be larger than an item can be."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_ITEM
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        # Names count, too: a value of 400 KB alone is too much.
        sizes = {e.name: most + len(e.name) for e in entity.attributes if (most := _most(e))}
        total = sum(sizes.values())
        if total > MAX_ITEM:
            largest = sorted(sizes, key=lambda name: -sizes[name])[:3]
            listed = ", ".join(f"{name} {sizes[name]:,}" for name in largest)
            yield Found(
                finding.entity(entity.name),
                f"{entity.name} can have {total:,} bytes ({listed}); {MAX_ITEM:,} is the most.",
            )
        in_keys = {name for key in entity.keys for each in key.templates for name in fields(each)}
        for each in entity.attributes:
            if each.name in in_keys:
                continue
            if each.type in ("S", "B") and each.free_text and not _most(each):
                yield Found(
                    finding.attribute(entity.name, each.name),
                    f"Nothing limits {each.name}; a longer one than about "
                    f"{(MAX_ITEM - total) // 1024} KB makes the item too large to store.",
                    severity="warning",
                )


def _most(each: Attribute) -> int:
    """Bytes of the attribute at its largest, as far as something says so."""
    if each.max_bytes is not None:
        return each.max_bytes
    if each.max_length is not None and each.type in ("S", "B", ""):
        return each.max_length
    if each.max_items is not None and each.item_bytes is not None:
        return each.max_items * each.item_bytes
    return 0


RULE = Rule(
    code="C06",
    severity="error",
    title="An item can be too large",
    why="An item, names and values together, has at most 400 KB (409,600 bytes); a larger one is "
    "refused. Its copies in indexes count their own.",
    fix="Limit the attribute, or keep the content elsewhere and a reference to it in the item.",
    bad="""
Entity("Result", "App", attributes=[
    Attribute("summary", max_length=2000), Attribute("raw_response", max_bytes=409600)]),
""",
    good="""
Entity("Result", "App", attributes=[
    Attribute("summary", max_length=2000), Attribute("raw_blob_key", max_length=100)]),
""",
    check=check,
)
