"""H03: everything that is written in a period, under one partition key."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Design, Entity, Key
from tablewright.review.finding import Found
from tablewright.review.rule import Rule
from tablewright.review.templates import fields

_TIMES = frozenset({"day", "date", "iso", "iso_seconds", "iso_millis", "iso_micros"})
_EPOCHS = frozenset({"epoch_seconds", "epoch_millis"})


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for key in entity.keys:
            times = _only_times(entity, key)
            if times:
                yield Found(
                    finding.key(entity.name, key.label),
                    f"All {entity.name} of the same {' and '.join(times)} are under one partition "
                    f"key, {' / '.join(key.partition)}: what is written now goes to one partition.",
                )


def _only_times(entity: Entity, key: Key) -> list[str]:
    """The components of the partition key, if they are all times."""
    names = sorted({name for template in key.partition for name in fields(template)})
    formats = [attribute.format for each in names if (attribute := entity.attribute(each))]
    timely = all(each in _TIMES | _EPOCHS for each in formats)
    return names if names and timely and len(formats) == len(names) else []


RULE = Rule(
    code="H03",
    severity="warning",
    title="One partition key for a period",
    why="A key that is only a day or an hour sends all writes of the present to one partition, "
    "which takes 1,000 write units a second, while those of the past do nothing.",
    fix="Put what the items belong to into the partition key and the time into the sort key; or "
    "add a shard, and query each of them.",
    bad="""
Table("Usage", pk="PK", indexes=[Index("Active", pk="APK", sk="ASK")]),
Entity("Counter", "Usage", keys=[Key("SCOPE#{scope}"), Key("ACTIVE#{day}", "{scope}", on="Active")],
       attributes=[Attribute("scope"), Attribute("day", format="day")]),
""",
    good="""
Table("Usage", pk="PK", indexes=[Index("Active", pk="APK", sk="ASK")]),
Entity("Counter", "Usage",
       keys=[Key("SCOPE#{scope}"), Key("ACTIVE#{day}#{shard}", "{scope}", on="Active")],
       attributes=[Attribute("scope"), Attribute("day", format="day"), Attribute("shard", "N")]),
""",
    check=check,
)
