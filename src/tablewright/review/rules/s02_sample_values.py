"""S02: a sample with values that the entity does not have."""

from collections.abc import Iterator

from tablewright.review.design import Attribute, Design, Sample
from tablewright.review.finding import Found
from tablewright.review.looks import found_in, told
from tablewright.review.rule import Rule
from tablewright.review.samples import components, plain_value, shown_of
from tablewright.values import AttributeValue, Item


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for sample, item in shown_of(design, entity):
            known = components(item, entity, table)
            for each in entity.attributes:
                for problem in _problems(sample, item, each, known):
                    yield found_in(design, sample, item, problem)


def _problems(sample: Sample, item: Item, each: Attribute, in_key: dict[str, str]) -> Iterator[str]:
    what = "item" if sample.deployed else "sample"
    value = item.get(each.name)
    if value is None:
        if _needed(each, item) and each.name not in in_key:
            yield f"The {what} has no {each.name}, which is required."
        return
    kind = next(iter(value))
    if each.type and kind != each.type and not (kind == "NULL" and each.nullable):
        yield f"{each.name} is {kind} in the {what}, and {each.type} in the entity."
        return
    yield from _limits(sample, each, value, kind)


def _needed(each: Attribute, item: Item) -> bool:
    if each.required_when:
        return all(
            name in item and plain_value(item[name]) == value
            for name, value in each.required_when.items()
        )
    return each.required


def _limits(sample: Sample, each: Attribute, value: AttributeValue, kind: str) -> Iterator[str]:
    content = value[kind]
    if each.values and kind in ("S", "N") and content not in {str(v) for v in each.values}:
        listed = ", ".join(map(str, each.values))
        yield f"{each.name} is {told(content, sample)}, which is none of {listed}."
    if each.max_length is not None and kind == "S" and len(content) > each.max_length:
        yield f"{each.name} has {len(content)} characters; {each.max_length} is the most."
    collection = kind in ("SS", "NS", "BS", "L", "M")
    if collection and each.max_items is not None and len(content) > each.max_items:
        yield f"{each.name} has {len(content)} members; {each.max_items} is the most."


RULE = Rule(
    code="S02",
    severity="error",
    title="A sample contradicts its entity",
    why="A sample that lacks what is required, has another type or a value that does not exist "
    "cannot be stored by the model that it illustrates, or the model is wrong.",
    fix="Correct the sample, or the entity.",
    bad="""
Entity("Order", "Orders", attributes=[Attribute("status", values=["new", "paid"]),
                                      Attribute("total", "N")]),
Sample("Order", {"status": "open", "total": "12.50"}),
""",
    good="""
Entity("Order", "Orders", attributes=[Attribute("status", values=["new", "paid"]),
                                      Attribute("total", "N")]),
Sample("Order", {"status": "new", "total": 12.5}),
""",
    check=check,
)
