"""H02: an index whose partition key has only a few values."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity, Key
from tablewright.review.finding import Found
from tablewright.review.least import least_write_units
from tablewright.review.limits import PARTITION_WRITE_UNITS
from tablewright.review.loads import peak
from tablewright.review.reading import all_writes
from tablewright.review.rule import Rule
from tablewright.review.templates import fields, pieces

#: So many values are few.
_FEW = 10


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        for key in entity.keys:
            index = None if table is None or key.on is None else table.index(key.on)
            values = _values(entity, key)
            if table is None or index is None or index.local or values is None or values > _FEW:
                continue
            units = _writes(design, entity) / values
            if 0 < units <= PARTITION_WRITE_UNITS / 2:
                # What is known of the load says that it fits.
                continue
            yield Found(
                finding.index(table.name, index.name),
                f"All {entity.name} are under {values:.0f} partition key{'s' * (values != 1)} of "
                f"{index.name} "
                f"({', '.join(key.partition)}).{_load(units)}",
                severity="warning" if units else None,
            )


def _values(entity: Entity, key: Key) -> float | None:
    """How many different partition keys there can be; None if it cannot be told."""
    product = 1.0
    for name in {name for template in key.partition for name in fields(template)}:
        count = _distinct(entity.attribute(name), name, key)
        if count is None:
            return None
        product *= count
    return product if key.partition else None


def _distinct(attribute: Attribute | None, name: str, key: Key) -> float | None:
    listed = key.when.get(name)
    if isinstance(listed, tuple | list):
        return len(listed)
    if _spec(key, name) or attribute is None:
        return None
    if attribute.type == "BOOL":
        return 2
    return len(attribute.values) or attribute.distinct


def _spec(key: Key, name: str) -> str:
    """A format of the component, by which it may be only a part of the value."""
    found = (p for template in key.partition for p in pieces(template) if not isinstance(p, str))
    return next((piece.spec for piece in found if piece.field == name), "")


def _writes(design: Design, entity: Entity) -> float:
    """Write units a second at the peak, as far as patterns say so."""
    return sum(
        (peak(pattern) or 0) * (least_write_units(design, write) or 1)
        for pattern, write in all_writes(design)
        if write.entity == entity.name
    )


def _load(units: float) -> str:
    return f" Each takes up to {units:,.0f} write units a second." if units else ""


RULE = Rule(
    code="H02",
    severity="note",
    title="An index with few partition keys",
    why="Items under one partition key of an index share what a partition gives: 1,000 write and "
    "3,000 read units a second. Writes that an index cannot take throttle the table.",
    fix="Add a component that spreads them (a shard, a day, the tenant), and query each; or keep "
    "only what is looked for in the index, by a key that few items have.",
    bad="""
Table("Jobs", pk="id", indexes=[Index("by_state", pk="state", sk="at")]),
Entity("Job", "Jobs", keys=[Key("{id}"), Key("{state}", "{at}", on="by_state")],
       attributes=[Attribute("id"), Attribute("state", values=("open", "done")), Attribute("at")]),
""",
    good="""
Table("Jobs", pk="id", indexes=[Index("by_state", pk="PK1", sk="at")]),
Entity("Job", "Jobs", keys=[Key("{id}"), Key("{state}#{tenant}", "{at}", on="by_state")],
       attributes=[Attribute("id"), Attribute("state", values=("open", "done")), Attribute("at"),
                   Attribute("tenant")]),
""",
    check=check,
)
