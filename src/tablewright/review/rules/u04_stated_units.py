"""U04: a call that takes more units than is said."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.least import least_write_units
from tablewright.review.loads import read_units, size_of
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        units = _units(design, pattern)
        if pattern.stated_units is not None and units is not None and units > pattern.stated_units:
            kind = "read" if pattern.reading else "write"
            yield Found(
                finding.pattern(pattern.name),
                f"The {kind} units of one call are said to be {pattern.stated_units:g}; they "
                f"are at least {units:g}{_because(design, pattern)}.",
            )


def _units(design: Design, pattern: Pattern) -> float | None:
    return read_units(design, pattern) if pattern.reading else least_write_units(design, pattern)


def _because(design: Design, pattern: Pattern) -> str:
    size = size_of(design, pattern)
    reasons = []
    if size is not None:
        many = f"{pattern.expect:g} items of " if pattern.reading and pattern.expect else ""
        reasons.append(f"{many}{size:,} bytes")
    if not pattern.reading and pattern.kind == "transaction":
        reasons.append("twice for a transaction")
    if not pattern.reading:
        reasons.append("the indexes included")
    return f" ({', '.join(reasons)})" if reasons else ""


RULE = Rule(
    code="U04",
    severity="warning",
    title="A call takes more units than is said",
    why="A write takes a unit for each KB of the item, again for each index that holds it, and "
    "twice for a key of an index that changes or in a transaction. A query takes half a unit for "
    "each 4 KB that it reads, all items of a page together; strongly consistent, a whole one.",
    fix="Count the indexes and the sizes, or have the plan do it.",
    bad="""
Table("Orders", pk="id", indexes=[Index("by_state", pk="state")]),
Entity("Order", "Orders", keys=[Key("{id}"), Key("{state}", on="by_state")], item_size=900),
Pattern("place", "put", "Order", stated_units=1),
""",
    good="""
Table("Orders", pk="id", indexes=[Index("by_state", pk="state")]),
Entity("Order", "Orders", keys=[Key("{id}"), Key("{state}", on="by_state")], item_size=900),
Pattern("place", "put", "Order", stated_units=2),
""",
    check=check,
)
