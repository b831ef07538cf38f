"""U05: figures that contradict how they came about, or each other."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from tablewright.review.design import Design, Figure
from tablewright.review.finding import Found, Place
from tablewright.review.least import computed
from tablewright.review.rule import Rule

#: Figures are rounded; this much off is still the same.
_ROUNDING = 0.05


def check(design: Design) -> Iterator[Found]:
    for figure in design.figures:
        value = computed(figure.formula) if figure.formula else None
        if value is not None and not _near(figure.value, value):
            yield Found(
                Place("figure", figure.name),
                f"It is said to be {figure.value:,.12g}, but {figure.formula} is {value:,.12g}.",
            )
    yield from _contradictions(design.figures)


def _contradictions(figures: Sequence[Figure]) -> Iterator[Found]:
    ordered = sorted(figures, key=lambda each: each.name)
    for name, group in groupby(ordered, key=lambda each: each.name):
        values = list(dict.fromkeys(each.value for each in group))
        if any(not _near(values[0], other) for other in values[1:]):
            told = ", ".join(f"{value:,.12g}" for value in values)
            yield Found(Place("figure", name), f"It has {len(values)} different values: {told}.")


def _near(stated: float, value: float) -> bool:
    return abs(stated - value) <= _ROUNDING * max(abs(stated), abs(value))


RULE = Rule(
    code="U05",
    severity="warning",
    title="Figures contradict each other",
    why="Capacity, prices and the choice of keys rest on the numbers of the load. If two of them "
    "contradict each other, one of the decisions rests on the wrong one.",
    fix="Correct the figure, and have one place from which the others are computed.",
    bad="""
Figure("orders a year", 16000, formula="40 * 200"),
""",
    good="""
Figure("orders a year", 8000, formula="40 * 200"),
""",
    check=check,
)
