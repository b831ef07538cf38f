"""T05: an end that is counted from another moment than was promised."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        kept = entity.retention
        if kept is None or not kept.after or not kept.computed_from:
            continue
        if kept.after != kept.computed_from:
            yield Found(
                finding.entity(entity.name),
                f"{entity.name} is to be kept for {kept.days:g} days after {kept.after}, but its "
                f"end is computed from {kept.computed_from}: it may be gone before it is done.",
            )


RULE = Rule(
    code="T05",
    severity="warning",
    title="The end is counted from the wrong moment",
    why="The time to live is a fixed moment in the item. If it is set when the item is created, it "
    "does not move with what happens later.",
    fix="Set it in the write that ends the item's life.",
    bad="""
Table("Jobs", pk="id", ttl="expires_at"),
Entity("Job", "Jobs", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N", required=False)],
       retention=Retention(days=30, after="completed_at", computed_from="created_at")),
""",
    good="""
Table("Jobs", pk="id", ttl="expires_at"),
Entity("Job", "Jobs", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N", required=False)],
       retention=Retention(days=30, after="completed_at", computed_from="completed_at")),
""",
    check=check,
)
