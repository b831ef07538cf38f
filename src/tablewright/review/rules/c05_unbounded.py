"""C05: a collection inside an item that grows without a bound."""

from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Pattern
from tablewright.review.finding import Found
from tablewright.review.limits import MAX_ITEM
from tablewright.review.reading import all_writes, changes, condition_attributes
from tablewright.review.rule import Rule

_MEMBERS = {"SS": 37, "NS": 10, "BS": 37, "L": 50, "M": 60}


def check(design: Design) -> Iterator[Found]:
    for entity in design.entities:
        for each in entity.attributes:
            if each.type not in _MEMBERS or each.max_items is not None:
                continue
            adders = list(_adders(design, entity.name, each))
            if not each.grows and not adders:
                continue
            member = each.item_bytes or _MEMBERS[each.type]
            by = f"; {adders[0]} adds to it" if adders else ""
            yield Found(
                finding.attribute(entity.name, each.name),
                f"{each.name} has no bound{by}: with members of {member} bytes, the item is full "
                f"at about {MAX_ITEM // member:,} of them.",
            )


def _adders(design: Design, entity: str, known: Attribute) -> Iterator[str]:
    """The patterns that add members one by one without looking at how many there are."""
    for pattern, write in all_writes(design):
        if write.entity == entity and _adds(write, known):
            yield pattern.name


def _adds(write: Pattern, known: Attribute) -> bool:
    if known.name in condition_attributes(write) and "size" in (write.condition or ""):
        return False
    for change in changes(write):
        if change.path[0] != known.name:
            continue
        if change.action == "ADD" and known.type in ("SS", "NS", "BS"):
            return True
        if known.type == "L" and change.action == "SET" and known.name in change.sources:
            return "list_append" in (write.update or "")
    return False


RULE = Rule(
    code="C05",
    severity="warning",
    title="A collection grows without a bound",
    why="An item has at most 400 KB, and every write of it costs a unit for each KB of the whole. "
    "A collection that grows with use makes each write dearer than the one before, and one day "
    "refuses it. Sets have no limit of their own.",
    fix="Make each member an item under the same partition key, or limit the number in the "
    "condition: size(#members) < :most.",
    bad="""
Table("Usage", pk="PK"),
Entity("Shard", "Usage", keys=[Key("SH#{n}")],
       attributes=[Attribute("request_ids", "SS", required=False)]),
Pattern("record", "update", "Shard", update="ADD request_ids :id", values={":id": "SS"}),
""",
    good="""
Table("Usage", pk="PK"),
Entity("Shard", "Usage", keys=[Key("SH#{n}")],
       attributes=[Attribute("request_ids", "SS", required=False)]),
Pattern("record", "update", "Shard", update="ADD request_ids :id",
        condition="size(request_ids) < :most", values={":id": "SS", ":most": "N"}),
""",
    check=check,
)
