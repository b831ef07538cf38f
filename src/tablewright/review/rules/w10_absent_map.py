"""W10: an update that reaches into a map which may not be there."""

from collections.abc import Iterator

from tablewright.expressions import Path
from tablewright.review import finding
from tablewright.review.design import Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import (
    Change,
    all_writes,
    changes,
    condition_attributes,
    holds_for,
)
from tablewright.review.rule import Rule
from tablewright.review.samples import items_of
from tablewright.values import AttributeValue, Item


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        if write.kind != "update" or entity is None:
            continue
        yield from _nested(pattern, write, entity)
        items = list(items_of(design, entity))
        for change in changes(write):
            reason = _absent(write, entity, change, items)
            if len(change.path) > 1 and reason:
                path = ".".join(map(str, change.path))
                yield Found(
                    finding.pattern(pattern.name),
                    f"{change.action} {path}: {reason}, and then the update fails.",
                )


def _nested(pattern: Pattern, write: Pattern, entity: Entity) -> Iterator[Found]:
    """Maps inside maps that are said to be changed, where no expression shows how."""
    for name in () if write.update is not None else write.sets:
        known = entity.attribute(name)
        if known is not None and known.depth > 1 and not known.parents_created:
            yield Found(
                finding.attribute(entity.name, name),
                f"{pattern.name} changes what is {known.depth} maps deep in {name}; nothing makes "
                "the maps on the way, and without them the update fails.",
            )


def _reaches(item: Item, path: Path) -> bool:
    """Whether a sample has the maps of a path: then something creates them."""
    value: AttributeValue = {"M": item}
    for step in path:
        value = value.get("M", {}).get(step, {})
    return bool(value)


def _absent(write: Pattern, entity: Entity, change: Change, items: list[Item]) -> str:
    """Why a parent of the path may be missing; "" if all are there."""
    name = str(change.path[0])
    known = entity.attribute(name)
    if holds_for(write, {}) is True:
        return f"there may be no {entity.name} yet"
    if known is not None and not known.required and not known.default:
        return "" if name in condition_attributes(write) else f"{name} is optional"
    if len(change.path) > 2 and known is not None and not known.parents_created:
        if any(_reaches(item, change.path[:-1]) for item in items):
            return ""
        inner = ".".join(map(str, change.path[:-1]))
        return f"{inner} may not exist yet"
    return ""


RULE = Rule(
    code="W10",
    severity="error",
    title="A path leads into a map that may be absent",
    why='SET and ADD create the last step of a path, never the maps before it: "The document path '
    'provided in the update expression is invalid for update". ADD works on top-level attributes '
    "of absent items, not on what is inside a map.",
    fix="Create the maps empty with the item, and let the condition be attribute_exists of it.",
    bad="""
Table("App", pk="PK"),
Entity("Cost", "App", keys=[Key("COST#{id}")], attributes=[Attribute("by_agent", "M")]),
Pattern("add", "update", "Cost", update="ADD by_agent.#a :c", names={"#a": "tester"},
        values={":c": "N"}),
""",
    good="""
Table("App", pk="PK"),
Entity("Cost", "App", keys=[Key("COST#{id}")], attributes=[Attribute("by_agent", "M")]),
Pattern("add", "update", "Cost", update="ADD by_agent.#a :c", names={"#a": "tester"},
        values={":c": "N"}, condition="attribute_exists(PK)"),
""",
    check=check,
)
