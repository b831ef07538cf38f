"""P11: the length of one page taken for a count."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind != "count" or (pattern.limit is None and pattern.paged is not False):
            continue
        if pattern.limit is not None and pattern.paged:
            continue
        most = "1 MB of items" if pattern.limit is None else f"{pattern.limit} items"
        yield Found(
            finding.pattern(pattern.name),
            f"It counts the items of one page: the result is never more than {most}.",
        )


RULE = Rule(
    code="P11",
    severity="error",
    title="One page is counted",
    why="A page ends at its Limit or at 1 MB, with Select=COUNT too. Its length is a lower bound, "
    "not the number of items.",
    fix="Sum the Count of all pages, or keep a counter that is written with the items.",
    bad="""
Table("Jobs", pk="PK", indexes=[Index("by_status", pk="status")]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")]),
Pattern("stuck", "count", "Job", index="by_status", key={"status": "pending"}, limit=100),
""",
    good="""
Table("Jobs", pk="PK", indexes=[Index("by_status", pk="status")]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")]),
Pattern("stuck", "count", "Job", index="by_status", key={"status": "pending"}, paged=True),
""",
    check=check,
)
