"""H01: more requests for one key than a partition can take."""

from collections.abc import Iterator
from math import ceil

from tablewright.review import finding
from tablewright.review.design import Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.least import least_read_units
from tablewright.review.limits import PARTITION_READ_UNITS, PARTITION_WRITE_UNITS, WRITE_UNIT
from tablewright.review.loads import partition_of, peak, size_of
from tablewright.review.rule import Rule
from tablewright.review.templates import is_constant


def check(design: Design) -> Iterator[Found]:
    for pattern in design.patterns:
        share = _hottest(design, pattern)
        rate = peak(pattern)
        if share is None or rate is None or pattern.members:
            continue
        most = PARTITION_READ_UNITS if pattern.reading else PARTITION_WRITE_UNITS
        units = rate * share * _each(design, pattern)
        if units > most:
            kind = "read" if pattern.reading else "write"
            yield Found(
                finding.pattern(pattern.name),
                f"At its peak {rate * share:,.0f} calls a second go to one key: {units:,.0f} "
                f"{kind} units, where a partition has {most:,}.",
            )


def _hottest(design: Design, pattern: Pattern) -> float | None:
    """The share of the calls that go to one key; all of them if the key is always the same."""
    if pattern.hottest is not None:
        return pattern.hottest
    table = design.table_of(pattern)
    terms = [] if table is None else [*partition_of(table, pattern.index)]
    asked = [pattern.key.get(name) for name in terms]
    if asked and all(isinstance(each, str) and is_constant(each) for each in asked):
        return 1.0
    return None


def _each(design: Design, pattern: Pattern) -> float:
    """Units of one call on one key: the items of a batch are on keys of their own."""
    if not pattern.reading:
        # What a write takes in indexes is under other keys.
        return ceil((size_of(design, pattern) or 1) / WRITE_UNIT)
    units = least_read_units(design, pattern) or 0.5
    return units / (pattern.expect or 1) if pattern.kind == "batch_get" else units


RULE = Rule(
    code="H01",
    severity="warning",
    title="A hot key",
    why="A partition gives 3,000 read and 1,000 write units a second, whatever the table has, and "
    "the items of one partition key are on one partition at first. Above that requests are "
    "throttled; a single item can never be split.",
    fix="Spread writes over shards that are summed when they are read; have readers cache, or "
    "read one of several copies.",
    bad="""
Table("Totals", pk="id"),
Entity("Total", "Totals", keys=[Key("{id}")], item_size=200),
Pattern("total", "get", "Total", key={"id": "{id}"}, peak=10_000, hottest=1),
""",
    good="""
Table("Totals", pk="id"),
Entity("Total", "Totals", keys=[Key("{id}")], item_size=200),
Pattern("total", "get", "Total", key={"id": "{id}"}, peak=10_000, hottest=0.1),
""",
    check=check,
)
