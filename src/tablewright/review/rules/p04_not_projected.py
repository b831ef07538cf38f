"""P04: a pattern that reads what its index does not hold."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Index, Pattern, Table
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        table = design.table_of(pattern)
        index = None if table is None else table.index(pattern.index)
        entity = design.entity(pattern.entity)
        if table is None or index is None or entity is None or pattern.hydrate:
            continue
        missing = lacking(pattern, index, entity, table)
        if missing:
            listed = ", ".join(missing[:6]) + (", ..." if len(missing) > 6 else "")
            held = "holds only keys" if index.projection == "KEYS_ONLY" else "does not hold that"
            yield Found(
                finding.pattern(pattern.name),
                f"It reads {listed} through {index.name}, which {held}.",
                severity="error" if not index.local else "warning",
            )


def lacking(pattern: Pattern, index: Index, entity: Entity, table: Table) -> list[str]:
    """The attributes that the pattern reads and the index does not hold."""
    if index.projection == "ALL" or pattern.reads is None:
        return []
    held = {each.name for each in (*table.partition, *table.sort, *index.partition, *index.sort)}
    held |= set(index.projection) if not isinstance(index.projection, str) else set()
    for key in (entity.primary, entity.key_on(index.name)):
        if key is not None:
            held |= {name for each in key.templates for name in fields(each)}
    wanted = [e.name for e in entity.attributes] if pattern.reads == "*" else list(pattern.reads)
    return [name for name in wanted if name not in held]


RULE = Rule(
    code="P04",
    severity="error",
    title="An index does not hold what a pattern reads",
    why="A global index returns its projection and nothing else: asking for more is refused, or "
    "gives items without the attribute. (A local one fetches it from the table, a read unit more "
    "for each item.)",
    fix="Include the attributes in the index, or read the items from the table by their keys.",
    bad="""
Table("Jobs", pk="PK", indexes=[Index("by_status", pk="status", projection="KEYS_ONLY")]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")],
       attributes=[Attribute("status"), Attribute("title"), Attribute("progress", "N")]),
Pattern("running", "query", "Job", index="by_status", key={"status": "running"}, reads="*"),
""",
    good="""
Table("Jobs", pk="PK", indexes=[
    Index("by_status", pk="status", projection=("title", "progress"))]),
Entity("Job", "Jobs", keys=[Key("JOB#{id}"), Key("{status}", on="by_status")],
       attributes=[Attribute("status"), Attribute("title"), Attribute("progress", "N")]),
Pattern("running", "query", "Job", index="by_status", key={"status": "running"}, reads="*"),
""",
    check=check,
)
