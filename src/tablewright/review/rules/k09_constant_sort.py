"""K09: a table with a sort key that nobody uses."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import is_constant


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        if not table.sort or not any(_reads_together(p) for p in design.patterns):
            continue
        spread = [each for each in design.entities_of(table.name) if _spread(each)]
        if len(spread) > 1 and all(_constant(each) for each in spread):
            yield Found(
                finding.table(table.name),
                f"The sort key is a constant in every entity ({', '.join(e.name for e in spread)}):"
                " nothing is stored together, so everything that belongs together has to be read "
                "through an index, which is behind.",
            )


def _reads_together(pattern: Pattern) -> bool:
    """Whether something that belongs together is read through an index."""
    return pattern.kind == "query" and pattern.index is not None and (pattern.expect or 2) > 1


def _spread(entity: Entity) -> bool:
    key = entity.primary
    return key is not None and not all(is_constant(each) for each in key.partition)


def _constant(entity: Entity) -> bool:
    key = entity.primary
    return key is not None and all(is_constant(each) for each in key.sort)


RULE = Rule(
    code="K09",
    severity="note",
    title="The sort key carries nothing",
    why="Items with the same partition key are stored together and can be read by one strongly "
    "consistent Query. With constant sort keys each partition has one item, and an index, which "
    "is only eventually consistent, has to do the rest.",
    fix="Store what belongs together under one partition key: TEAM#{t} / PROFILE and TEAM#{t} / "
    "MEMBER#{p}.",
    bad="""
Table("App", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("Team", "App", keys=[Key("TEAM#{team_id}", "PROFILE")]),
Entity("Member", "App", keys=[Key("MEMBER#{member_id}", "PROFILE"),
                              Key("TEAM#{team_id}", on="GSI1")]),
Pattern("members", "query", "Member", index="GSI1", key={"GSI1PK": "TEAM#{team_id}"}),
""",
    good="""
Table("App", pk="PK", sk="SK"),
Entity("Team", "App", keys=[Key("TEAM#{team_id}", "PROFILE")]),
Entity("Member", "App", keys=[Key("TEAM#{team_id}", "MEMBER#{member_id}")]),
Pattern("members", "query", "Member", key={"PK": "TEAM#{team_id}", "SK": Begins("MEMBER#")}),
""",
    check=check,
)
