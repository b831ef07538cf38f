"""K06: a key that can be longer than the service allows."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_PARTITION_KEY, MAX_SORT_KEY
from tablewright.review.rule import Rule
from tablewright.review.templates import pieces


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for key in entity.keys:
            sides = (
                ("partition", key.partition, MAX_PARTITION_KEY),
                ("sort", key.sort, MAX_SORT_KEY),
            )
            for side, templates, most in sides:
                for template in templates:
                    length = longest(template, entity)
                    if length > most:
                        yield Found(
                            finding.key(entity.name, key.label),
                            f"The {side} key {template!r} can have {length:,} bytes; {most:,} is "
                            "the most.",
                        )


def longest(template: str, entity: Entity) -> int:
    """Bytes of the longest text that the template can become, by the limits that are known."""
    total = 0
    for piece in pieces(template):
        if isinstance(piece, str):
            total += len(piece.encode())
            continue
        known = entity.attribute(piece.field)
        if known is not None:
            total += known.max_bytes or known.max_length or 0
    return total


RULE = Rule(
    code="K06",
    severity="error",
    title="A key can be too long",
    why="A partition key has at most 2,048 bytes, a sort key at most 1,024; longer ones are "
    "refused, for indexes too.",
    fix="Limit the field, or put a hash of it into the key.",
    bad="""
Table("Pages", pk="PK", sk="SK"),
Entity("Page", "Pages", keys=[Key("SITE#{site}", "URL#{url}")],
       attributes=[Attribute("site", max_length=100), Attribute("url", max_length=2000)]),
""",
    good="""
Table("Pages", pk="PK", sk="SK"),
Entity("Page", "Pages", keys=[Key("SITE#{site}", "URL#{url}")],
       attributes=[Attribute("site", max_length=100), Attribute("url", max_length=1000)]),
""",
    check=check,
)
