"""I04: an entity that is in an index only because its attributes have those names."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import single


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        for index in table.indexes:
            names = {each.name for each in (*index.partition, *index.sort)}
            others = [e for e in design.entities_of(table.name) if e.key_on(index.name) is not None]
            for entity in design.entities_of(table.name):
                if others and entity not in others and names <= _held(entity, table):
                    meant = ", ".join(each.name for each in others)
                    yield Found(
                        finding.entity(entity.name),
                        f"{entity.name} has {' and '.join(sorted(names))}, so it is in index "
                        f"{index.name} too, which is for {meant}.",
                    )


def _held(entity: Entity, table: Table) -> set[str]:
    """The attributes that an item of the entity has."""
    held = {each.name for each in entity.attributes}
    held |= {each.name for each in (*table.partition, *table.sort)}
    for key in entity.keys:
        side = table.index(key.on)
        if side is not None:
            held |= {each.name for each in (*side.partition, *side.sort)}
        held |= {name for each in key.templates if (name := single(each)) is not None}
    return held


RULE = Rule(
    code="I04",
    severity="warning",
    title="An entity is in an index by accident",
    why="An index takes every item that has its key attributes, whatever kind it is. Copies that "
    "carry them show up there again, and each of their writes is paid for there too.",
    fix="Give the attribute another name in the entity that is not meant, or declare the key.",
    bad="""
Table("News", pk="id", sk="at", indexes=[
    Index("by_mood", pk="mood", sk="at"), Index("by_tag", pk="tag", sk="at")]),
Entity("Article", "News", keys=[Key("{id}", "{at}"), Key("{mood}", "{at}", on="by_mood")],
       attributes=[Attribute("id"), Attribute("at"), Attribute("mood")]),
Entity("TagRow", "News", keys=[Key("{id}", "{at}#{tag}"), Key("{tag}", "{at}", on="by_tag")],
       attributes=[Attribute("tag"), Attribute("mood")]),
""",
    good="""
Table("News", pk="id", sk="at", indexes=[
    Index("by_mood", pk="mood", sk="at"), Index("by_tag", pk="tag", sk="at")]),
Entity("Article", "News", keys=[Key("{id}", "{at}"), Key("{mood}", "{at}", on="by_mood")],
       attributes=[Attribute("id"), Attribute("at"), Attribute("mood")]),
Entity("TagRow", "News", keys=[Key("{id}", "{at}#{tag}"), Key("{tag}", "{at}", on="by_tag")],
       attributes=[Attribute("tag"), Attribute("article_mood")]),
""",
    check=check,
)
