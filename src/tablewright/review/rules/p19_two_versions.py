"""P19: one pattern that two places of the document describe differently."""

from collections.abc import Iterator
from dataclasses import fields, replace

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    first: dict[str, Pattern] = {}
    for pattern in design.patterns:
        known = first.setdefault(pattern.name, pattern)
        if replace(known, doc="") == replace(pattern, doc=""):
            continue
        different = [
            each.name
            for each in fields(Pattern)
            if each.name != "doc" and getattr(known, each.name) != getattr(pattern, each.name)
        ]
        yield Found(
            finding.pattern(pattern.name),
            f"It is described twice, with another {', '.join(different)}.",
        )


RULE = Rule(
    code="P19",
    severity="error",
    title="One pattern in two versions",
    why="Two descriptions of the same request cannot both be what runs. Whoever implements one of "
    "them has not read the other.",
    fix="Keep one.",
    bad="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c", values={":c": "N"}),
Pattern("record", "update", "Counter", update="ADD cost :c, ids :i",
        values={":c": "N", ":i": "SS"}),
""",
    good="""
Table("Usage", pk="PK"),
Entity("Counter", "Usage", keys=[Key("C#{id}")]),
Pattern("record", "update", "Counter", update="ADD cost :c", values={":c": "N"}),
""",
    check=check,
)
