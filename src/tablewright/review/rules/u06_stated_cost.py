"""U06: a price that is not what the units cost."""

from collections.abc import Iterator

from tablewright.review.design import Design
from tablewright.review.finding import Found, Place
from tablewright.review.limits import PRICES
from tablewright.review.rule import Rule

#: Prices are rounded, too.
_ROUNDING = 0.1


def check(design: Design) -> Iterator[Found]:
    for figure in design.figures:
        price = PRICES.get(figure.kind)
        if price is None or figure.units is None:
            continue
        cost = figure.units / 1e6 * price
        if abs(figure.value - cost) > max(_ROUNDING * cost, 0.01):
            yield Found(
                Place("figure", figure.name),
                f"{figure.units:,.0f} {figure.kind} units are said to cost {figure.value:,.2f} "
                f"dollars; they cost {cost:,.2f}.",
            )


RULE = Rule(
    code="U06",
    severity="warning",
    title="A price is wrong",
    why="On demand, a million write units cost 0.625 dollars and a million read units 0.125 "
    "(us-east-1, since November 2024; twice that before).",
    fix="Have the plan compute it, from units that count sizes and indexes.",
    bad="""
Figure("cost of the counters", 0.32, units=25_900_000, kind="write"),
""",
    good="""
Figure("cost of the counters", 16.19, units=25_900_000, kind="write"),
""",
    check=check,
)
