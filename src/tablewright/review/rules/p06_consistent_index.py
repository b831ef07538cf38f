"""P06: a strongly consistent read of a global index."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        table = design.table_of(pattern)
        index = None if table is None else table.index(pattern.index)
        if pattern.consistent and index is not None and not index.local:
            yield Found(
                finding.pattern(pattern.name),
                f"It asks for a consistent read of {index.name}, which is a global index.",
            )


RULE = Rule(
    code="P06",
    severity="error",
    title="A consistent read of a global index",
    why='DynamoDB refuses it: "Consistent reads are not supported on global secondary indexes". '
    "They are filled after the write, usually within a second.",
    fix="Read the table by its key, or a local index; or accept that the result is behind.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Pattern("by_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"},
        consistent=True),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Pattern("by_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
""",
    check=check,
)
