"""P14: a Scan on the way of users."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind == "scan" and not pattern.admin:
            entity = design.entity(pattern.entity)
            number = "" if entity is None or entity.expected is None else f"{entity.expected:,.0f} "
            yield Found(
                finding.pattern(pattern.name),
                f"It reads all {number}items of {pattern.table or getattr(entity, 'table', '?')}, "
                "every time.",
            )


RULE = Rule(
    code="P14",
    severity="warning",
    title="A Scan for users",
    why="A Scan reads the whole table, 1 MB a page, and pays for it; it becomes slower and dearer "
    "with every item that is stored.",
    fix="Serve it from an index. If it is an export or a repair, say so: admin=True.",
    bad="""
Table("Teams", pk="id"),
Entity("Team", "Teams", keys=[Key("{id}")]),
Pattern("teams", "scan", "Team"),
""",
    good="""
Table("Teams", pk="id"),
Entity("Team", "Teams", keys=[Key("{id}")]),
Pattern("export_teams", "scan", "Team", admin=True),
""",
    check=check,
)
