"""P05: a list whose every result is read once more from the table."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule

_MANY = 10


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        number = pattern.expect if pattern.expect is not None else pattern.limit
        if pattern.hydrate and pattern.kind == "query" and (number is None or number >= _MANY):
            many = "each result" if number is None else f"each of {number:g} results"
            yield Found(
                finding.pattern(pattern.name),
                f"After the query of {pattern.index}, {many} is read again from the table.",
                severity="note" if number is not None and number < 25 else None,
            )


RULE = Rule(
    code="P05",
    severity="warning",
    title="Every result is read twice",
    why="An index of keys saves writes, but a list then costs a read of at least half a unit for "
    "each item, in batches of at most 100, and may miss items that went in between.",
    fix="Include the attributes that the list shows, if it is read more often than they change.",
    bad="""
Table("Jobs", pk="PK", indexes=[Index("by_status", pk="status", projection="KEYS_ONLY")]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")]),
Pattern("running", "query", "Job", index="by_status", key={"status": "running"}, hydrate=True),
""",
    good="""
Table("Jobs", pk="PK", indexes=[Index("by_status", pk="status", projection=("title",))]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")]),
Pattern("running", "query", "Job", index="by_status", key={"status": "running"}),
""",
    check=check,
)
