"""I09: more indexes, or more included attributes, than a table can have."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_GLOBAL_INDEXES, MAX_INCLUDED, MAX_LOCAL_INDEXES
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        local = sum(index.local for index in table.indexes)
        included = sum(
            len(i.projection) for i in table.indexes if not isinstance(i.projection, str)
        )
        for number, most, what in (
            (len(table.indexes) - local, MAX_GLOBAL_INDEXES, "global indexes"),
            (local, MAX_LOCAL_INDEXES, "local indexes"),
            (included, MAX_INCLUDED, "included attributes in its indexes"),
        ):
            if number > most:
                yield Found(
                    finding.table(table.name), f"{table.name} has {number} {what}; {most} is most."
                )


RULE = Rule(
    code="I09",
    severity="error",
    title="More indexes than a table can have",
    why="A table has at most 20 global indexes (a quota that can be raised), 5 local ones, and 100 "
    "included attributes in all its indexes together.",
    fix="Overload an index: several entities can share one, with keys of their own.",
    bad="""
Table("App", pk="PK", sk="SK",
      indexes=[Index(f"L{n}", sk=f"L{n}SK", local=True) for n in range(6)]),
""",
    good="""
Table("App", pk="PK", sk="SK",
      indexes=[Index(f"L{n}", sk=f"L{n}SK", local=True) for n in range(5)]),
""",
    check=check,
)
