"""W08: an update of a field that leaves the index key made of it as it was."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.reading import all_writes, written
from tablewright.review.rule import Rule
from tablewright.review.templates import fields, single


def check(design: Design) -> Iterator[Found]:
    for pattern, write in all_writes(design):
        entity = design.entity(write.entity)
        table = None if entity is None else design.table(entity.table)
        if write.kind != "update" or entity is None or table is None:
            continue
        changed = written(write)
        for key in entity.keys:
            side = table.index(key.on)
            if side is None:
                continue
            attributes = (*side.partition, *side.sort)
            for attribute, template in zip(attributes, key.templates, strict=False):
                stale = changed.intersection(fields(template))
                if stale and attribute.name not in changed and single(template) != attribute.name:
                    yield Found(
                        finding.pattern(pattern.name),
                        f"It changes {', '.join(sorted(stale))} but not {attribute.name} "
                        f"({template!r}): {key.on} goes on showing {entity.name} under the old "
                        "value.",
                    )


RULE = Rule(
    code="W08",
    severity="error",
    title="An index key is left behind",
    why="A composed key attribute is a text that the writer made. Nothing makes it again when the "
    "field changes.",
    fix="Set the key attribute in the same update.",
    bad="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("STATUS#{status}", on="GSI1")],
       attributes=[Attribute("status")]),
Pattern("pay", "update", "Team", update="SET #s = :paid", names={"#s": "status"},
        values={":paid": "S"}, condition="attribute_exists(PK)"),
""",
    good="""
Table("App", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")]),
Entity("Team", "App", keys=[Key("TEAM#{id}"), Key("STATUS#{status}", on="GSI1")],
       attributes=[Attribute("status")]),
Pattern("pay", "update", "Team", update="SET #s = :paid, GSI1PK = :key", names={"#s": "status"},
        values={":paid": "S", ":key": "S"}, condition="attribute_exists(PK)"),
""",
    check=check,
)
