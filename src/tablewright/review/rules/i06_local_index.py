"""I06: a local index, and collections that nothing bounds."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design
from tablewright.review.finding import Found
from tablewright.review.limits import LOCAL_COLLECTION
from tablewright.review.rule import Rule
from tablewright.review.samples import typical_size
from tablewright.review.templates import is_constant


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        local = [index.name for index in table.indexes if index.local]
        for entity in design.entities_of(table.name) if local else ():
            key = entity.primary
            if key is None or all(is_constant(each) for each in key.sort):
                continue
            size = typical_size(design, entity) or 1024
            if entity.per_partition is None:
                reason = f"nothing says how many {entity.name} one partition key has"
            elif entity.per_partition * size > LOCAL_COLLECTION:
                reason = (
                    f"{entity.per_partition:,.0f} {entity.name} of {size:,} bytes are "
                    f"{entity.per_partition * size / 2**30:.0f} GB under one partition key"
                )
            else:
                continue
            yield Found(
                finding.table(table.name),
                f"With the local index {', '.join(local)} all items of a partition key share "
                f"10 GB; {reason}.",
                severity="note" if entity.per_partition is None else None,
            )


RULE = Rule(
    code="I06",
    severity="error",
    title="A local index on collections without a bound",
    why="In a table with local indexes, all items with one partition key, their copies in the "
    "indexes included, have at most 10 GB; more is refused with "
    "ItemCollectionSizeLimitExceededException. Local indexes cannot be added or removed later.",
    fix="Use a global index, or say per_partition= if the number is small.",
    bad="""
Table("Log", pk="PK", sk="SK", indexes=[Index("ByLevel", sk="level", local=True)]),
Entity("Line", "Log", keys=[Key("APP#{app}", "{at}")], per_partition=1e8, item_size=500),
""",
    good="""
Table("Log", pk="PK", sk="SK", indexes=[Index("ByLevel", sk="level", local=True)]),
Entity("Line", "Log", keys=[Key("APP#{app}", "{at}")], per_partition=1e4, item_size=500),
""",
    check=check,
)
