"""P08: a filter that throws away most of what was read."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.loads import peak
from tablewright.review.rule import Rule

_LITTLE = 0.2
#: Calls per second above which a filter is worth a number.
_OFTEN = 1.0


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        kept = _kept(design, pattern)
        if kept is not None and kept < _LITTLE:
            times = f"{1 / kept:,.0f} times what it returns" if kept else "everything, for nothing"
            yield Found(
                finding.pattern(pattern.name),
                f"Its filter keeps {_percent(kept)} of what is read: it pays for {times}.",
            )
        elif kept is None and design.aliased and pattern.filter and _matters(pattern):
            yield Found(
                finding.pattern(pattern.name),
                "Its filter drops items after they were read and paid for, and nothing states how "
                "many it keeps.",
                fix="State filter_keeps= (0.5 is half of what is read), or expect= together with "
                "per_partition= of the entity. If it keeps little, put the attribute into a key.",
                severity="note",
            )


def _matters(pattern: Pattern) -> bool:
    """Whether the share is worth asking for: a few calls an hour cost nothing, whatever it is."""
    often = peak(pattern)
    return not pattern.admin and (often is None or often >= _OFTEN)


def _kept(design: Design, pattern: Pattern) -> float | None:
    """The share that the filter keeps: as stated, or by the numbers of results and of items."""
    if pattern.filter_keeps is not None or pattern.filter is None:
        return pattern.filter_keeps
    entity = design.entity(pattern.entity)
    read = None if entity is None or pattern.index is not None else entity.per_partition
    if pattern.kind == "scan" and entity is not None:
        read = entity.expected
    if pattern.expect is None or not read:
        return None
    return min(1.0, pattern.expect / read)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.01 or not share else f"{share:.1%}"


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
