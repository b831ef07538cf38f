"""P07: a read that must be current, and is not."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if not pattern.fresh or not pattern.reading:
            continue
        table = design.table_of(pattern)
        index = None if table is None else table.index(pattern.index)
        if index is not None and not index.local:
            yield Found(
                finding.pattern(pattern.name),
                f"Its result has to be current, but index {index.name} is behind the table: it may "
                "miss what was just written, and show what was just changed or deleted.",
                fix="Read by the primary key with ConsistentRead: use the index only to find it.",
            )
        elif not pattern.consistent:
            yield Found(
                finding.pattern(pattern.name),
                "Its result has to be current, but the read is eventually consistent.",
                fix="Set ConsistentRead; it costs twice the read units.",
                severity="warning",
            )


RULE = Rule(
    code="P07",
    severity="error",
    title="A decision rests on a read that may be stale",
    why="Reads are eventually consistent unless they ask otherwise, and reads of global indexes "
    "always are. Whatever is decided by them (who may do something, whether a name is free, what "
    "is shown right after a write) can be decided by yesterday's state.",
    fix="Read the table with ConsistentRead, or let a condition on the write decide.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("Doc", "App", keys=[Key("TEAM#{team}#DOC#{id}"), Key("DOC#{id}", on="GSI1")]),
Pattern("may_edit", "query", "Doc", index="GSI1", key={"GSI1PK": "DOC#{id}"}, fresh=True),
""",
    good="""
Table("App", pk="PK"),
Entity("Doc", "App", keys=[Key("DOC#{id}")]),
Pattern("may_edit", "get", "Doc", key={"PK": "DOC#{id}"}, fresh=True, consistent=True),
""",
    check=check,
)
