"""X04: data that must not be lost, in a table that nothing protects."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        missing = list(_missing(table)) if table.durable else []
        if missing:
            yield Found(
                finding.table(table.name),
                f"{table.name} holds data that must not be lost, without {' and '.join(missing)}.",
            )


def _missing(table: Table) -> Iterator[str]:
    if not table.pitr:
        yield "point-in-time recovery"
    if not table.deletion_protection:
        yield "protection against deletion"


RULE = Rule(
    code="X04",
    severity="warning",
    title="Nothing protects the data",
    why="A wrong job overwrites items in seconds, and one call deletes a table with everything in "
    "it. Point-in-time recovery restores any second of up to 35 days; deletion protection refuses "
    "DeleteTable until it is taken off. Neither is on unless it is asked for.",
    fix="Switch both on for every table whose data exists nowhere else.",
    bad="""
Table("Orders", pk="id", durable=True),
""",
    good="""
Table("Orders", pk="id", durable=True, pitr=35, deletion_protection=True),
Table("Cache", pk="id", durable=False),
""",
    check=check,
)
