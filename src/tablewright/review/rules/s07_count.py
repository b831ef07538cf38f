"""S07: a sample that counts items which are not there."""

from collections.abc import Iterator
from decimal import Decimal

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.samples import items_of, plain_value

#: Documents show a few items of many. A list as short as this could have been shown in full.
_SHORT = 10


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.counts is None:
                continue
            number = len(list(design.samples_of(each.counts)))
            for item in items_of(design, entity):
                stated = plain_value(item[each.name]) if each.name in item else None
                if isinstance(stated, Decimal) and _contradicts(stated, number):
                    yield Found(
                        finding.sample(entity.name),
                        f"{each.name} is {stated}, but there "
                        f"{'is' if number == 1 else 'are'} {number} {each.counts} among the "
                        "samples.",
                    )


def _contradicts(stated: Decimal, shown: int) -> bool:
    return stated > shown and (shown == 0 or stated <= _SHORT)


RULE = Rule(
    code="S07",
    severity="warning",
    title="A sample counts what is not there",
    why="A count is written together with what it counts. Demo data in which they disagree is the "
    "state that the design has to make impossible.",
    fix="Add the items, or correct the number.",
    bad="""
Entity("Event", "App", attributes=[Attribute("entry_count", "N", counts="Entry")]),
Entity("Entry", "App"),
Sample("Event", {"entry_count": 3}),
""",
    good="""
Entity("Event", "App", attributes=[Attribute("entry_count", "N", counts="Entry")]),
Entity("Entry", "App"),
Sample("Event", {"entry_count": 1}),
Sample("Entry", {"title": "First"}),
""",
    check=check,
)
