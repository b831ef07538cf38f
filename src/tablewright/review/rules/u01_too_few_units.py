"""U01: provisioned units that the declared load exceeds."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Pattern, Table
from tablewright.review.finding import Found
from tablewright.review.least import least_read_units, least_write_units
from tablewright.review.loads import peak
from tablewright.review.reading import parts
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    for table in design.tables:
        if table.billing != "provisioned":
            continue
        for kind, bought, most in (
            ("read", table.read_units, table.max_read_units),
            ("write", table.write_units, table.max_write_units),
        ):
            needed = sum(_units(design, each, table, kind) for each in design.patterns)
            if bought is not None and needed > bought:
                yield Found(
                    finding.table(table.name),
                    f"The patterns take up to {needed:,.0f} {kind} units a second, and "
                    f"{bought:,.0f} are provisioned{_scaled(needed, most)}.",
                )


def _units(design: Design, pattern: Pattern, table: Table, kind: str) -> float:
    """Units a second that a pattern takes of a table at its peak, at the least."""
    tables = [design.table_of(part) for part in parts(pattern) if part.entity is not None]
    rate = peak(pattern)
    apart = not tables or any(each is not table for each in tables)
    if rate is None or apart or pattern.reading != (kind == "read"):
        return 0
    found = least_read_units if kind == "read" else least_write_units
    return rate * (found(design, pattern) or 0)


def _scaled(needed: float, most: float | None) -> str:
    if most is None:
        return ""
    if needed > most:
        return f"; scaling ends at {most:,.0f}"
    return f"; scaling to {most:,.0f} takes minutes, which a short burst does not last"


RULE = Rule(
    code="U01",
    severity="warning",
    title="Fewer units than the load takes",
    why="A provisioned table throttles what is above its units; unused ones of the last 300 "
    "seconds help for a moment. Auto scaling follows the load by minutes.",
    fix="Provision for the peak, spread the work over time, or bill on demand.",
    bad="""
Table("Orders", pk="id", billing="provisioned", read_units=5, write_units=5),
Entity("Order", "Orders", keys=[Key("{id}")], item_size=2000),
Pattern("place", "put", "Order", rate=1, peak=20),
""",
    good="""
Table("Orders", pk="id", billing="provisioned", read_units=5, write_units=50),
Entity("Order", "Orders", keys=[Key("{id}")], item_size=2000),
Pattern("place", "put", "Order", rate=1, peak=20),
""",
    check=check,
)
