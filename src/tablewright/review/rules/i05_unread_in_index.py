"""I05: an entity that is in an index where no pattern looks for it."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.asked import asks_for
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for key in entity.keys:
            if table is None or key.on is None:
                continue
            readers = [
                each
                for each in design.patterns
                if each.index == key.on and design.table_of(each) in (table, None)
            ]
            if readers and not any(asks_for(each, entity, key, table) for each in readers):
                yield Found(
                    finding.key(entity.name, key.label),
                    f"{entity.name} is in {key.on} as {' / '.join(key.templates)}, but no pattern "
                    "asks for that there.",
                )


RULE = Rule(
    code="I05",
    severity="note",
    title="An entity is in an index where nobody reads it",
    why="Each item that is in an index is written and stored there as well. That is worth it only "
    "for items that are read through it.",
    fix="Take the key off the entity, or declare the pattern that reads it.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("TRACK#{track}", on="GSI1")]),
Pattern("user_with_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("User", "App", keys=[Key("USER#{id}"), Key("EMAIL#{email}", on="GSI1")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("TRACK#{track}", on="GSI1")]),
Pattern("user_with_email", "query", "User", index="GSI1", key={"GSI1PK": "EMAIL#{email}"}),
Pattern("teams_of_track", "query", "Team", index="GSI1", key={"GSI1PK": "TRACK#{track}"}),
""",
    check=check,
)
