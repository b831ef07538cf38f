"""W01: a read of something that no pattern writes."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    written = list(all_writes(design))
    if not written or not design.writes_declared:
        return
    for pattern in design.patterns:
        if not pattern.reading or pattern.entity is None or design.entity(pattern.entity) is None:
            continue
        modes = [
            {**root.only_if, **write.only_if}
            for root, write in written
            if write.entity == pattern.entity and write.kind != "delete"
        ]
        if not modes:
            yield Found(
                finding.pattern(pattern.name), f"It reads {pattern.entity}, which nothing writes."
            )
        elif not any(_covers(mode, pattern) for mode in modes):
            shown = " or ".join(
                sorted({", ".join(f"{k} is {v}" for k, v in mode.items()) for mode in modes})
            )
            yield Found(
                finding.pattern(pattern.name),
                f"It reads {pattern.entity}, which is written only if {shown}.",
            )


def _covers(mode: dict[str, str], reader: Pattern) -> bool:
    """Whether the writer is at work whenever the reader is."""
    return all(reader.only_if.get(name) == value for name, value in mode.items())


RULE = Rule(
    code="W01",
    severity="warning",
    title="Nothing writes what is read",
    why="A pattern that reads an entity shows nothing unless some pattern writes it, in every mode "
    "in which it is read. A missing writer is also missing from permissions and from the plan.",
    fix="Declare the pattern that writes it, or drop the one that reads it.",
    bad="""
Table("App", pk="PK", sk="SK"),
Entity("OrgTotal", "App", keys=[Key("ORG#{org}", "{day}")]),
Pattern("totals", "query", "OrgTotal", key={"PK": "ORG#{org}"}),
Pattern("add_up", "put", "OrgTotal", only_if={"scope": "ORG"}),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("OrgTotal", "App", keys=[Key("ORG#{org}", "{day}")]),
Pattern("totals", "query", "OrgTotal", key={"PK": "ORG#{org}"}),
Pattern("add_up", "put", "OrgTotal"),
""",
    check=check,
)
