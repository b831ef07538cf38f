"""P20: a number that is found by reading everything."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.loads import peak, read_units
from tablewright.review.rule import Rule

_MANY = 1000


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        if pattern.kind != "count" or pattern.expect is None or pattern.expect < _MANY:
            continue
        units = read_units(design, pattern)
        cost = "" if units is None else f", {units:,.0f} read units"
        often = peak(pattern)
        rate = "" if often is None else f", {often:g} times a second"
        yield Found(
            finding.pattern(pattern.name),
            f"Each count reads {pattern.expect:,.0f} items{cost}{rate}.",
        )


RULE = Rule(
    code="P20",
    severity="warning",
    title="Counting reads everything",
    why="Select=COUNT returns no items, but reads and pays for all of them, in pages of 1 MB.",
    fix="Keep the number in an item that is written together with what it counts.",
    bad="""
Table("News", pk="PK", sk="SK"),
Entity("Article", "News", keys=[Key("DAY#{day}", "{at}")], item_size=1000),
Pattern("articles_of_day", "count", "Article", key={"PK": "DAY#{day}"}, expect=50000, paged=True),
""",
    good="""
Table("News", pk="PK", sk="SK"),
Entity("Article", "News", keys=[Key("DAY#{day}", "{at}")], item_size=1000),
Pattern("articles_of_day", "count", "Article", key={"PK": "DAY#{day}"}, expect=50, paged=True),
""",
    check=check,
)
