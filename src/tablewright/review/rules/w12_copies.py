"""W12: copies of another entity's attribute that nobody keeps up to date."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity, Pattern
from tablewright.review.finding import Found
from tablewright.review.reading import writes, written
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for attribute in entity.attributes:
            source, _, name = (attribute.copy_of or "").partition(".")
            original = design.entity(source)
            known = None if original is None else original.attribute(name)
            if original is None or (known is not None and known.mutable is False):
                continue
            if attribute.snapshot:
                continue
            yield from _stale(design, entity, attribute, source, name)


def _stale(
    design: Design, entity: Entity, attribute: Attribute, source: str, name: str
) -> Iterator[Found]:
    place = finding.attribute(entity.name, attribute.name)
    changing = [each for each in design.patterns if _changes(each, source, name)]
    for pattern in changing:
        if attribute.deduced and not _writes(pattern, entity.name):
            yield Found(
                place,
                f"It looks like a copy of {source}.{name}, which {pattern.name} changes there and "
                "not here.",
                fix=f'Update the copies, or state that they keep their value: CopyOf("{source}.'
                f'{name}", snapshot=True).',
            )
            return
        elif not attribute.deduced and not _changes(pattern, entity.name, attribute.name):
            yield Found(
                place,
                f"It is a copy of {source}.{name}, which {pattern.name} changes there and not "
                "here.",
            )
    if not changing and not any(_changes(p, entity.name, attribute.name) for p in design.patterns):
        yield Found(place, f"It is a copy of {source}.{name}, and no pattern keeps it up to date.")


def _changes(pattern: Pattern, entity: str, name: str) -> bool:
    return any(
        write.entity == entity
        and name in written(write)
        and (write.kind == "update" or write.whole)
        for write in writes(pattern)
    )


def _writes(pattern: Pattern, entity: str) -> bool:
    """Whether the pattern writes the entity at all: then its author has thought of the copies."""
    return any(write.entity == entity for write in writes(pattern))


RULE = Rule(
    code="W12",
    severity="warning",
    title="A copy goes stale",
    why="DynamoDB has no joins, so copies are normal; but nothing keeps them: each is an item of "
    "its own, and shows the old value until somebody writes it.",
    fix="Change original and copies in one transaction, or from the stream, or do not copy what "
    "changes.",
    bad="""
Table("App", pk="PK"),
Entity("Event", "App", keys=[Key("EVENT#{id}")], attributes=[Attribute("name")]),
Entity("Entry", "App", keys=[Key("ENTRY#{id}")],
       attributes=[Attribute("event_name", copy_of="Event.name")]),
Pattern("rename", "update", "Event", update="SET #n = :n", names={"#n": "name"},
        values={":n": "S"}, condition="attribute_exists(PK)"),
""",
    good="""
Table("App", pk="PK"),
Entity("Event", "App", keys=[Key("EVENT#{id}")], attributes=[Attribute("name", mutable=False)]),
Entity("Entry", "App", keys=[Key("ENTRY#{id}")],
       attributes=[Attribute("event_name", copy_of="Event.name")]),
""",
    check=check,
)
