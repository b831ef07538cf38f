"""W11: a write of what was computed from an earlier read, without a guard."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        if write.opaque or not (write.after_read or pattern.after_read):
            continue
        if write.deduced:
            yield Found(
                finding.pattern(pattern.name),
                f"It replaces a whole {write.entity} that other patterns change too, without a "
                "version or condition: of two callers at once, the later one undoes what the "
                "other wrote.",
                fix=f"Give {write.entity} a Version field, change single attributes with "
                "update(...), or state what must hold with .when(...).",
                severity="warning" if _updated(design, write.entity) else "note",
            )
        elif write.condition is None and write.kind in ("put", "update", "delete"):
            yield Found(
                finding.pattern(pattern.name),
                f"What it writes to {write.entity or 'the item'} was computed from what was read "
                "before; of two callers at once, the later one undoes what the other wrote.",
            )


def _updated(design: Design, entity: str | None) -> bool:
    """Whether some pattern changes single attributes, which a put of the whole item undoes."""
    return any(write.entity == entity and write.kind == "update" for _, write in all_writes(design))


RULE = Rule(
    code="W11",
    severity="error",
    title="An update can be lost",
    why="Between the read and the write anybody may write. Without a condition on what was read, "
    "the last writer wins, with a value that never saw the other's.",
    fix="Keep a version: SET version = :next with the condition version = :read. Or let DynamoDB "
    "compute: ADD.",
    bad="""
Table("Totals", pk="PK"),
Entity("Total", "Totals", keys=[Key("TOTAL#{id}")]),
Pattern("sum_up", "put", "Total", after_read=True),
""",
    good="""
Table("Totals", pk="PK"),
Entity("Total", "Totals", keys=[Key("TOTAL#{id}")], version="rev",
       attributes=[Attribute("rev", "N")]),
Pattern("sum_up", "put", "Total", after_read=True, condition="rev = :read",
        values={":read": "N"}),
""",
    check=check,
)
