"""K08: things that the world tells apart, but the key does not."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        key = entity.primary
        if key is None:
            continue
        held = {name for each in key.templates for name in fields(each)}
        missing = [name for name in entity.identity if name not in held]
        if missing:
            shown = " / ".join(map(repr, key.templates))
            yield Found(
                finding.entity(entity.name),
                f"{entity.name} is told apart by {', '.join(entity.identity)}, but its key {shown} "
                f"does not hold {', '.join(missing)}: a second one replaces the first.",
            )


RULE = Rule(
    code="K08",
    severity="error",
    title="The key does not tell things apart that are different",
    why="There is one item for each primary key. What is not in the key cannot make two items of "
    "one: a constant key is one item for ever, a key without the run is overwritten by the next.",
    fix="Add what is missing to the primary key.",
    bad="""
Table("Events", pk="PK", sk="SK"),
Entity("Config", "Events", keys=[Key("CONFIG", "EVENT")], identity=["event_id"]),
""",
    good="""
Table("Events", pk="PK", sk="SK"),
Entity("Config", "Events", keys=[Key("EVENT#{event_id}", "CONFIG")], identity=["event_id"]),
""",
    check=check,
)
