"""I07: an index that holds everything, of which little is read."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Index, Pattern
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.samples import typical_size
from tablewright.review.templates import fields

_WORTH = 3


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        for index in table.indexes:
            patterns = [
                each
                for each in design.patterns
                if each.index == index.name and design.table_of(each) == table
            ]
            if index.projection != "ALL" or not patterns or not all(map(_tells, patterns)):
                continue
            read = {name for each in patterns for name in each.reads or ()}
            for entity in design.entities_of(table.name):
                unread = _unread(entity, index, read)
                if len(unread) >= _WORTH and len(unread) * 2 > len(entity.attributes):
                    yield Found(
                        finding.index(table.name, index.name),
                        f"{index.name} holds all {len(entity.attributes)} attributes of "
                        f"{entity.name}, but its patterns read only {', '.join(sorted(read))}."
                        + _cost(design, entity),
                    )


def _tells(pattern: Pattern) -> bool:
    return pattern.reads is not None and pattern.reads != "*"


def _unread(entity: Entity, index: Index, read: set[str]) -> list[str]:
    key = entity.key_on(index.name)
    if key is None:
        return []
    in_keys = {name for each in key.templates for name in fields(each)}
    return [e.name for e in entity.attributes if e.name not in read and e.name not in in_keys]


def _cost(design: Design, entity: Entity) -> str:
    size = typical_size(design, entity)
    if size is None or size <= 1024:
        return ""
    return f" Each write of {size:,} bytes takes {-(-size // 1024)} more units there."


RULE = Rule(
    code="I07",
    severity="note",
    title="An index holds much more than is read",
    why="A write to an index takes a unit for each KB of what the index holds, and happens even if "
    "only an attribute changes that nobody reads there.",
    fix="Include the attributes that are read.",
    bad="""
Table("Docs", pk="id", indexes=[Index("by_team", pk="team")]),
Entity("Doc", "Docs", keys=[Key("{id}"), Key("{team}", on="by_team")], item_size=15000,
       attributes=[Attribute("id"), Attribute("team"), Attribute("title"), Attribute("body"),
                   Attribute("notes"), Attribute("history", "L")]),
Pattern("titles", "query", "Doc", index="by_team", key={"team": "{team}"}, reads=["title"]),
""",
    good="""
Table("Docs", pk="id", indexes=[Index("by_team", pk="team", projection=("title",))]),
Entity("Doc", "Docs", keys=[Key("{id}"), Key("{team}", on="by_team")], item_size=15000,
       attributes=[Attribute("id"), Attribute("team"), Attribute("title"), Attribute("body"),
                   Attribute("notes"), Attribute("history", "L")]),
Pattern("titles", "query", "Doc", index="by_team", key={"team": "{team}"}, reads=["title"]),
""",
    check=check,
)
