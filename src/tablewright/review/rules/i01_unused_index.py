"""I01: an index that no pattern reads."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    if not any(pattern.reading for pattern in design.patterns):
        return
    for table in design.tables:
        tables = {each.name: design.table_of(each) for each in design.patterns}
        for index in table.indexes:
            used = any(
                pattern.index == index.name and tables[pattern.name] in (table, None)
                for pattern in design.patterns
            )
            if not used:
                yield Found(
                    finding.index(table.name, index.name), f"No pattern reads index {index.name}."
                )


RULE = Rule(
    code="I01",
    severity="warning",
    title="An index that nobody reads",
    why="Every write of an item that is in an index is a second write there, and the index stores "
    "its own copy. Both are paid for, whether it is read or not.",
    fix="Remove the index, or declare the pattern that reads it.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Pattern("user", "get", "User", key={"PK": "USER#{id}"}),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Pattern("user_with_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
""",
    check=check,
)
