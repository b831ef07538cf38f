"""S05: a sample in which things end before they begin."""

from collections.abc import Iterator

from tablewright.review.design import Design, Sample
from tablewright.review.finding import Found
from tablewright.review.looks import found_in
from tablewright.review.relations import Unknown, seconds
from tablewright.review.rule import Rule
from tablewright.review.samples import plain_value, shown_of
from tablewright.values import Item

#: Names that come before others, by what stands in them.
_ORDER = (("created", "updated"), ("start", "end"), ("first_", "last_"), ("issued", "expires"))


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        table = design.table(entity.table)
        ttl = entity.ttl or (None if table is None else table.ttl)
        for sample, item in shown_of(design, entity):
            for before, after in _pairs(item, ttl):
                if _later(item, before, after):
                    message = f"{_shown(sample, item, after)} is before "
                    message += f"{_shown(sample, item, before)}."
                    yield found_in(design, sample, item, message)


def _pairs(item: Item, ttl: str | None) -> Iterator[tuple[str, str]]:
    """Attributes of which the first must not be later than the second."""
    for name in item:
        lower = name.lower()
        for first, second in _ORDER:
            if first not in lower:
                continue
            for other in item:
                if other != name and other.lower() == lower.replace(first, second):
                    yield name, other
        if lower.startswith("created") and ttl is not None and ttl in item:
            yield name, ttl


def _later(item: Item, before: str, after: str) -> bool:
    try:
        return seconds(plain_value(item[before])) > seconds(plain_value(item[after]))
    except (Unknown, TypeError, ArithmeticError):
        return False


def _shown(sample: Sample, item: Item, name: str) -> str:
    return name if sample.deployed else f"{name} ({next(iter(item[name].values()))})"


RULE = Rule(
    code="S05",
    severity="error",
    title="A sample ends before it begins",
    why="An end before the beginning is deleted at once by the time to live, or never matches a "
    "range. It usually means another unit, another year or another zone.",
    fix="Correct the times.",
    bad="""
Table("App", pk="PK", ttl="ttl"),
Entity("User", "App", attributes=[Attribute("created_at"), Attribute("ttl", "N")]),
Sample("User", {"created_at": "2025-08-27T10:00:00Z", "ttl": 1735689600}),
""",
    good="""
Table("App", pk="PK", ttl="ttl"),
Entity("User", "App", attributes=[Attribute("created_at"), Attribute("ttl", "N")]),
Sample("User", {"created_at": "2025-08-27T10:00:00Z", "ttl": 1767225600}),
""",
    check=check,
)
