"""K07: a key attribute whose type is not the one that the table or index declares."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Index, Key, KeyAttribute, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import single

_ALLOWED = ("S", "N", "B")


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        for name, side in table.sides():
            place = None if name is None else finding.index(table.name, name)
            for each in (*side.partition, *side.sort):
                if each.type not in _ALLOWED:
                    yield Found(
                        place or finding.table(table.name),
                        f"The key attribute {each.name} is declared as {each.type}; "
                        "only S, N and B can be keys.",
                    )
        for entity in design.entities_of(table.name):
            yield from _of_entity(entity, table)


def _of_entity(entity: Entity, table: Table) -> Iterator[Found]:
    for name, side in table.sides():
        key = entity.key_on(name)
        for declared, stored in _stored(side, key, entity):
            if declared.type in _ALLOWED and stored != declared.type:
                where = f"table {table.name}" if name is None else f"index {name}"
                yield Found(
                    finding.attribute(entity.name, declared.name),
                    f"{declared.name} is stored as {stored}, but is a key of type {declared.type} "
                    f"in {where}.",
                )


def _stored(
    side: Table | Index, key: Key | None, entity: Entity
) -> Iterator[tuple[KeyAttribute, str]]:
    """Each key attribute, with the type of what the entity puts there."""
    declared = (*side.partition, *side.sort)
    templates = () if key is None else key.templates
    for position, each in enumerate(declared):
        template = templates[position] if position < len(templates) else None
        source = each.name if template is None else single(template)
        known = entity.attribute(source or "")
        if known is not None and (source == each.name or known.type not in _ALLOWED):
            yield each, known.type


RULE = Rule(
    code="K07",
    severity="error",
    title="A key attribute has the wrong type",
    why="Keys are S, N or B, exactly as the table declares them. A write whose attribute has "
    'another type is refused ("Type mismatch for Index Key"); BOOL, NULL, sets, lists and maps '
    "can be no keys at all.",
    fix="Store the attribute with the declared type: 1 or absent for a flag that an index needs.",
    bad="""
Table("Configs", pk="id", indexes=[Index("active", pk="isActive:N")]),
Entity("Config", "Configs", keys=[Key("{id}"), Key("{isActive}", on="active")],
       attributes=[Attribute("id", format="uuid"), Attribute("isActive", "BOOL")]),
""",
    good="""
Table("Configs", pk="id", indexes=[Index("active", pk="isActive:N")]),
Entity("Config", "Configs", keys=[Key("{id}"), Key("{isActive}", on="active")],
       attributes=[Attribute("id", format="uuid"), Attribute("isActive", "N", required=False)]),
""",
    check=check,
)
