"""P09: a limit that is taken for the number of results, beside a filter."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        filtered = pattern.filter is not None or pattern.filter_keeps is not None
        if filtered and pattern.limit is not None and pattern.paged is not True:
            yield Found(
                finding.pattern(pattern.name),
                f"Limit {pattern.limit} is applied before the filter: a page can be short or empty "
                "although more items match.",
            )


RULE = Rule(
    code="P09",
    severity="warning",
    title="The limit counts before the filter",
    why="Limit is the number of items that DynamoDB evaluates. The filter comes after it, so fewer "
    "results, or none, do not mean that there are no more; only a missing LastEvaluatedKey does.",
    fix="Read on until there are enough results or no LastEvaluatedKey.",
    bad="""
Table("Teams", pk="id"),
Entity("Team", "Teams", keys=[Key("{id}")]),
Pattern("active", "scan", "Team", filter="isActive = :yes", values={":yes": "BOOL"}, limit=20,
        admin=True),
""",
    good="""
Table("Teams", pk="id"),
Entity("Team", "Teams", keys=[Key("{id}")]),
Pattern("active", "scan", "Team", filter="isActive = :yes", values={":yes": "BOOL"}, limit=20,
        admin=True, paged=True),
""",
    check=check,
)
