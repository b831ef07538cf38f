"""S04: a sample that does not meet an equation of its entity."""

from collections.abc import Iterator

from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.looks import found_in
from tablewright.review.relations import Unknown, holds
from tablewright.review.rule import Rule
from tablewright.review.samples import shown_of, values_of


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for sample, item in shown_of(design, entity) if entity.relations else ():
            values = values_of(item, entity, table)
            for relation in entity.relations:
                try:
                    met, sides = holds(relation, values)
                except Unknown:
                    continue
                if not met:
                    shown = "item" if sample.deployed else f"sample: {sides}"
                    message = f"{relation} does not hold in the {shown}."
                    yield found_in(design, sample, item, message)


RULE = Rule(
    code="S04",
    severity="error",
    title="A sample does not add up",
    why="Numbers and days that belong together are computed from each other. A sample in which "
    "they disagree was made up, and so may be the formula.",
    fix="Compute the sample, or correct the relation.",
    bad="""
Entity("Cost", "App", relations=["total == input + output"], attributes=[
    Attribute("input", "N"), Attribute("output", "N"), Attribute("total", "N")]),
Sample("Cost", {"input": 100, "output": 20, "total": 130}),
""",
    good="""
Entity("Cost", "App", relations=["total == input + output"], attributes=[
    Attribute("input", "N"), Attribute("output", "N"), Attribute("total", "N")]),
Sample("Cost", {"input": 100, "output": 20, "total": 120}),
""",
    check=check,
)
