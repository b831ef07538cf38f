"""T02: a time to live that the service does not understand."""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Sample
from tablewright.review.finding import Found
from tablewright.review.looks import found_in, told
from tablewright.review.rule import Rule
from tablewright.review.samples import shown_of
from tablewright.values import AttributeValue

#: Later than this, in seconds, is the year 5138: a number of milliseconds.
_MILLIS = 100_000_000_000


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        name = entity.ttl or getattr(design.table(entity.table), "ttl", None)
        if name is not None:
            yield from _problems(design, entity, name)


def _problems(design: Design, entity: Entity, name: str) -> Iterator[Found]:
    place = finding.attribute(entity.name, name)
    known = entity.attribute(name)
    if known is not None and known.type not in ("N", ""):
        yield Found(place, f"{name} is {known.type}; only a number ends an item.")
        return
    if known is not None and known.format not in (None, "epoch_seconds"):
        yield Found(
            place, f"{name} is in the form {known.format}; seconds since 1970 are expected."
        )
        return
    for sample, item in shown_of(design, entity):
        if name in item and (problem := _wrong(sample, item[name], name)):
            yield found_in(design, sample, item, problem, place)


def _wrong(sample: Sample, value: AttributeValue, name: str) -> str:
    where = f"an item in {sample.deployed}" if sample.deployed else "a sample"
    if "N" not in value:
        return f"{name} is {next(iter(value))} in {where}; only a number ends an item."
    if _number(value["N"]) > _MILLIS:
        number = told(Decimal(value["N"]), sample)
        return f"{name} is {number} in {where}: in seconds, that is in thousands of years."
    return ""


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal(0)


RULE = Rule(
    code="T02",
    severity="error",
    title="A time to live in the wrong unit",
    why="The attribute is a Number of seconds since 1970. Texts are ignored, and milliseconds are "
    "a date in the far future: in both cases nothing is ever deleted, and no error says so.",
    fix="Store whole seconds: int(time.time()) + days * 86400.",
    bad="""
Table("Sessions", pk="id", ttl="expires_at"),
Entity("Session", "Sessions", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N", format="epoch_millis")]),
""",
    good="""
Table("Sessions", pk="id", ttl="expires_at"),
Entity("Session", "Sessions", keys=[Key("{id}")], ttl="expires_at",
       attributes=[Attribute("expires_at", "N", format="epoch_seconds")]),
""",
    check=check,
)
