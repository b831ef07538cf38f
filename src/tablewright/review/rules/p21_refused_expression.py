"""P21: an expression that DynamoDB refuses."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import parts, refusals
from tablewright.review.rule import Rule

_FIXES = (
    ("reserved keyword", "Give the name as a placeholder: #name, with ExpressionAttributeNames."),
    ("can only be used once", "Put all actions of one kind into one clause: ADD a :a, b :b."),
    ("not defined", "Define the placeholder, in ExpressionAttributeNames or -Values."),
)


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        for part in parts(pattern):
            for refusal in refusals(part):
                fix = next((text for sign, text in _FIXES if sign in refusal.message), "")
                yield Found(
                    finding.pattern(pattern.name),
                    f'{refusal.text!r} is refused: "{refusal.message}".',
                    fix=fix,
                )


RULE = Rule(
    code="P21",
    severity="error",
    title="An expression is refused",
    why="Every request with it fails with a ValidationException. The review reads expressions with "
    "the engine's own grammar, so the message is the one that DynamoDB gives.",
    fix="Write it as DynamoDB's grammar has it.",
    bad="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c ADD ids :i SET updated = :t",
        values={":c": "N", ":i": "SS", ":t": "N"}),
""",
    good="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c, ids :i SET updated = :t",
        values={":c": "N", ":i": "SS", ":t": "N"}),
""",
    check=check,
)
