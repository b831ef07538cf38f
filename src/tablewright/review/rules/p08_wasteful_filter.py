"""P08: a filter that throws away most of what was read."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule

_LITTLE = 0.2


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        kept = pattern.filter_keeps
        if kept is not None and kept < _LITTLE:
            times = f"{1 / kept:.0f} times what it returns" if kept else "everything, for nothing"
            yield Found(
                finding.pattern(pattern.name),
                f"Its filter keeps {kept:.0%} of what is read: it pays for {times}.",
            )


RULE = Rule(
    code="P08",
    severity="warning",
    title="A filter throws most of the results away",
    why="A filter is applied after the items were read. Read units and the 1 MB of a page count "
    "what was read, not what is returned.",
    fix="Put what is filtered by into the sort key, or into a sparse index of the items wanted.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("Task", "App", keys=[Key("USER#{user}", "TASK#{id}")]),
Pattern("open_tasks", "query", "Task", key={"PK": "USER#{user}", "SK": Begins("TASK#")},
        filter="done = :no", values={":no": "BOOL"}, filter_keeps=0.02),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Task", "App", keys=[Key("USER#{user}", "TASK#{id}")]),
Pattern("open_tasks", "query", "Task", key={"PK": "USER#{user}", "SK": Begins("TASK#")},
        filter="done = :no", values={":no": "BOOL"}, filter_keeps=0.5),
""",
    check=check,
)
