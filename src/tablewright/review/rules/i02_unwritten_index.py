"""I02: an index whose key attributes no entity has."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Index, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        entities = list(design.entities_of(table.name))
        for index in table.indexes:
            if entities and not any(_enters(each, index, table) for each in entities):
                names = " and ".join(each.name for each in (*index.partition, *index.sort))
                yield Found(
                    finding.index(table.name, index.name),
                    f"No entity of table {table.name} has {names}: index {index.name} stays empty.",
                )


def _enters(entity: Entity, index: Index, table: Table) -> bool:
    if entity.key_on(index.name) is not None:
        return True
    held = {each.name for each in entity.attributes}
    held |= {each.name for each in (*table.partition, *table.sort)}
    return {each.name for each in (*index.partition, *index.sort)} <= held


RULE = Rule(
    code="I02",
    severity="error",
    title="An index that nothing enters",
    why="An index holds the items that have all of its key attributes, and no others. Nothing "
    "derives them: the writer has to put them into the item.",
    fix="Write the index's key attributes with the items that shall be found through it.",
    bad="""
Table("Usage", pk="PK", indexes=[Index("Active", pk="ACTIVE_PK", sk="ACTIVE_SK")]),
Entity("Counter", "Usage", keys=[Key("SCOPE#{scope}")], attributes=[Attribute("cost", "N")]),
""",
    good="""
Table("Usage", pk="PK", indexes=[Index("Active", pk="ACTIVE_PK", sk="ACTIVE_SK")]),
Entity("Counter", "Usage",
       keys=[Key("SCOPE#{scope}"), Key("ACTIVE#{slot}", "{scope}", on="Active")],
       attributes=[Attribute("cost", "N")]),
""",
    check=check,
)
