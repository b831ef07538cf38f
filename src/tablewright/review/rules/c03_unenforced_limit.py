"""C03: a rule of the business that no write makes sure of."""

from collections.abc import Iterator

from tablewright.review.design import Design
from tablewright.review.finding import Found, Place
from tablewright.review.reading import writes
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    patterns = {pattern.name: pattern for pattern in design.patterns}
    for limit in design.limits:
        place = Place("limit", limit.name)
        if not limit.enforced_by:
            yield Found(place, f"{limit.name} limits {limit.entity}, but is in no condition.")
        for name in limit.enforced_by:
            pattern = patterns.get(name)
            if pattern is None:
                yield Found(place, f"{limit.name} is to be kept by {name}, which does not exist.")
            elif not any(each.condition or each.opaque for each in writes(pattern)):
                yield Found(place, f"{limit.name} is to be kept by {name}, which has no condition.")


RULE = Rule(
    code="C03",
    severity="warning",
    title="A limit that nothing enforces",
    why="A check before the write holds for one caller at a time. Only a condition of the write "
    "itself, or of another member of its transaction, holds for all.",
    fix="Keep the number in an item, and let each write change it with a condition: ADD free :-1 "
    "if free > 0.",
    bad="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")]),
Pattern("register", "put", "Team", condition="attribute_not_exists(PK)"),
Limit("max_teams", "Team"),
""",
    good="""
Table("App", pk="PK"),
Entity("Team", "App", keys=[Key("TEAM#{id}")]),
Entity("Seats", "App", keys=[Key("SEATS")], attributes=[Attribute("free", "N")]),
Pattern("register", "transaction", members=[
    Pattern("", "put", "Team", condition="attribute_not_exists(PK)"),
    Pattern("", "update", "Seats", update="SET free = free - :one", condition="free >= :one",
            values={":one": "N"})]),
Limit("max_teams", "Team", enforced_by=["register"]),
""",
    check=check,
)
