"""T06: backups that keep data longer than it may be kept."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule

_LONGEST = 35


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        if not table.pitr:
            continue
        days = _LONGEST if table.pitr is True else table.pitr
        for entity in design.entities_of(table.name):
            kept = entity.retention
            if kept is not None and kept.days <= days:
                yield Found(
                    finding.table(table.name),
                    f"{entity.name} is to be kept for {kept.days:g} days, but point-in-time "
                    f"recovery brings it back for {days} days after it was deleted.",
                )


RULE = Rule(
    code="T06",
    severity="note",
    title="Backups outlive what they hold",
    why="Point-in-time recovery keeps every state of the last 1 to 35 days, on-demand backups and "
    "exports keep theirs until they are deleted. What was erased from the table is still in them.",
    fix="Choose a recovery period (RecoveryPeriodInDays) that the promise allows, or name it in "
    "the promise.",
    bad="""
Table("News", pk="id", ttl="ends", pitr=35),
Entity("Article", "News", keys=[Key("{id}")], ttl="ends", retention=Retention(days=30),
       attributes=[Attribute("ends", "N")]),
""",
    good="""
Table("News", pk="id", ttl="ends", pitr=7),
Entity("Article", "News", keys=[Key("{id}")], ttl="ends", retention=Retention(days=30),
       attributes=[Attribute("ends", "N")]),
""",
    check=check,
)
