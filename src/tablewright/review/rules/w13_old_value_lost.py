"""W13: an update that overwrites a value which must stay known."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import changes, writes, written
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        for write in writes(pattern):
            kept = {name for change in changes(write) for name in change.sources}
            for name in dict.fromkeys((*pattern.preserves, *write.preserves)):
                if name in written(write) and name not in kept:
                    yield Found(
                        finding.pattern(pattern.name),
                        f"The old {name} has to stay known, but is overwritten and kept nowhere.",
                    )


RULE = Rule(
    code="W13",
    severity="error",
    title="An old value is lost",
    why="An attribute has one value. During a change of secrets the old one must still be "
    "accepted, so it has to stand in an attribute of its own.",
    fix="Move it in the same update: SET previous_hash = current_hash, current_hash = :new.",
    bad="""
Table("Clients", pk="PK"),
Entity("Client", "Clients", keys=[Key("CLIENT#{id}")]),
Pattern("rotate", "update", "Client", update="SET secret_hash = :new", values={":new": "S"},
        condition="attribute_exists(PK)", preserves=["secret_hash"]),
""",
    good="""
Table("Clients", pk="PK"),
Entity("Client", "Clients", keys=[Key("CLIENT#{id}")]),
Pattern("rotate", "update", "Client", values={":new": "S"},
        update="SET previous_hash = secret_hash, secret_hash = :new",
        condition="attribute_exists(PK)", preserves=["secret_hash"]),
""",
    check=check,
)
