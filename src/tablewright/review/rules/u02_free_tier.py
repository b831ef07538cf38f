"""U02: tables that are to be free, with more units than are free."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Index, Table
from tablewright.review.finding import Found
from tablewright.review.limits import FREE_UNITS
from tablewright.review.rule import Rule


def check(design: Design) -> Iterator[Found]:
    free = [each for each in design.tables if each.free_tier]
    for kind in ("read", "write"):
        most = sum(_most(table, kind) for table in free)
        if most > FREE_UNITS:
            yield Found(
                finding.table(", ".join(each.name for each in free)),
                f"Tables and indexes together can have {most:,.0f} {kind} units; {FREE_UNITS} are "
                "free.",
            )
    for table in free:
        if table.billing == "on-demand":
            yield Found(finding.table(table.name), "Requests on demand are not in the free tier.")


def _most(table: Table, kind: str) -> float:
    """The units of a table and its global indexes, where scaling has taken them."""
    return sum(_units(table, each, kind) for each in (None, *table.indexes))


def _units(table: Table, index: Index | None, kind: str) -> float:
    if index is not None and index.local:
        return 0
    scaled: float | None = getattr(table, f"max_{kind}_units")
    own: float | None = getattr(table if index is None else index, f"{kind}_units")
    return max(scaled or 0, own or 0)


RULE = Rule(
    code="U02",
    severity="warning",
    title="More units than the free tier has",
    why="Always free are 25 read and 25 write units and 25 GB, of provisioned tables of the class "
    "STANDARD, for all tables of an account in a Region together. Each global index counts, and "
    "what auto scaling adds is billed.",
    fix="Scale no further than 25 units for tables and indexes together, or plan for the price.",
    bad="""
Table("Orders", pk="id", billing="provisioned", read_units=5, write_units=5, max_write_units=50,
      free_tier=True),
""",
    good="""
Table("Orders", pk="id", billing="provisioned", read_units=5, write_units=5, max_write_units=20,
      free_tier=True),
""",
    check=check,
)
