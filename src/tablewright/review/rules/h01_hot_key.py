"""H01: more requests for one key than a partition can take."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
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
        rate = peak(pattern)
        for part in () if rate is None else _requests(pattern):
            share = _hottest(design, pattern, part)
            if share is None or rate is None:
                continue
            most = PARTITION_READ_UNITS if part.reading else PARTITION_WRITE_UNITS
            units = rate * share * _each(design, pattern, part)
            if units > most:
                kind = "read" if part.reading else "write"
                what = "" if part is pattern else f" of {part.entity}"
                yield Found(
                    finding.pattern(pattern.name),
                    f"At its peak {rate * share:,.0f} calls a second go to one key{what}: "
                    f"{units:,.0f} {kind} units, where a partition has {most:,}.",
                )
                break


def _requests(pattern: Pattern) -> Sequence[Pattern]:
    """The pattern itself, or the members of a transaction: each takes units of its own key."""
    if pattern.kind == "transaction":
        return pattern.members
    return () if pattern.members else (pattern,)


def _hottest(design: Design, pattern: Pattern, part: Pattern) -> float | None:
    """Return the share of the calls that go to one key; 1 where the key is always the same."""
    table = design.table_of(part)
    names = [] if table is None else [*partition_of(table, part.index)]
    terms = [part.key.get(name) for name in names]
    if terms and all(isinstance(term, str) and is_constant(term) for term in terms):
        return 1.0
    return pattern.hottest


def _each(design: Design, pattern: Pattern, part: Pattern) -> float:
    """Return the units of one call on one key: the items of a batch are on keys of their own."""
    # A transaction prepares each item and then commits it.
    factor = 2 if pattern.kind == "transaction" else 1
    if not part.reading and part.kind != "check":
        # What a write takes in indexes is under other keys.
        return factor * ceil((size_of(design, part) or 1) / WRITE_UNIT)
    if part.kind == "check":
        return factor
    units = least_read_units(design, replace(part, consistent=part.consistent or factor == 2))
    units = factor * (units or 0.5)
    return units / (part.expect or 1) if part.kind == "batch_get" else units


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
