"""P10: a list of which only the first page is ever read."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.limits import PAGE
from tablewright.review.loads import size_of
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind not in ("query", "scan") or pattern.paged is not False:
            continue
        if pattern.limit is not None and pattern.filter is None:
            continue
        size = size_of(design, pattern)
        entity = design.entity(pattern.entity)
        most = None if entity is None else entity.per_partition
        if most is not None and size is not None and most * size < PAGE:
            continue
        after = "" if size is None else f" (about {PAGE // max(size, 1):,} items of {size:,} bytes)"
        yield Found(
            finding.pattern(pattern.name),
            f"It takes the first page for everything: what lies beyond 1 MB{after} is missing.",
        )


RULE = Rule(
    code="P10",
    severity="warning",
    title="Only the first page is read",
    why="Query and Scan read at most 1 MB, before filters, and then return a LastEvaluatedKey. "
    "Who does not go on from there loses the rest without an error.",
    fix="Go on until there is no LastEvaluatedKey, or give the caller a cursor.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Order", "App", keys=[Key("USER#{user}", "ORDER#{id}")]),
Pattern("orders", "query", "Order", key={"PK": "USER#{user}"}, paged=False),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Order", "App", keys=[Key("USER#{user}", "ORDER#{id}")], per_partition=200,
       item_size=1000),
Pattern("orders", "query", "Order", key={"PK": "USER#{user}"}, paged=False),
""",
    check=check,
)
