"""U03: a limit of the service that is stated wrongly."""

from collections.abc import Iterator

from tablewright.review.design import Design
from tablewright.review.finding import Found, Place
from tablewright.review.limits import STATED
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for figure in design.figures:
        known = STATED.get(figure.name)
        if known is not None and figure.value != known[0]:
            yield Found(
                Place("figure", figure.name),
                f"It is said to be {figure.value:,.12g}; it is {known[0]:,.12g} {known[1]}.",
            )


RULE = Rule(
    code="U03",
    severity="warning",
    title="A limit of the service is wrong",
    why="Designs grow around the limits that they believe in. One that does not exist costs "
    "effort; one that is forgotten throttles or refuses.",
    fix="Take the number from the service's documentation.",
    bad="""
Figure("partition.write_units", 100),
""",
    good="""
Figure("partition.write_units", 1000),
""",
    check=check,
)
